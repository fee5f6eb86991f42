import { chmodSync, copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { devOn, program, resultOf, temporaryFolder } from '../support/service-process.ts';

const folder = temporaryFolder();
const installed = join(folder.path, 'sombus.js');
const engine = join(folder.path, 'node_modules/@dynoxide', `${process.platform}-${process.arch}`, 'dynoxide');

beforeAll(() => {
  copyFileSync(program, installed);
  mkdirSync(dirname(engine), { recursive: true });
});

afterAll(() => folder.remove());

/** Starts an installation whose database engine is a file of this content and mode. */
const startWith = async (content: string, mode: number) => {
  writeFileSync(engine, content);
  chmodSync(engine, mode);
  const data = join(folder.path, 'data');
  const { code, stderr } = await resultOf([
    process.execPath,
    installed,
    ...devOn(['--data', data, '--fresh']),
  ]);
  return { code, stderr, data };
};

test.each([
  ['nobody may run', 'engine', 0o644],
  ['the system refuses to run (exit code 126)', '#!/\n', 0o755],
  ['needs a program that is not there (exit code 127)', '#!/nowhere/interpreter\n', 0o755],
])('a database engine that %s is named in one sentence, with what to do', async (_, content, mode) => {
  const { code, stderr, data } = await startWith(content, mode);
  expect([code, stderr]).toEqual([
    2,
    `The local database engine ${engine} cannot run on this machine: reinstall som-bus for this platform, or set SOMBUS_DYNAMODB_ENDPOINT to a DynamoDB-compatible endpoint.\n`,
  ]);
  expect(readdirSync(data)).not.toContain('lock');
});
