import fs, { copyFileSync, existsSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Disk,
  isNoRoom,
  openStore,
  problemIn,
  type Store,
  sqlite,
} from '../../../lib/local/engines/store.ts';
import { temporaryFolder } from '../../support/service-process.ts';

const folder = temporaryFolder();
afterAll(folder.remove);
let made = 0;

const newPath = (): string => {
  made += 1;
  return join(folder.path, `${made}.sqlite`);
};

const withTable = (path?: string, disk?: Disk): Store => {
  const store = openStore(path, disk);
  store.define(
    'CREATE TABLE IF NOT EXISTS things (name TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID, STRICT',
  );
  return store;
};

const put = (store: Store, name: string, value = Buffer.alloc(1_000, name)): void =>
  void store.sql('INSERT OR REPLACE INTO things VALUES (?, ?)').run(name, value);

const names = (store: Store): readonly string[] =>
  store
    .sql<{ readonly name: string }>('SELECT name FROM things ORDER BY name')
    .all()
    .map(({ name }) => name);

const tables = (store: Store): readonly string[] =>
  store
    .sql<{ readonly name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
    .all()
    .map(({ name }) => name);

/** The files of a store as a kill at this moment would leave them. */
const killed = (path: string): string => {
  const copy = newPath();
  copyFileSync(path, copy);
  if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
  return copy;
};

describe('a transaction', () => {
  test('that fails leaves nothing, even within another, and nothing of what others did is undone', () => {
    const store = withTable();
    store.transaction(() => put(store, 'before'));
    const failing = () =>
      store.transaction(() => {
        put(store, 'a');
        store.transaction(() => put(store, 'b'));
        throw new Error('no');
      });
    expect(failing).toThrow('no');
    store.transaction(() => put(store, 'later'));
    expect(names(store)).toEqual(['before', 'later']);
  });

  test('is committed when it returns', async () => {
    const path = newPath();
    const store = withTable(path);
    store.transaction(() => put(store, 'a'));
    const again = withTable(killed(path));
    expect(names(again)).toEqual(['a']);
    await Promise.all([again.close(), store.close()]);
  });

  test('whose commit fails is rolled back', () => {
    const store = withTable();
    // A reference that is only checked by the commit.
    store.define(`PRAGMA foreign_keys = ON;
      CREATE TABLE parts (thing TEXT REFERENCES things (name) DEFERRABLE INITIALLY DEFERRED)`);
    const failing = () =>
      store.transaction(() => {
        put(store, 'a');
        store.sql('INSERT INTO parts VALUES (?)').run('missing');
      });
    expect(failing).toThrow(/FOREIGN KEY/);
    store.transaction(() => put(store, 'b'));
    expect(names(store)).toEqual(['b']);
  });

  test('that SQLite itself rolls back, as it does when the disk is full, ends with its reason', () => {
    const store = withTable();
    put(store, 'a');
    const failing = () =>
      store.transaction(() => {
        put(store, 'b');
        store.sql('INSERT OR ROLLBACK INTO things VALUES (?, ?)').run('a', null);
      });
    expect(failing).toThrow(/UNIQUE/);
    store.transaction(() => put(store, 'c'));
    expect(names(store)).toEqual(['a', 'c']);
  });
});

describe('a disk without room', () => {
  const pages = (store: Store): number =>
    store.sql<{ readonly page_count: number }>('PRAGMA page_count').get()?.page_count ?? 0;
  const limitTo = (store: Store, count: number): void =>
    store.define(`PRAGMA max_page_count = ${count}`);
  const fill = (store: Store): void => put(store, 'large', Buffer.alloc(100_000));

  test('is told once, and as soon as a write finds none', () => {
    const store = withTable();
    const told: boolean[] = [];
    store.onFull(isFull => told.push(isFull));
    limitTo(store, pages(store));
    expect(() => fill(store)).toThrow(/full/);
    expect(() => store.transaction(() => fill(store))).toThrow(/full/);
    expect([told, store.isFull(), store.isFull()]).toEqual([[true], true, true]);
  });

  test('has room again when a write of some size succeeds', () => {
    const store = withTable();
    const told: boolean[] = [];
    limitTo(store, pages(store));
    expect(() => fill(store)).toThrow(/full/);
    const end = store.onFull(isFull => told.push(isFull));
    limitTo(store, pages(store) + 40);
    put(store, 'small');
    expect([told, store.isFull()]).toEqual([[], true]);
    limitTo(store, 100_000);
    expect([store.isFull(), told]).toEqual([false, [false]]);
    expect(tables(store)).toEqual(['things']);
    fill(store);
    expect(names(store)).toEqual(['large', 'small']);
    end();
    limitTo(store, pages(store));
    expect(() => put(store, 'more', Buffer.alloc(1_000_000))).toThrow(/full/);
    expect(told).toEqual([false]);
  });

  test('has room again for more than half a megabyte, which the largest request needs', () => {
    const store = withTable();
    limitTo(store, pages(store));
    expect(() => fill(store)).toThrow(/full/);
    const before = pages(store);
    let room = 0;
    while (store.isFull()) {
      room += 1;
      limitTo(store, before + room);
    }
    // 512 KB in pages of 4 KB, each with four bytes that are not the value's, and one of the table.
    expect(room).toBe(129);
  });

  test.each(['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_IOERR_SHMSIZE'])(
    'is what SQLite calls %s',
    code => expect(isNoRoom(Object.assign(new Error(), { code }))).toBe(true),
  );

  test.each([{ code: 'SQLITE_IOERR_READ' }, new Error('SQLITE_FULL'), undefined])(
    'is not %p',
    error => expect(isNoRoom(error)).toBe(false),
  );

  test('is no other failure of a write', () => {
    const store = withTable();
    expect(() => store.sql('INSERT INTO things VALUES (1, NULL, NULL)').run()).toThrow(/columns/);
    expect(store.isFull()).toBe(false);
  });
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

test('bytes can be the only value of a statement', () => {
  const store = withTable();
  put(store, 'a', Buffer.from('x'));
  const found = store.sql<{ readonly name: string }>('SELECT name FROM things WHERE value = ?');
  expect(found.get(Buffer.from('x'))?.name).toBe('a');
});

test('a platform without a binding is told so in a sentence', () => {
  const load = () => {
    throw new Error("Cannot find module '@libsql/plan9-mips'");
  };
  expect(() => sqlite(load)).toThrow(
    /^SQLite \(npm package libsql\) cannot be loaded on .*: run npm ci/,
  );
  expect(() => sqlite(load)).toThrow(
    expect.objectContaining({ cause: new Error("Cannot find module '@libsql/plan9-mips'") }),
  );
});

test('a statement is prepared once', () => {
  const store = withTable();
  const text = 'SELECT name FROM things';
  expect(store.sql(text)).toBe(store.sql(text));
  expect(store.sql(text)).not.toBe(store.sql(`${text} `));
});

test('a row that is added has its number', () => {
  const store = openStore();
  store.define('CREATE TABLE rows (id INTEGER PRIMARY KEY, name TEXT) STRICT');
  const add = store.sql('INSERT INTO rows (name) VALUES (?)');
  expect([add.insert('a'), add.insert('b')]).toEqual([1, 2]);
});

test('what is wrong in a database is told', async () => {
  const path = newPath();
  const store = withTable(path);
  for (let n = 0; n < 50; n += 1) put(store, `n${n}`);
  await store.close();
  const whole = fs.readFileSync(path);
  expect(problemIn(path)).toBeUndefined();
  const broken = newPath();
  // A page of the table is gone.
  writeFileSync(broken, whole.fill(0xff, 3 * 1024, 4 * 1024));
  expect(problemIn(broken)).toMatch(/\S/);
  expect(problemIn(join(folder.path, 'no folder', 'a.sqlite'))).toMatch(/unable to open/i);
});

test('a closed store refuses statements', async () => {
  const store = withTable();
  const prepared = store.sql('DELETE FROM things');
  await store.close();
  expect(() => store.define('DELETE FROM things')).toThrow('The database is closed.');
  expect(() => store.sql('DELETE FROM things')).toThrow('The database is closed.');
  expect(() => prepared.run()).toThrow('The database is closed.');
  expect(() => store.transaction(() => undefined)).toThrow('The database is closed.');
});

test('what was saved is there after a kill and after a stop, over several starts', async () => {
  const path = newPath();
  const first = withTable(path);
  put(first, 'a');
  await first.saved();
  const copy = killed(path);
  await first.close();
  for (const file of [path, copy]) {
    for (const name of ['x', 'y', 'z']) {
      const store = withTable(file);
      expect(names(store)).toHaveLength(1 + ['x', 'y', 'z'].indexOf(name));
      put(store, name);
      await store.close();
    }
    expect([statSync(file).mode & 0o777, existsSync(`${file}-wal`)]).toEqual([0o600, false]);
  }
});

test('a long log is copied into the database while the store is used', async () => {
  const path = newPath();
  const store = withTable(path);
  for (let round = 0; round < 30; round += 1) {
    store.transaction(() => {
      for (let index = 0; index < 100; index += 1)
        put(store, `n${round}-${index}`, Buffer.alloc(4_000));
    });
    await store.saved();
  }
  expect(statSync(`${path}-wal`).size).toBeLessThan(12 * 1024 * 1024);
  expect(statSync(path).size).toBeGreaterThan(5 * 1024 * 1024);
  const copy = killed(path);
  await store.close();
  for (const file of [path, copy]) {
    const again = withTable(file);
    expect(names(again)).toHaveLength(3_000);
    await again.close();
  }
});

test('commits after the last flush may be lost with the power, those before it not', async () => {
  const path = newPath();
  const store = withTable(path);
  put(store, 'flushed');
  await store.saved();
  const flushed = statSync(`${path}-wal`).size;
  put(store, 'not flushed');
  const copy = killed(path);
  await store.close();
  truncateSync(`${copy}-wal`, flushed + 1_000);
  const again = withTable(copy);
  expect(names(again)).toEqual(['flushed']);
  await again.close();
});

test('another program can read the database while it is used', async () => {
  const path = newPath();
  const store = withTable(path);
  put(store, 'a');
  const other = new (sqlite())(path, { readonly: true });
  expect(other.prepare('SELECT name FROM things').all()).toEqual([{ name: 'a' }]);
  put(store, 'b');
  expect(other.prepare('PRAGMA quick_check').all()).toEqual([{ quick_check: 'ok' }]);
  other.close();
  await store.close();
});

/** A disk whose flushes end when they are told to. */
const heldDisk = () => {
  const ends: (() => void)[] = [];
  const disk: Disk = { flush: () => new Promise(resolve => ends.push(resolve)) };
  return { disk, ends };
};

describe('a flush', () => {
  test('is shared by all who wait for one that began after their changes', async () => {
    const { disk, ends } = heldDisk();
    const store = withTable(newPath(), disk);
    const done: string[] = [];
    const save = (name: string) => {
      put(store, name);
      return store.saved().then(() => done.push(name));
    };
    const all = [save('a'), save('b'), save('c')];
    expect(ends).toHaveLength(1);
    ends.shift()?.();
    await all[0];
    expect(done).toEqual(['a']);
    expect(ends).toHaveLength(1);
    ends.shift()?.();
    await Promise.all(all);
    await store.saved();
    expect([done, ends.length]).toEqual([['a', 'b', 'c'], 0]);
    await store.close();
  });

  test.each<[string, (store: Store) => unknown]>([
    ['a statement', store => store.sql("INSERT INTO things VALUES ('a', NULL)").run()],
    ['a row', store => store.sql("INSERT INTO things VALUES ('a', NULL)").insert()],
    ['a row that is read', store => store.sql('DELETE FROM things RETURNING name').get()],
    [
      'rows that are read',
      store => store.sql(' UPDATE things SET value = NULL RETURNING name').all(),
    ],
    ['a definition', store => store.define('CREATE TABLE more (name TEXT) STRICT')],
  ])('is waited for after a change: %s', async (_what, change) => {
    const { disk, ends } = heldDisk();
    const store = withTable(newPath(), disk);
    const first = store.saved();
    ends.shift()?.();
    await first;
    change(store);
    const saved = store.saved();
    expect(ends).toHaveLength(1);
    ends.shift()?.();
    await saved;
    await store.close();
  });

  test('is not made for what only reads', async () => {
    const { disk, ends } = heldDisk();
    const store = withTable(newPath(), disk);
    const first = store.saved();
    ends.shift()?.();
    await first;
    store.sql('SELECT name FROM things').get();
    store.sql('\n  select name FROM things').all();
    expect(store.isFull()).toBe(false);
    await store.saved();
    expect(ends).toEqual([]);
    await store.close();
  });

  test('opens the log once, and closes it', async () => {
    const [opening, closing] = [jest.spyOn(fs, 'openSync'), jest.spyOn(fs, 'closeSync')];
    const path = newPath();
    const store = withTable(path);
    await store.saved();
    put(store, 'a');
    await store.saved();
    const at = opening.mock.calls.findIndex(([name]) => name === `${path}-wal`);
    const log = opening.mock.results[at]?.value;
    expect(opening.mock.calls.filter(([name]) => name === `${path}-wal`)).toHaveLength(1);
    expect(closing.mock.calls).not.toContainEqual([log]);
    await store.close();
    expect(closing.mock.calls).toContainEqual([log]);
    opening.mockRestore();
    closing.mockRestore();
  });

  test('fails with an error, whatever the disk says', async () => {
    const store = withTable(newPath(), { flush: () => Promise.reject('EIO') });
    await expect(store.saved()).rejects.toEqual(new Error('EIO'));
    expect(await store.failed).toEqual(new Error('EIO'));
    await expect(store.close()).rejects.toEqual(new Error('EIO'));
  });

  test('that failed once is never believed again, by those who were waiting neither', async () => {
    const broken = new Error('EIO: i/o error, fdatasync');
    let flushes = 0;
    const store = withTable(newPath(), {
      async flush() {
        flushes += 1;
        // A disk reports a failed write only once.
        if (flushes === 1) throw broken;
      },
    });
    const first = store.saved();
    put(store, 'a');
    const second = store.saved();
    await expect(first).rejects.toBe(broken);
    await expect(second).rejects.toBe(broken);
    await expect(store.saved()).rejects.toBe(broken);
    expect(await store.failed).toBe(broken);
    await expect(store.close()).rejects.toBe(broken);
  });
});
