import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { openDataFolder } from '../../lib/local/data-folder.ts';
import { version } from '../../package.json';
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
  const thrown = expect(() => open(path));
  thrown.toThrow(/cannot be locked \(lock\.sqlite: file is not a database\): choose /);
  thrown.toThrow(
    expect.objectContaining({ cause: expect.objectContaining({ code: 'SQLITE_NOTADB' }) }),
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

describe('what a data folder is', () => {
  const marker = (path: string, value: object | null) =>
    writeFileSync(join(path, 'sombus.json'), JSON.stringify(value));
  const ours = { format: 5, version };
  const parts = ['store.sqlite', 'credentials.json', 'demo-role.json'];
  /** A folder whose first start was complete, with some of its parts. */
  const seeded = (names: readonly string[] = parts, keys: readonly string[] = ['key']) => {
    const path = folder();
    marker(path, { ...ours, seeded: true });
    for (const name of names) writeFileSync(join(path, name), 'x');
    mkdirSync(join(path, 'roles'));
    for (const key of keys) writeFileSync(join(path, 'roles', key), 'x');
    return path;
  };
  /** What is said of a folder when a service begins. */
  const beginIn = (path: string, fresh = false): string => {
    const opened = open(path, fresh);
    try {
      opened.begin();
      return 'begun';
    } catch (error) {
      return String(error);
    } finally {
      opened.release();
    }
  };
  const markerOf = (path: string) => JSON.parse(readFileSync(join(path, 'sombus.json'), 'utf8'));

  test('is made with its parents, for its owner alone', () => {
    const path = join(folder(), 'a', 'b');
    const opened = open(path);
    for (const each of [dirname(path), path]) expect(statSync(each).mode & 0o777).toBe(0o700);
    expect([opened.path, opened.file('x.json')]).toEqual([path, join(path, 'x.json')]);
    opened.release();
    const loose = folder();
    chmodSync(loose, 0o755);
    open(loose).release();
    expect(statSync(loose).mode & 0o777).toBe(0o700);
  });

  test('cannot be made where a file is', () => {
    const path = join(folder(), 'file');
    writeFileSync(path, '');
    expect(() => open(join(path, 'data'))).toThrow(
      `The data folder ${join(path, 'data')} cannot be created (ENOTDIR): choose another one with --data.`,
    );
    expect(() => open(path)).toThrow(
      `The data folder ${path} cannot be created (EEXIST): choose another one with --data.`,
    );
  });

  test('is marked when a start begins, and again when the first one is complete', () => {
    const path = folder();
    const opened = open(path);
    expect(readdirSync(path).toSorted()).toEqual(['lock', 'lock.sqlite']);
    opened.begin();
    expect(markerOf(path)).toEqual(ours);
    writeFileSync(join(path, '.gitignore'), 'mine');
    opened.complete();
    expect(markerOf(path)).toEqual({ ...ours, seeded: true });
    for (const name of parts) writeFileSync(join(path, name), 'x');
    mkdirSync(join(path, 'roles'));
    writeFileSync(join(path, 'roles', 'key'), 'x');
    opened.begin();
    expect(markerOf(path)).toEqual({ ...ours, seeded: true });
    expect(readFileSync(join(path, '.gitignore'), 'utf8')).toBe('mine');
    opened.release();
  });

  test('has files of JSON, which only its owner reads', () => {
    const opened = open(folder());
    expect([opened.read('a.json'), opened.readHint('a.json')]).toEqual([undefined, undefined]);
    opened.write('a.json', { a: [1] });
    expect(readFileSync(opened.file('a.json'), 'utf8')).toBe('{\n  "a": [\n    1\n  ]\n}\n');
    expect(statSync(opened.file('a.json')).mode & 0o777).toBe(0o600);
    expect([opened.read('a.json'), opened.readHint('a.json')]).toEqual([{ a: [1] }, { a: [1] }]);
    writeFileSync(opened.file('a.json'), '{');
    expect(() => opened.read('a.json')).toThrow(`The file ${opened.file('a.json')} is damaged`);
    expect(opened.readHint('a.json')).toBeUndefined();
    opened.release();
  });

  test('loses what a crash left of a write, and nothing that is somebody else’s', () => {
    const path = seeded();
    for (const name of ['sombus.json.new', 'service.json.new', 'notes.txt.new'])
      writeFileSync(join(path, name), 'x');
    open(path).release();
    const left = readdirSync(path).filter(name => name.endsWith('.new'));
    expect(left).toEqual(['notes.txt.new']);
  });

  test('may have been begun by a start that ended before it was marked', () => {
    const path = folder();
    for (const name of ['lock', 'lock.new', 'sombus.json.new', '.gitignore'])
      writeFileSync(join(path, name), '');
    expect(beginIn(path)).toBe('begun');
  });

  test.each([
    ['sombus.json of it', { ...ours }, 'begun'],
    ['a newer one', { format: 6, version: '9.1.0-beta+1' }, 'som-bus 9.1.0-beta+1 (format 6)'],
    [
      'an older one',
      { format: 4 },
      'another version of som-bus, which noted no version (format 4)',
    ],
    [
      'one that is no version',
      { version: 'a b' },
      'another version of som-bus, which noted no version',
    ],
    [
      'one of another kind',
      { version: 'x'.repeat(41) },
      'another version of som-bus, which noted no version',
    ],
    ['nothing', null, 'another version of som-bus, which noted no version'],
    ['a list', [], 'another version of som-bus, which noted no version'],
  ])('says which version wrote it: %s', (_, written, writer) => {
    const path = folder();
    marker(path, written);
    const words = `StartRefusal: The data folder was written by ${writer}, and this is som-bus ${version}, which reads format 5 (${join(path, 'sombus.json')}): use that version, choose another folder with --data, or start over with --fresh.`;
    expect(beginIn(path)).toBe(writer === 'begun' ? writer : words);
    if (!Array.isArray(written)) return;
    writeFileSync(join(path, 'sombus.json'), '{');
    expect(beginIn(path)).toContain(`${join(path, 'sombus.json')} is damaged`);
  });

  test('is whole, or says what it has lost', () => {
    expect(beginIn(seeded())).toBe('begun');
    const lost = (path: string, names: string) =>
      `StartRefusal: The data folder ${path} has lost ${names}: restore`;
    for (const name of parts) {
      const path = seeded(parts.filter(one => one !== name));
      expect(beginIn(path)).toContain(lost(path, name));
      writeFileSync(join(path, name), '');
      expect(beginIn(path)).toContain(lost(path, name));
    }
    const keyless = seeded(parts.slice(1), []);
    expect(beginIn(keyless)).toContain(lost(keyless, 'store.sqlite, roles'));
    const unfinished = folder();
    marker(unfinished, ours);
    expect(beginIn(unfinished)).toBe('begun');
  });

  test('has a folder of roles, not a file', () => {
    const path = folder();
    marker(path, ours);
    writeFileSync(join(path, 'roles'), 'x');
    expect(beginIn(path)).toBe(
      `StartRefusal: ${join(path, 'roles')} is a file, not a folder: restore the data folder.`,
    );
    expect(beginIn(path, true)).toBe('begun');
    expect(readdirSync(path)).not.toContain('roles');
  });

  test('is as new after --fresh, whatever version wrote it', () => {
    const path = seeded();
    marker(path, { format: 1, seeded: true });
    const all = ['service.json', 'operator-key.json', 'newsroom', 'newsroom.env'];
    for (const name of [...all, 'store.sqlite-wal', 'store.sqlite-shm'])
      writeFileSync(join(path, name), 'x');
    writeFileSync(join(path, 'roles', `${'A'.repeat(20)}.json`), 'x');
    rmSync(join(path, 'roles', 'key'));
    expect(beginIn(path, true)).toBe('begun');
    expect(markerOf(path)).toEqual(ours);
    expect(readdirSync(path).toSorted()).toEqual(['.gitignore', 'lock.sqlite', 'sombus.json']);
    expect(beginIn(folder(), true)).toBe('begun');
  });

  test('is not emptied if a folder is where a file belongs, though it is empty', () => {
    const path = folder();
    marker(path, ours);
    mkdirSync(join(path, 'service.json'));
    expect(beginIn(path, true)).toContain('because service.json is not as som-bus writes it');
  });

  test('is left to others if it cannot be noted who has it', () => {
    const path = folder();
    mkdirSync(join(path, 'lock', 'x'), { recursive: true });
    expect(() => open(path)).toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
    rmSync(join(path, 'lock'), { recursive: true });
    open(path).release();
  });

  test('names the process that has it, as long as that runs', () => {
    const path = folder();
    const opened = open(path);
    expect(JSON.parse(readFileSync(join(path, 'lock'), 'utf8'))).toEqual({ pid: process.pid });
    const refusal = (who: string) =>
      `Another service${who} is using the data folder ${path}: stop it, or choose another folder with --data.`;
    expect(() => open(path)).toThrow(refusal(` (process ${process.pid})`));
    // The last process that Linux would start.
    for (const text of ['{"pid":4194304}', '{"pid":"1"}', '7', '']) {
      writeFileSync(join(path, 'lock'), text);
      expect(() => open(path)).toThrow(refusal(''));
    }
    opened.release();
  });
});
