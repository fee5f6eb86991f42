import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { functionSizes, jobs } from '../../lib/contract/functions.ts';
import { type PortName, routes } from '../../lib/contract/routes.ts';
import { bundling } from '../../lib/infra/service-function.ts';

const root = join(__dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'sombus-bundles-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** As CDK's NodejsFunction calls esbuild. */
const bundle = (entry: string, name: string): string => {
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
    absWorkingDir: root,
    logLevel: 'silent',
  });
  return outfile;
};

const names = [...Object.keys(functionSizes), ...Object.keys(jobs)];
const bundles = new Map(names.map(name => [name, bundle(join(root, 'lambdas', `${name}.ts`), name)]));

const clients = ['@aws-sdk/client-dynamodb', '@aws-sdk/client-kms', '@aws-sdk/client-sqs'];

/** Does nothing, with the SDK clients that a bundle holds. */
const emptyWith = (imports: readonly string[]): string => {
  const entry = join(root, 'lambdas', `.empty-${imports.length}-${process.pid}.ts`);
  const lines = imports.map((name, index) => `import * as c${index} from '${name}';`);
  // Named, or esbuild would leave out what is not used.
  const used: Readonly<Record<string, string>> = {
    '@aws-sdk/client-dynamodb': 'DynamoDBClient',
    '@aws-sdk/client-kms': 'KMSClient',
    '@aws-sdk/client-sqs': 'SQSClient',
  };
  const uses = imports.map((name, index) => `c${index}.${used[name]}`);
  writeFileSync(
    entry,
    `${lines.join('\n')}\nexport const handler = async () => [${uses.join(', ')}].length;\n`,
  );
  try {
    return bundle(entry, `empty-${imports.join('-').replace(/\W+/g, '-')}`);
  } finally {
    rmSync(entry);
  }
};

const startMilliseconds = (file: string): number => {
  const script = `const t=process.hrtime.bigint();require(${JSON.stringify(file)});console.log(Number(process.hrtime.bigint()-t)/1e6)`;
  return Number(
    execFileSync(process.execPath, ['-e', script], { encoding: 'utf8', env: { AWS_REGION: 'eu-west-1' } }),
  );
};

/**
 * The shortest of some starts, taken in turns: what the machine does beside disturbs both the same. A busy machine gets
 * more turns before the answer stands.
 */
const fastest = (a: string, b: string, enough: (first: number, second: number) => boolean) => {
  let [first, second] = [startMilliseconds(a), startMilliseconds(b)];
  for (let turns = 1; turns < 9 || (turns < 100 && !enough(first, second)); turns += 1) {
    first = Math.min(first, startMilliseconds(a));
    second = Math.min(second, startMilliseconds(b));
  }
  return [first, second] as const;
};

describe('bundles', () => {
  it.each(names)('%s is at most 600 KB, apart from the viewer that the documentation shows', name => {
    const max = name === 'docs-viewer' ? 1_300 : 600;
    expect(statSync(bundles.get(name) ?? '').size).toBeLessThanOrEqual(max * 1024);
  });

  it.each<[string, readonly PortName[]]>([
    ['publish', routes.publish.ports],
    ['validate', routes.validate.ports],
    ['token', routes.token.ports],
    ['pull', routes.pull.ports],
    ['authoriser', ['registry', 'signer']],
  ])('%s starts within 1.6 times an empty function with the same SDK clients', (name, ports) => {
    const file = bundles.get(name) ?? '';
    const held = clients.filter(client =>
      client.includes('kms')
        ? ports.includes('signer')
        : client.includes('sqs')
          ? ports.some(port => ['queues', 'inbox'].includes(port))
          : ports.some(port => ['registry', 'ledger', 'log', 'credentials'].includes(port)),
    );
    const [ours, empty] = fastest(file, emptyWith(held), (first, second) => first <= 1.6 * second);
    process.stdout.write(`${name}: starts in ${ours.toFixed(0)} ms, empty ${empty.toFixed(0)} ms\n`);
    expect(ours).toBeLessThanOrEqual(1.6 * empty);
  });
});
