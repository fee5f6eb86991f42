import fs, { copyFileSync, existsSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { sqlite } from '../../../lib/engines/store/connection.ts';
import {
  DamagedStore,
  type Disk,
  DurableLog,
  storeFiles,
  systemDisk,
} from '../../../lib/engines/store/durable-log.ts';
import { openStore } from '../../../lib/engines/store/store.ts';
import { temporaryFolder } from '../../support/service-process.ts';

const folder = temporaryFolder();
afterAll(folder.remove);
let made = 0;

const newPath = (): string => {
  made += 1;
  return join(folder.path, `${made}.sqlite`);
};

/** The files of a store as a crash at this moment leaves them. */
const crashed = (path: string): string => {
  const copy = newPath();
  for (const file of Object.values(storeFiles(path)))
    if (existsSync(file)) copyFileSync(file, file.replace(path, copy));
  return copy;
};

const namesIn = async (path: string): Promise<readonly string[]> => {
  const store = openStore(path);
  const rows = store.sql<{ readonly name: string }>('SELECT name FROM things ORDER BY name').all();
  await store.close();
  return rows.map(({ name }) => name);
};

const definition = 'CREATE TABLE things (name TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID, STRICT';

type Half = 'FULL' | 'TRUNCATE';

/** A durable log over a connection of its own, whose checkpoints do what `before` says first. */
const watchedLog = async (before: (half: Half, path: string) => void, disk: Disk = systemDisk) => {
  const path = newPath();
  const first = openStore(path);
  first.define(definition);
  await first.close();
  const database = new (sqlite())(path);
  database.exec(
    'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0',
  );
  const insert = database.prepare('INSERT INTO things VALUES (?, ?)');
  const writer = {
    changes: 0,
    commit: () => undefined,
    checkpoint(half: Half) {
      before(half, path);
      database.prepare(`PRAGMA wal_checkpoint(${half})`).get();
    },
  };
  const log = new DurableLog(storeFiles(path), writer, disk);
  return {
    path,
    log,
    put(...names: readonly string[]) {
      for (const name of names) insert.run([name, Buffer.alloc(4_000, name)]);
      writer.changes += 1;
    },
  };
};

const full = new Error('SQLite did not finish a checkpoint.');
const failingAt = (failing: Half) => (half: Half) => {
  if (half === failing) throw full;
};

/** More than a log holds before it starts over. */
const many = Array.from({ length: 2_200 }, (_, index) => `m${10_000 + index}`);

test.each(['FULL', 'TRUNCATE'] as const)(
  'a checkpoint whose %s half fails when the log is closed leaves a log that is read at the next start',
  async half => {
    const { path, log, put } = await watchedLog(failingAt(half));
    put('a', 'b', 'c');
    expect(await log.close()).toBe(false);
    expect(await namesIn(crashed(path))).toEqual(['a', 'b', 'c']);
  },
);

test('a checkpoint that fails in use loses nothing of before and of after', async () => {
  let failures = 0;
  const { path, log, put } = await watchedLog(() => {
    failures += 1;
    if (failures === 1) throw full;
  });
  put(...many);
  await log.saved();
  expect(failures).toBe(1);
  expect(await namesIn(crashed(path))).toEqual(many);
  put('n1');
  await log.saved();
  put('n2');
  await log.saved();
  expect(await namesIn(crashed(path))).toEqual([...many, 'n1', 'n2']);
  expect(await log.close()).toBe(true);
  expect(await namesIn(crashed(path))).toEqual([...many, 'n1', 'n2']);
});

test('a log that starts over is written over, and nothing of before it counts', async () => {
  const halves: Half[] = [];
  const { path, log, put } = await watchedLog(half => void halves.push(half));
  const size = () => statSync(storeFiles(path).log).size;
  put(...many);
  await log.saved();
  const before = size();
  expect([halves, await namesIn(crashed(path))]).toEqual([['FULL'], many]);
  await log.saved();
  for (const name of ['n1', 'n2']) {
    put(name);
    await log.saved();
    expect(size()).toBe(before);
  }
  expect(await namesIn(crashed(path))).toEqual([...many, 'n1', 'n2']);
  // Only the last two are in the log: without it they are missed.
  const cut = crashed(path);
  truncateSync(storeFiles(cut).log, 0);
  expect(() => openStore(cut)).toThrow(new DamagedStore(storeFiles(cut).log));
  expect(await log.close()).toBe(true);
  expect(halves).toEqual(['FULL', 'FULL', 'TRUNCATE']);
});

test('a checkpoint without room for its checksums changes nothing, and is made later', async () => {
  const halves: Half[] = [];
  const { path, log, put } = await watchedLog(half => void halves.push(half));
  put(...many);
  const { writeSync } = fs;
  const mark = 24;
  jest.spyOn(fs, 'writeSync').mockImplementation((file: number, ...rest: readonly unknown[]) => {
    if (Number(rest[2]) > mark) throw new Error('ENOSPC: no space left on device, write');
    return Reflect.apply(writeSync, fs, [file, ...rest]);
  });
  await log.saved();
  jest.restoreAllMocks();
  expect(halves).toEqual([]);
  put('n1');
  await log.saved();
  expect(await namesIn(crashed(path))).toEqual([...many, 'n1']);
  expect(await log.close()).toBe(true);
  expect(halves).toEqual(['FULL', 'TRUNCATE']);
  expect(await namesIn(crashed(path))).toEqual([...many, 'n1']);
});

describe('between the halves of a checkpoint', () => {
  /** Closes a log, and returns what a crash before each half leaves if it also takes the log away. */
  const withoutLog = async () => {
    const copies = new Map<Half, string>();
    const { log, put } = await watchedLog((half, path) => {
      const copy = crashed(path);
      rmSync(storeFiles(copy).log);
      copies.set(half, copy);
    });
    put('a', 'b', 'c');
    await log.close();
    return copies;
  };

  test('the log is needed until the database has everything, and not after', async () => {
    const copies = await withoutLog();
    const early = copies.get('FULL') ?? '';
    expect(() => openStore(early)).toThrow(new DamagedStore(storeFiles(early).log));
    expect(await namesIn(copies.get('TRUNCATE') ?? '')).toEqual(['a', 'b', 'c']);
  });
});

/** A disk whose flushes end when they are told to. */
const heldDisk = () => {
  const waiting: (() => void)[] = [];
  const disk: Disk = {
    flushNow: () => undefined,
    flush: () => new Promise(resolve => waiting.push(resolve)),
  };
  return { disk, waiting, release: () => waiting.shift()?.() };
};

describe('who asks while a flush runs', () => {
  test('waits for it if nothing was changed since', async () => {
    const { disk, waiting, release } = heldDisk();
    const { log, put } = await watchedLog(() => undefined, disk);
    put('a');
    const order: string[] = [];
    const first = log.saved().then(() => order.push('first'));
    const second = log.saved().then(() => order.push('second'));
    order.push('flushed');
    release();
    await Promise.all([first, second]);
    expect(order).toEqual(['flushed', 'first', 'second']);
    expect(waiting).toEqual([]);
  });

  test('waits for another, which all later ones share, if something was changed since', async () => {
    const { disk, waiting, release } = heldDisk();
    const { log, put } = await watchedLog(() => undefined, disk);
    put('a');
    const order: string[] = [];
    const first = log.saved().then(() => order.push('first'));
    put('b');
    const others = ['second', 'third'].map(name => log.saved().then(() => order.push(name)));
    expect(waiting).toHaveLength(1);
    release();
    await first;
    expect(waiting).toHaveLength(1);
    order.push('flushed again');
    release();
    await Promise.all(others);
    expect(order).toEqual(['first', 'flushed again', 'second', 'third']);
    await log.saved();
    expect(waiting).toEqual([]);
  });
});
