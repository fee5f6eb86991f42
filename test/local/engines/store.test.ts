import { copyFileSync, existsSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { type Disk, openStore, type Store, sqlite } from '../../../lib/local/engines/store.ts';
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
});

test('a closed store refuses statements', async () => {
  const store = withTable();
  const prepared = store.sql('DELETE FROM things');
  await store.close();
  expect(() => store.define('DELETE FROM things')).toThrow('The database is closed.');
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
