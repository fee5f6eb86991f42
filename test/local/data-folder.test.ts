import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { openDataFolder } from '../../lib/local/data-folder.ts';
import { temporaryFolder } from '../support/service-process.ts';
import { needOf, testUnless } from '../support/where.ts';

const scratch = temporaryFolder();
afterAll(scratch.remove);

const folder = (): string => mkdtempSync(join(scratch.path, 'data-'));
const open = (path: string, fresh = false) => openDataFolder(path, { fresh });

test('an open folder cannot be opened again until it is released', () => {
  const path = folder();
  for (let time = 0; time < 3; time += 1) {
    const opened = open(path);
    expect(() => open(path)).toThrow(
      `Another service (process ${process.pid}) is using the data folder`,
    );
    opened.release();
    expect(existsSync(join(path, 'lock'))).toBe(false);
  }
});

test('a folder with other files is refused, and nothing is added to it', () => {
  const path = folder();
  writeFileSync(join(path, 'notes.txt'), '');
  expect(() => open(path)).toThrow('is not a data folder of som-bus');
  expect(readdirSync(path)).toEqual(['notes.txt']);
});

describe('--fresh', () => {
  const others = ['sqs/a', 'kms/a', 'database.json', 'usage.json', 'dynamodb.sqlite', 'notes.txt'];
  const put = (path: string, files: readonly string[]): void => {
    for (const name of files) {
      mkdirSync(dirname(join(path, name)), { recursive: true });
      writeFileSync(join(path, name), name);
    }
  };
  const filesIn = (path: string) =>
    readdirSync(path, { recursive: true, encoding: 'utf8' }).filter(
      name => !name.startsWith('lock'),
    );

  test.each(others)('is refused in a folder that is not ours, and deletes nothing: %s', name => {
    const path = folder();
    put(path, [name]);
    const before = filesIn(path);
    expect(() => open(path, true)).toThrow(
      'is not a data folder of som-bus, and holds other files',
    );
    expect(filesIn(path)).toEqual(before);
  });

  test('deletes what is ours beside our marker, and nothing else', () => {
    const path = folder();
    put(path, [...others, 'credentials.json', 'service.json', `roles/${'A'.repeat(20)}.json`]);
    writeFileSync(join(path, 'sombus.json'), '{"format":1}');
    const opened = open(path, true);
    opened.begin();
    opened.release();
    expect(filesIn(path).sort()).toEqual(
      ['.gitignore', 'kms', 'sombus.json', 'sqs', ...others].sort(),
    );
  });

  test.each([
    ['sombus.json', '{"name":"a tool of that name"}', 'sombus.json'],
    ['roles/editor.txt', 'x', 'roles'],
    ['service.json/x', 'x', 'service.json'],
  ])('deletes nothing beside our marker when %s is not as we write it', (name, text, named) => {
    const path = folder();
    put(path, ['credentials.json', name]);
    if (name !== 'sombus.json') writeFileSync(join(path, 'sombus.json'), '{"format":3}');
    writeFileSync(join(path, name), text);
    const before = filesIn(path);
    const opened = open(path, true);
    expect(() => opened.begin()).toThrow(
      `--fresh deletes nothing in ${path}, because ${named} is not`,
    );
    opened.release();
    expect(filesIn(path)).toEqual(before);
  });
});

test('git ignores a data folder', () => {
  const path = folder();
  const opened = open(path);
  opened.begin();
  opened.release();
  expect(readFileSync(join(path, '.gitignore'), 'utf8')).toBe('*\n');
});

test('a lock file that is not one is named', () => {
  const path = folder();
  writeFileSync(join(path, 'lock.sqlite'), 'x'.repeat(5_000));
  expect(() => open(path)).toThrow(
    /cannot be locked \(lock\.sqlite: file is not a database\): choose /,
  );
});

const holding = `
  const database = new (require('libsql'))(process.argv[1]);
  database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  console.log('locked');
  process.stdin.on('close', () => database.close()).resume();
`;

/** A process that holds a folder's lock, with a command in front. */
const holder = async (path: string, ...command: readonly string[]): Promise<ChildProcess> => {
  const [program = '', ...args] = [
    ...command,
    process.execPath,
    '-e',
    holding,
    join(path, 'lock.sqlite'),
  ];
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
};

const kill = async (child: ChildProcess): Promise<void> => {
  child.kill('SIGKILL');
  await once(child, 'close');
};

test('a process that is killed releases the folder', async () => {
  const path = folder();
  const child = await holder(path);
  expect(() => open(path, true)).toThrow('Another service');
  await kill(child);
  open(path).release();
});

const inNetwork = ['unshare', '--map-root-user', '--net'];
const lacks = needOf(
  spawnSync(inNetwork[0] ?? '', [...inNetwork.slice(1), 'true']).status === 0 ? [] : ['unshare'],
);

testUnless(
  lacks,
  'a process in another network, as in a container, locks the folder too',
  async () => {
    const path = folder();
    const child = await holder(path, ...inNetwork);
    expect(() => open(path, true)).toThrow('Another service');
    await kill(child);
    open(path).release();
  },
);
