import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { devOn, program, temporaryFolder } from '../support/service-process.ts';

const folder = temporaryFolder();
const installed = join(folder.path, 'sombus.js');
const engine = join(folder.path, 'node_modules/@dynoxide', `${process.platform}-${process.arch}`, 'dynoxide');

beforeAll(() => {
  copyFileSync(program, installed);
  mkdirSync(dirname(engine), { recursive: true });
});

afterAll(() => folder.remove());

/** Starts an installation whose database engine is a file of this content and mode. */
const startWith = (content: string, mode: number) => {
  writeFileSync(engine, content);
  chmodSync(engine, mode);
  const data = join(folder.path, 'data');
  const { status, stderr } = spawnSync(process.execPath, [installed, ...devOn(['--data', data, '--fresh'])], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  return { status, stderr, data };
};

test.each([
  ['nobody may run', 'engine', 0o644],
  ['the system refuses to run (exit code 126)', '#!/\n', 0o755],
  ['needs a program that is not there (exit code 127)', '#!/nowhere/interpreter\n', 0o755],
])('a database engine that %s is named in one sentence, with what to do', (_, content, mode) => {
  const { status, stderr, data } = startWith(content, mode);
  expect([status, stderr]).toEqual([
    2,
    `The local database engine ${engine} cannot be run here: install som-bus again for this platform, or set SOMBUS_DYNAMODB_ENDPOINT to a DynamoDB-compatible endpoint.\n`,
  ]);
  expect(readdirSync(data)).not.toContain('lock');
});
