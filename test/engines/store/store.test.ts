import fs, {
  appendFileSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sqlite } from '../../../lib/engines/store/connection.ts';
import { DamagedStore, type Disk, storeFiles } from '../../../lib/engines/store/durable-log.ts';
import { noteStamp } from '../../../lib/engines/store/file-stamp.ts';
import { type Guard, openGuardedStore, openStore, type Store } from '../../../lib/engines/store/store.ts';
import { temporaryFolder } from '../../support/service-process.ts';

const folder = temporaryFolder();
afterAll(folder.remove);
let made = 0;

const newPath = (): string => {
  made += 1;
  return join(folder.path, `${made}.sqlite`);
};

const withTable = (path?: string): Store => {
  const store = openStore(path);
  store.define('CREATE TABLE IF NOT EXISTS things (name TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID, STRICT');
  return store;
};

const put = (store: Store, name: string, value = Buffer.alloc(1_000, name)): void =>
  void store.sql('INSERT OR REPLACE INTO things VALUES (?, ?)').run(name, value);

const names = (store: Store): readonly string[] =>
  store
    .sql<{ readonly name: string }>('SELECT name FROM things ORDER BY name')
    .all()
    .map(({ name }) => name);

const filesOf = (path: string) => [path, `${path}-wal`, `${path}-sums`, `${path}-mark`] as const;

const copyFiles = (from: string, to: string): void => {
  for (const file of filesOf(from)) copyFileSync(file, file.replace(from, to));
};

/** The files of a store as a killed process leaves them: the last changes are only in the log. */
const killed = async (fill: (store: Store) => void): Promise<string> => {
  const path = newPath();
  const store = withTable(path);
  fill(store);
  await store.saved();
  const copy = newPath();
  copyFiles(path, copy);
  await store.close();
  return copy;
};

/** The files of a store that was closed, with a database of some pages. */
const closed = async (): Promise<string> => {
  const path = newPath();
  const store = withTable(path);
  for (let index = 0; index < 50; index += 1) put(store, `n${index}`);
  await store.close();
  return path;
};

const fill = (count: number) => (store: Store) => {
  for (let index = 0; index < count; index += 1) put(store, `n${index}`);
};

describe('a transaction', () => {
  test('leaves nothing when it fails, even within another', () => {
    const store = withTable();
    const failing = () =>
      store.transaction(() => {
        put(store, 'a');
        store.transaction(() => put(store, 'b'));
        throw new Error('no');
      });
    expect(failing).toThrow('no');
    expect(names(store)).toEqual([]);
    store.transaction(() => put(store, 'c'));
    expect(names(store)).toEqual(['c']);
  });
});

const nextTurn = () => new Promise(resolve => setImmediate(resolve));

describe('transactions of one turn', () => {
  test('are committed together, without those that threw before they changed anything', async () => {
    const path = newPath();
    const store = withTable(path);
    store.transaction(() => put(store, 'a'));
    expect(() =>
      store.transaction(() => {
        if (names(store).includes('a')) throw new Error('no');
        put(store, 'b');
      }),
    ).toThrow('no');
    store.transaction(() => put(store, 'c'));
    expect(names(store)).toEqual(['a', 'c']);
    const before = newPath();
    copyFiles(path, before);
    await store.committed();
    const after = newPath();
    copyFiles(path, after);
    await store.close();
    const [uncommitted, committed] = [withTable(before), withTable(after)];
    expect([names(uncommitted), names(committed)]).toEqual([[], ['a', 'c']]);
    await Promise.all([uncommitted.close(), committed.close()]);
  });

  test('are all undone when one throws after a change, whoever asks in that turn is told, and the rest is refused', async () => {
    const store = withTable(newPath());
    const forget = jest.fn();
    store.onUndone(forget);
    store.transaction(() => put(store, 'a'));
    const asked = store.committed();
    const throwing = () =>
      store.transaction(() => {
        put(store, 'b');
        throw new Error('no');
      });
    expect(throwing).toThrow('no');
    expect([names(store), forget.mock.calls.length]).toEqual([[], 1]);
    expect(() => store.transaction(() => put(store, 'c'))).toThrow('no');
    expect(() => put(store, 'c')).toThrow('no');
    const later = [store.committed(), store.saved()];
    for (const told of [asked, ...later]) await expect(told).rejects.toThrow('no');
    await nextTurn();
    await store.committed();
    store.transaction(() => put(store, 'd'));
    await store.saved();
    expect(names(store)).toEqual(['d']);
    await store.close();
  });

  test('are all undone when their commit fails, and those who waited are told', async () => {
    const store = withTable(newPath());
    // A reference that is only checked by the commit.
    store.define(`PRAGMA foreign_keys = ON;
      CREATE TABLE parts (thing TEXT REFERENCES things (name) DEFERRABLE INITIALLY DEFERRED)`);
    const forget = jest.fn();
    store.onUndone(forget);
    store.transaction(() => put(store, 'a'));
    store.transaction(() => store.sql('INSERT INTO parts VALUES (?)').run('missing'));
    const [committed, saved] = await Promise.allSettled([store.committed(), store.saved()]);
    expect([committed.status, saved.status]).toEqual(['rejected', 'rejected']);
    expect(names(store)).toEqual([]);
    expect(forget).toHaveBeenCalledTimes(1);
    store.transaction(() => put(store, 'b'));
    await store.saved();
    expect(names(store)).toEqual(['b']);
    await store.close();
  });
});

test('a statement that makes SQLite roll back everything undoes the whole turn at once', async () => {
  const store = withTable(newPath());
  await store.saved();
  const undone = jest.fn();
  store.onUndone(undone);
  store.transaction(() => put(store, 'a'));
  put(store, 'b');
  // As SQLite does by itself when the disk is full.
  const rollingBack = store.sql('INSERT OR ROLLBACK INTO things VALUES (?, ?)');
  expect(() => rollingBack.run('a', null)).toThrow(/UNIQUE/);
  expect(undone).toHaveBeenCalledTimes(1);
  await expect(store.committed()).rejects.toThrow(/UNIQUE/);
  await nextTurn();
  store.transaction(() => put(store, 'c'));
  await store.saved();
  expect(names(store)).toEqual(['c']);
  store.transaction(() => put(store, 'd'));
  expect(() => store.transaction(() => rollingBack.run('c', null))).toThrow(/UNIQUE/);
  expect([undone.mock.calls.length, names(store)]).toEqual([2, ['c']]);
  await store.close();
});

test('transactions are committed under fake timers, too', async () => {
  jest.useFakeTimers();
  const store = withTable(newPath());
  store.transaction(() => put(store, 'a'));
  await store.saved();
  jest.useRealTimers();
  await store.close();
});

test('a store in memory is gone when it is closed', async () => {
  const store = withTable();
  await store.close();
  expect(() => store.define('DELETE FROM things')).toThrow('The database is closed.');
});

/** As the other thread would have the database open. */
const guard: Guard = { hold: async () => undefined, release: async () => void (await nextTurn()) };

test.each([
  ['a thread of its own', (path: string) => openGuardedStore(path, guard)],
  ['this thread', async (path: string) => openStore(path)],
])('what comes while a store in %s closes, or after it, is refused, and damages nothing', async (_, open) => {
  const path = newPath();
  const store = await open(path);
  store.define('CREATE TABLE things (name TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID, STRICT');
  store.transaction(() => put(store, 'before'));
  let isClosing = true;
  const closing = store.close().finally(() => {
    isClosing = false;
  });
  const refused: string[] = [];
  const attempt = (name: string) => {
    try {
      store.transaction(() => put(store, name));
    } catch (fault) {
      refused.push(String(fault));
    }
  };
  let attempts = 1;
  for (; isClosing; attempts += 1) {
    attempt(`during ${attempts}`);
    await nextTurn();
  }
  await closing;
  attempt('after');
  expect(refused).toEqual(Array(attempts).fill('Error: The database is closed.'));
  expect(() => store.sql('SELECT 1')).toThrow('The database is closed.');
  const reopened = withTable(path);
  expect(names(reopened)).toEqual(['before']);
  await reopened.close();
});

test('a start that fails after a kill leaves the files as they were, also when its connection could be garbage', async () => {
  const path = await killed(fill(20));
  const bytes = () => filesOf(path).map(file => readFileSync(file, 'base64'));
  const before = bytes();
  mkdirSync(`${path}-stamp`);
  expect(() => openStore(path)).toThrow(/directory/);
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  for (let turn = 0; turn < 3; turn += 1) {
    collectGarbage();
    await nextTurn();
  }
  expect(bytes()).toEqual(before);
});

test('values are copied in and out', () => {
  const store = withTable();
  const value = Buffer.from('before');
  put(store, 'a', value);
  value.fill('x');
  const read = store.sql<{ readonly value: Uint8Array }>('SELECT value FROM things');
  read.get()?.value.fill(0);
  expect(Buffer.from(read.get()?.value ?? []).toString()).toBe('before');
  expect(read.all().map(row => Buffer.from(row.value).toString())).toEqual(['before']);
});

test('what was saved is there after a kill and after a stop, over several starts', async () => {
  const path = await killed(fill(20));
  for (const name of ['x', 'y', 'z']) {
    const store = withTable(path);
    expect(names(store)).toHaveLength(20 + ['x', 'y', 'z'].indexOf(name));
    put(store, name);
    await store.close();
  }
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a long log is copied into the database while the store is used', async () => {
  const path = newPath();
  const store = withTable(path);
  for (let round = 0; round < 30; round += 1) {
    store.transaction(() => {
      for (let index = 0; index < 100; index += 1) put(store, `n${round}-${index}`, Buffer.alloc(4_000));
    });
    await store.saved();
  }
  expect(statSync(`${path}-wal`).size).toBeLessThan(10 * 1024 * 1024);
  expect(statSync(path).size).toBeGreaterThan(5 * 1024 * 1024);
  const copy = newPath();
  copyFiles(path, copy);
  await store.close();
  for (const file of [path, copy]) {
    const again = withTable(file);
    expect(names(again)).toHaveLength(3_000);
    await again.close();
  }
});

test('a store whose first start was cut short begins anew', async () => {
  const path = await closed();
  rmSync(`${path}-mark`);
  const store = withTable(path);
  expect(names(store)).toEqual([]);
  await store.close();
});

/**
 * Runs `work` on a machine that loses its power at a step: what a file grew by since its last flush is gone. A short write
 * within a file is done or not.
 */
const withPowerCut = (step: number, work: () => void): boolean => {
  const names = new Map<number, string>();
  const flushed = new Map<string, number>();
  let steps = 0;
  const cutAt = () => {
    steps += 1;
    if (steps > step) throw new Error('power cut');
  };
  const { openSync, writeSync, fdatasyncSync, renameSync } = fs;
  jest.spyOn(fs, 'openSync').mockImplementation((path, flags, mode) => {
    if (flags !== 'r') cutAt();
    const file = openSync(path, flags, mode);
    names.set(file, String(path));
    if (flags === 'w+') flushed.set(String(path), 0);
    return file;
  });
  jest.spyOn(fs, 'writeSync').mockImplementation((file: number, ...rest: readonly unknown[]) => {
    cutAt();
    return Reflect.apply(writeSync, fs, [file, ...rest]);
  });
  jest.spyOn(fs, 'fdatasyncSync').mockImplementation(file => {
    cutAt();
    fdatasyncSync(file);
    flushed.set(names.get(file) ?? '', fs.fstatSync(file).size);
  });
  jest.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
    cutAt();
    renameSync(from, to);
    flushed.set(String(to), flushed.get(String(from)) ?? 0).delete(String(from));
  });
  try {
    work();
    return false;
  } catch {
    return true;
  } finally {
    jest.restoreAllMocks();
    for (const [path, size] of flushed) truncateSync(path, size);
  }
};

test('a power cut at any step of the first start leaves a store that begins anew', async () => {
  let cuts = 0;
  for (let isCut = true; isCut; cuts += 1) {
    const path = newPath();
    isCut = withPowerCut(cuts, () => void openStore(path));
    // The connection that was cut off still has its lock here.
    const left = newPath();
    for (const [index, file] of filesOf(path).entries())
      if (fs.existsSync(file)) copyFileSync(file, filesOf(left)[index] ?? '');
    const store = withTable(left);
    put(store, 'a');
    await store.close();
    expect(names(withTable(left))).toEqual(['a']);
  }
  expect(cuts).toBeGreaterThan(6);
});

const flip = (path: string, at: number): void => {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 16;
  writeFileSync(path, bytes);
};

const zero = (path: string, from: number, length: number): void => {
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0, from, from + length));
};

const sizeOf = (path: string): number => statSync(path).size;

describe('damage is found before anything is read:', () => {
  test.each<[string, (path: string) => void]>([
    ['a bit of a page', path => flip(path, 9_000)],
    ['the first page', path => flip(path, 60)],
    ['the last byte', path => flip(path, sizeOf(path) - 1)],
    ['a page of zeros', path => zero(path, 8_192, 4_096)],
    ['a database that was cut between pages', path => truncateSync(path, sizeOf(path) - 4_096)],
    ['a database that was cut within a page', path => truncateSync(path, sizeOf(path) - 100)],
    ['an empty database', path => truncateSync(path)],
    ['a database that is gone', path => rmSync(path)],
    ['more pages', path => appendFileSync(path, Buffer.alloc(4_096))],
    ['the checksums', path => flip(`${path}-sums`, 20)],
    ['checksums that are gone', path => rmSync(`${path}-sums`)],
    ['the mark', path => flip(`${path}-mark`, 3)],
    ['an empty mark', path => truncateSync(`${path}-mark`)],
  ])('%s, after a stop', async (_what, damage) => {
    const path = await closed();
    damage(path);
    expect(() => openStore(path)).toThrow(DamagedStore);
  });

  test.each<[string, (path: string) => void]>([
    ['the header of the log', path => flip(`${path}-wal`, 20)],
    ['a bit in the middle of the log', path => flip(`${path}-wal`, sizeOf(`${path}-wal`) / 2)],
    ['the last byte of the log', path => flip(`${path}-wal`, sizeOf(`${path}-wal`) - 1)],
    ['a log that was cut', path => truncateSync(`${path}-wal`, sizeOf(`${path}-wal`) - 4_120)],
    ['an empty log', path => truncateSync(`${path}-wal`)],
    ['a log that is gone', path => rmSync(`${path}-wal`)],
    ['zeros in the log', path => zero(`${path}-wal`, 32, 500)],
    ['the mark', path => flip(`${path}-mark`, 8)],
  ])('%s, after a kill', async (_what, damage) => {
    const path = await killed(fill(20));
    damage(path);
    expect(() => openStore(path)).toThrow(DamagedStore);
  });

  test('an older copy of the database, after a stop and after a kill', async () => {
    const path = await closed();
    const older = newPath();
    copyFileSync(path, older);
    const store = withTable(path);
    put(store, 'later');
    await store.close();
    const newer = newPath();
    cpSync(path, newer);
    copyFileSync(older, path);
    expect(() => openStore(path)).toThrow(`${path} is damaged, or is an older copy`);
    copyFileSync(newer, path);
    expect(names(withTable(path))).toContain('later');
  });

  test('an older copy of the log', async () => {
    const path = newPath();
    const store = withTable(path);
    put(store, 'a');
    await store.saved();
    const older = newPath();
    copyFileSync(`${path}-wal`, older);
    put(store, 'b');
    await store.saved();
    const copy = newPath();
    copyFiles(path, copy);
    await store.close();
    copyFileSync(older, `${copy}-wal`);
    expect(() => openStore(copy)).toThrow(`${copy}-wal is damaged`);
  });
});

describe('a database that nobody has touched is checked while it is used:', () => {
  /** As if the disk had changed a byte by itself: the file system knows of no change. */
  const rotten = async (): Promise<string> => {
    const path = await closed();
    const file = readFileSync(path);
    file.writeUInt8(file.readUInt8(file.length - 100) ^ 1, file.length - 100);
    writeFileSync(path, file);
    noteStamp(storeFiles(path));
    return path;
  };

  test('damage ends the store, which then saves nothing', async () => {
    const path = await rotten();
    const store = openStore(path);
    expect(store.check()).toBe(false);
    await expect(store.failed).resolves.toBeInstanceOf(DamagedStore);
    await expect(store.saved()).rejects.toThrow(DamagedStore);
  });

  test('pages that are written meanwhile are no damage', async () => {
    const path = await closed();
    const store = openStore(path);
    const insert = store.sql('INSERT INTO things VALUES (?, ?)');
    for (let count = 0; count < 20; count += 1) {
      store.transaction(() => {
        for (let row = 0; row < 50; row += 1) insert.run(`more-${count}-${row}`, new Uint8Array(20_000));
      });
      await store.saved();
      store.check();
    }
    const failed = await Promise.race([store.failed, Promise.resolve('intact')]);
    expect(failed).toBe('intact');
    await store.close();
    expect(() => openStore(path)).not.toThrow();
  });

  test('what is as it was left has no more to check after the last page', async () => {
    const store = openStore(await closed());
    let steps = 0;
    while (store.check()) steps += 1;
    expect(steps).toBeLessThan(10);
    await store.close();
  });
});

test('commits after the last flush may be lost, and are no damage', async () => {
  const path = newPath();
  const store = withTable(path);
  put(store, 'flushed');
  await store.saved();
  const flushed = sizeOf(`${path}-wal`);
  put(store, 'not flushed');
  const copy = newPath();
  copyFiles(path, copy);
  await store.close();
  truncateSync(`${copy}-wal`, flushed + 1_000);
  const again = withTable(copy);
  expect(names(again)).toEqual(['flushed']);
  await again.close();
});

test('a platform without a binding is told so in a sentence', () => {
  const load = () => {
    throw new Error("Cannot find module '@libsql/plan9-mips'");
  };
  expect(() => sqlite(load)).toThrow(/^SQLite \(npm package libsql\) cannot be loaded on .*: run npm ci/);
});

test('bytes can be the only value of a statement', () => {
  const store = withTable();
  put(store, 'a', Buffer.from('x'));
  const found = store.sql<{ readonly name: string }>('SELECT name FROM things WHERE value = ?');
  expect(found.get(Buffer.from('x'))?.name).toBe('a');
});

describe('a disk that fails to flush once', () => {
  const broken = new Error('EIO: i/o error, fdatasync');

  /** Fails the flush of this number, as a disk does: it reports a failed write only once. */
  const failing = (which: number): Disk => {
    let flushes = 0;
    return {
      flushNow: () => undefined,
      async flush() {
        flushes += 1;
        if (flushes === which) throw broken;
      },
    };
  };

  test('is never believed again, by those who were waiting neither', async () => {
    const store = openStore(newPath(), failing(1));
    store.define('CREATE TABLE things (name TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID, STRICT');
    const first = store.saved();
    put(store, 'a');
    const second = store.saved();
    await expect(first).rejects.toBe(broken);
    await expect(second).rejects.toBe(broken);
    await expect(store.saved()).rejects.toBe(broken);
    expect(await store.failed).toBe(broken);
    await expect(store.close()).rejects.toBe(broken);
  });

  test('before the log is copied, is not believed either', async () => {
    const flushNow = () => {
      throw broken;
    };
    const store = openStore(newPath(), { flush: async () => undefined, flushNow });
    store.define('CREATE TABLE things (name TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID, STRICT');
    await expect(store.close()).rejects.toBe(broken);
    expect(await store.failed).toBe(broken);
  });
});

test('a log that another program removed is noticed: nothing in it can be answered', async () => {
  const path = newPath();
  const store = withTable(path);
  put(store, 'a');
  await store.saved();
  rmSync(`${path}-wal`);
  put(store, 'b');
  await expect(store.saved()).rejects.toThrow(`another program removed ${path}-wal`);
});

test('a store that was opened after a kill, and not changed, can be closed and opened again', async () => {
  const path = await killed(fill(5));
  await openStore(path).close();
  const store = openStore(path);
  expect(names(store)).toHaveLength(5);
  await store.close();
});

test('a page that a kill left half written is taken from the log', async () => {
  const path = await killed(fill(20));
  appendFileSync(path, Buffer.alloc(1_000, 7));
  const store = openStore(path);
  expect(names(store)).toHaveLength(20);
  await store.close();
});

test('an older log beside a store that was closed is refused', async () => {
  const path = await killed(fill(5));
  const older = newPath();
  copyFileSync(`${path}-wal`, older);
  const store = withTable(path);
  put(store, 'later');
  await store.close();
  copyFileSync(older, `${path}-wal`);
  expect(() => openStore(path)).toThrow(`${path}-wal is damaged, or is an older copy`);
});

test('another version of SQLite may leave its number in the first page', async () => {
  const path = await closed();
  const bytes = readFileSync(path);
  bytes.writeUInt32BE(3_046_000, 96);
  writeFileSync(path, bytes);
  const store = openStore(path);
  expect(names(store)).toHaveLength(50);
  await store.close();
});

test('a new store is locked against other programs', async () => {
  const path = newPath();
  const store = withTable(path);
  const other = new (sqlite())(path);
  expect(() => other.exec('DELETE FROM things')).toThrow(/locked/);
  await store.close();
});
