import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** Leaves out the named parts: they stand where they are used. */
const used = (name: string, value: unknown): unknown => (name === 'parts' ? undefined : value);

const constant = (name: string, type: string, path: string): string => {
  const cases = parse(readFileSync(path, 'utf8'), { merge: true, maxAliasCount: -1 });
  return `\nexport const ${name}: ${type} = ${JSON.stringify(cases, used, 1)};\n`;
};

/** The cases of test runs, by file name in lib/generated. */
export const files = (): ReadonlyMap<string, string> =>
  new Map([
    [
      'check-cases.generated.ts',
      [
        "import type { ConsumerFile } from '../checks/consumer-plan.ts';\n",
        "import type { ExecutorFile } from '../checks/executor-plan.ts';\n",
        "import type { ProducerFile } from '../checks/producer-plan.ts';\n",
        constant('consumerFile', 'ConsumerFile', 'checks/consumer.yaml'),
        constant('executorFile', 'ExecutorFile', 'checks/executor.yaml'),
        constant('producerFile', 'ProducerFile', 'checks/producer.yaml'),
      ].join(''),
    ],
  ]);
