import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** Leaves out the named parts: they stand where they are used. */
const used = (name: string, value: unknown): unknown => (name === 'parts' ? undefined : value);

const constant = (name: string, type: string, path: string): string => {
  const cases = parse(readFileSync(path, 'utf8'), { merge: true, maxAliasCount: -1 });
  return `\nexport const ${name}: ${type} = ${JSON.stringify(cases, used, 1)};\n`;
};

/** The cases of test runs, and the style of their reports, by file name in lib/generated. */
export const files = (): ReadonlyMap<string, string> => {
  const cases = [
    "import type { ConsumerFile } from '../checks/consumer-plan.ts';\n",
    "import type { ExecutorFile, ProducerFile } from '../checks/plans.ts';\n",
    "import type { RoleFile } from '../checks/roles.ts';\n",
    constant('consumerFile', 'ConsumerFile', 'checks/consumer.yaml'),
    constant('executorFile', 'ExecutorFile', 'checks/executor.yaml'),
    constant('producerFile', 'ProducerFile', 'checks/producer.yaml'),
    constant('roleFile', 'RoleFile', 'checks/roles.yaml'),
  ];
  const style = `export const reportStyle = ${JSON.stringify(readFileSync('checks/report.css', 'utf8'))};\n`;
  return new Map([
    ['check-cases.generated.ts', cases.join('')],
    ['report-style.generated.ts', style],
  ]);
};
