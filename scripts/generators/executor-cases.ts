import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** Leaves out the named parts: they stand where they are used. */
const used = (name: string, value: unknown): unknown => (name === 'parts' ? undefined : value);

/** The cases for skill executors, by file name in lib/generated. */
export const files = (): ReadonlyMap<string, string> => {
  const cases = parse(readFileSync('checks/executor.yaml', 'utf8'), { merge: true, maxAliasCount: -1 });
  return new Map([
    [
      'executor-cases.generated.ts',
      `import type { CaseFile } from '../checks/executor-plan.ts';\n\nexport const caseFile: CaseFile = ${JSON.stringify(cases, used, 1)};\n`,
    ],
  ]);
};
