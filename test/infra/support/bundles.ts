import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildSync } from 'esbuild';
import { envVars } from '../../../lib/contract/environments.ts';
import {
  functionSizes,
  jobs,
  type PortAccess,
  rowlessFunctions,
} from '../../../lib/contract/functions.ts';
import { routes } from '../../../lib/contract/routes.ts';
import { bundling } from '../../../lib/infra/service-function.ts';

export const functionNames = [...Object.keys(functionSizes), ...Object.keys(jobs)];

/**
 * Bundles a function as CDK's NodejsFunction calls esbuild; responds with the path of the bundle.
 */
export const bundle = (folder: string, entry: string, name: string): string => {
  const outfile = join(folder, name, 'index.js');
  mkdirSync(join(folder, name), { recursive: true });
  buildSync({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: bundling.format,
    mainFields: bundling.mainFields,
    minify: bundling.minify,
    target: bundling.target,
    external: bundling.externalModules,
    absWorkingDir: resolve('.'),
    logLevel: 'silent',
  });
  return outfile;
};

export const bundleFunction = (folder: string, name: string): string =>
  bundle(folder, resolve('lambdas', `${name}.ts`), name);

/** The functions that somebody waits for, and their ports. */
export const awaitedFunctions: readonly (readonly [string, readonly PortAccess[]])[] = [
  ['publish', routes.publish.ports],
  ['validate', routes.validate.ports],
  ['token', routes.token.ports],
  ['pull', routes.pull.ports],
  ['authoriser', rowlessFunctions.authoriser.ports],
];

const clients: readonly {
  readonly name: string;
  readonly class: string;
  readonly ports: readonly string[];
}[] = [
  {
    name: '@aws-sdk/client-dynamodb',
    class: 'DynamoDBClient',
    ports: ['registry', 'ledger', 'log', 'credentials'],
  },
  { name: '@aws-sdk/client-kms', class: 'KMSClient', ports: ['signer'] },
  { name: '@aws-sdk/client-sqs', class: 'SQSClient', ports: ['queues', 'inbox'] },
];

/**
 * A bundle that does nothing, and makes one SDK client of each class that a function with these
 * ports holds.
 */
export const emptyBundle = (folder: string, ports: readonly PortAccess[]): string => {
  const held = clients.filter(client =>
    ports.some(port => client.ports.includes(port.split('.')[0] ?? '')),
  );
  const name = ['empty', ...held.map(client => client.class)].join('-');
  const entry = resolve('lambdas', `.${name}-${process.pid}.ts`);
  const imports = held.map((client, index) => `import * as c${index} from '${client.name}';`);
  const uses = held.map((client, index) => `new c${index}.${client.class}({})`);
  writeFileSync(
    entry,
    `${imports.join('\n')}\nconst clients = [${uses.join(', ')}];\nexport const handler = async () => clients.length;\n`,
  );
  try {
    return bundle(folder, entry, name);
  } finally {
    rmSync(entry);
  }
};

/** The variables that AWS and the stacks set, with placeholder values. */
const functionEnv = (names: readonly string[]): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(names.map(name => [name, 'https://example.invalid/'])),
  [envVars.environment]: 'sandbox',
  AWS_LAMBDA_FUNCTION_NAME: 'function',
  AWS_REGION: 'eu-west-1',
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
});

/**
 * The number that a script prints in a Node of its own, which has the variables of a function.
 *
 * @param names of those that the stacks set; default: of all functions
 */
export const printedNumber = (
  script: string,
  {
    flags = [],
    names = Object.values(envVars),
  }: Partial<Record<'flags' | 'names', readonly string[]>> = {},
): number =>
  Number(
    execFileSync(process.execPath, [...flags, '-e', script], {
      encoding: 'utf8',
      env: functionEnv(names),
    }),
  );
