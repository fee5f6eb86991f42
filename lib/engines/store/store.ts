import { existsSync, rmSync, writeFileSync } from 'node:fs';
import type Database from 'libsql';
import { isJsonObject } from '../../json/value.ts';
import {
  checkFiles,
  completeFiles,
  DamagedStore,
  type Disk,
  DurableLog,
  type StoreFiles,
  storeFiles,
  systemDisk,
} from './durable-log.ts';
import { noteStamp } from './file-stamp.ts';
import { PageCheck } from './page-checksums.ts';

/** What SQLite stores in a column. Whole numbers up to 2^53. */
export type SqlValue = string | number | Uint8Array | null;

/** A prepared statement. Values are bound to `?`, in order, and copied: neither side keeps the other's bytes. */
export interface Statement<Row> {
  /** Returns how many rows it changed. */
  run(...values: readonly SqlValue[]): number;
  /** Adds a row and returns its INTEGER PRIMARY KEY: in half the time that RETURNING takes. */
  insert(...values: readonly SqlValue[]): number;
  /** The first row; undefined when there is none. */
  get(...values: readonly SqlValue[]): Row | undefined;
  all(...values: readonly SqlValue[]): readonly Row[];
}

/** The one database of the local service. Every call is synchronous; only {@link Store.saved} waits for the disk. */
export interface Store {
  /**
   * A statement, prepared once for each text. Rows are objects with the members of `Row`: tables are STRICT, so a column
   * has the type that it was declared with.
   */
  sql<Row = never>(text: string): Statement<Row>;
  /** Runs statements that return nothing, separated by semicolons: for tables and indexes. */
  define(text: string): void;
  /**
   * All or nothing: if `work` throws, none of its changes remain. A transaction within another is part of that one. Those of a
   * turn of the event loop are committed together at its end.
   */
  transaction<T>(work: () => T): T;
  /**
   * Resolves when every transaction so far is committed. Rejects if the disk did not take them: then all of that turn are undone,
   * and what they returned never was.
   */
  committed(): Promise<void>;
  /** Calls `forget` after transactions that had ended were undone. */
  onUndone(forget: () => void): void;
  /**
   * Resolves when everything that has been changed so far is on disk; callers that wait at the same time share a flush.
   * Whoever answers somebody outside this process waits for it first.
   */
  saved(): Promise<void>;
  /** Resolves with the reason if the disk failed to flush: what is on it is then unknown, and nothing can be answered. */
  readonly failed: Promise<Error>;
  /**
   * Checks some more of a database that nobody had touched since it was left, and that was therefore opened unchecked. Damage ends
   * the store: it is the reason of {@link Store.failed}.
   *
   * @returns whether there is more to check
   */
  check(): boolean;
  close(): Promise<void>;
}

/*
 * NORMAL: SQLite appends a commit to the write-ahead log without waiting for the disk; `saved` flushes the log, off this
 * thread and for many commits at once (https://www.sqlite.org/pragma.html#pragma_synchronous). Checkpoints are ours, because
 * every page's checksum is noted before the page is written.
 */
const settings = `
  PRAGMA page_size = 4096;
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA wal_autocheckpoint = 0;
  PRAGMA journal_size_limit = 33554432;
  PRAGMA cache_size = -32768;
  PRAGMA temp_store = MEMORY;
`;

/** libsql's `get` returns bytes as a Uint8Array, its `all` as an ArrayBuffer. */
const withBytes = (row: unknown): unknown => {
  const columns = row as Record<string, unknown>; // libsql returns rows as objects
  for (const name in columns) {
    const value = columns[name];
    if (value instanceof ArrayBuffer) columns[name] = new Uint8Array(value);
  }
  return columns;
};

/** Loaded on first use: its program is an npm package of its own for each platform, and most commands need none. */
const loadBinding = (): typeof Database => require('libsql');

/**
 * SQLite's binding.
 *
 * @throws when npm has none for this platform, in words for its user
 */
export const sqlite = (load: () => typeof Database = loadBinding): typeof Database => {
  try {
    return load();
  } catch (cause) {
    const platform = `${process.platform}-${process.arch}`;
    throw new Error(
      `SQLite (npm package libsql) cannot be loaded on ${platform}: run npm ci here, on a platform of its list`,
      {
        cause,
      },
    );
  }
};

/** Transactions that are committed together. */
class Group {
  /** How many changes were made before. */
  readonly changesBefore: number;
  readonly committed: Promise<void>;
  resolve: () => void = () => undefined;
  reject: (fault: unknown) => void = () => undefined;

  constructor(changesBefore: number) {
    this.changesBefore = changesBefore;
    this.committed = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // Who changed something without waiting is not told.
    this.committed.catch(() => undefined);
  }
}

/** The statements of a connection and its transactions. */
class Connection {
  readonly #database: Database.Database;
  readonly #statements = new Map<string, Statement<unknown>>();
  readonly #forget: (() => void)[] = [];
  #group: Group | undefined;
  #isWithin = false;
  #changes = 0;

  constructor(path: string) {
    this.#database = new (sqlite())(path);
    this.#database.exec(settings);
  }

  /** How many changes were committed. */
  get changes(): number {
    return this.#group?.changesBefore ?? this.#changes;
  }

  onUndone(forget: () => void): void {
    this.#forget.push(forget);
  }

  async committed(): Promise<void> {
    return this.#group?.committed;
  }

  sql(text: string): Statement<unknown> {
    const known = this.#statements.get(text) ?? this.#prepare(text);
    this.#statements.set(text, known);
    return known;
  }

  #prepare(text: string): Statement<unknown> {
    const statement = this.#database.prepare<[readonly SqlValue[]]>(text);
    // As one array: libsql ends the process when its only argument is bytes.
    // A statement that returns rows may also write.
    const writes = /^\s*SELECT\b/i.test(text) ? 0 : 1;
    return {
      run: (...values) => {
        this.#changes += 1;
        return statement.run(values).changes;
      },
      insert: (...values) => {
        this.#changes += 1;
        return Number(statement.run(values).lastInsertRowid);
      },
      get: (...values) => {
        this.#changes += writes;
        return statement.get(values);
      },
      all: (...values) => {
        this.#changes += writes;
        return statement.all(values).map(withBytes);
      },
    };
  }

  exec(text: string): void {
    this.#changes += 1;
    this.#database.exec(text);
  }

  transaction<T>(work: () => T): T {
    if (this.#isWithin) return work();
    this.#isWithin = true;
    try {
      return this.#group === undefined ? this.#first(work) : this.#joining(this.#group, work);
    } finally {
      this.#isWithin = false;
    }
  }

  #first<T>(work: () => T): T {
    const changesBefore = this.#changes;
    this.sql('BEGIN IMMEDIATE').run();
    try {
      const result = work();
      this.#group = new Group(changesBefore);
      setImmediate(() => this.commit());
      return result;
    } catch (fault) {
      // SQLite itself rolls back after some faults.
      if (this.#database.inTransaction) this.sql('ROLLBACK').run();
      throw fault;
    }
  }

  #joining<T>(group: Group, work: () => T): T {
    this.sql('SAVEPOINT one').run();
    try {
      const result = work();
      this.sql('RELEASE one').run();
      return result;
    } catch (fault) {
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK TO one; RELEASE one');
      else this.#undo(group, fault);
      throw fault;
    }
  }

  /** Commits the transactions of this turn, if there are any. */
  commit(): void {
    const group = this.#group;
    if (group === undefined) return;
    try {
      this.sql('COMMIT').run();
      this.#group = undefined;
      group.resolve();
    } catch (fault) {
      if (this.#database.inTransaction) this.sql('ROLLBACK').run();
      this.#undo(group, fault);
    }
  }

  #undo(group: Group, fault: unknown): void {
    this.#group = undefined;
    group.reject(fault);
    for (const forget of this.#forget) forget();
  }

  /** Copies the log into the database. `TRUNCATE` also empties it. Throws when the disk is full. */
  checkpoint(how: 'FULL' | 'TRUNCATE'): void {
    const row = this.#database.prepare(`PRAGMA wal_checkpoint(${how})`).get();
    if (!isJsonObject(row) || row['busy'] !== 0) throw new Error('SQLite did not finish a checkpoint.');
  }

  /**
   * libsql closes a database only when its statements are garbage: until then the file would stay locked. Without a log, SQLite
   * can give up its lock.
   *
   * @param logIsEmpty otherwise the log stays, with the lock, until the process ends: SQLite would copy it behind the checksums
   */
  close(logIsEmpty: boolean): void {
    if (!logIsEmpty) return;
    this.#database.exec(
      'PRAGMA journal_mode = DELETE; PRAGMA locking_mode = NORMAL; SELECT 1 FROM sqlite_schema',
    );
    this.#database.close();
  }
}

const memoryStore = (): Store => {
  const connection = new Connection(':memory:');
  return {
    ...statementsOf(connection),
    saved: () => connection.committed(),
    failed: new Promise(() => undefined),
    check: () => false,
    async close() {
      connection.commit();
      connection.close(true);
    },
  };
};

const statementsOf = (
  connection: Connection,
): Pick<Store, 'sql' | 'define' | 'transaction' | 'committed' | 'onUndone'> => ({
  sql: <Row>(text: string) => connection.sql(text) as Statement<Row>, // the caller says what its statement returns
  define: text => connection.exec(text),
  transaction: work => connection.transaction(work),
  committed: () => connection.committed(),
  onUndone: forget => connection.onUndone(forget),
});

/** Removes the files of a store that was never finished, from which nothing was answered. Only the owner may read the new one. */
const beginAnew = (files: StoreFiles): void => {
  for (const path of Object.values(files)) rmSync(path, { force: true });
  writeFileSync(files.database, '', { mode: 0o600 });
  new Connection(files.database).close(true);
  completeFiles(files);
};

/** @returns whether there is more to check */
const checkSome = (pages: PageCheck, log: DurableLog, database: string): boolean => {
  const found = pages.step();
  if (typeof found === 'number') log.fail(new DamagedStore(database));
  return found === 'more';
};

/**
 * Opens the database, creating it if absent. The caller holds the folder's lock.
 *
 * @param path undefined: in memory, for tests; `saved` then resolves at once
 * @throws DamagedStore when a file is not as it was left
 */
export const openStore = (path?: string, disk: Disk = systemDisk): Store => {
  if (path === undefined) return memoryStore();
  const files = storeFiles(path);
  const isNew = !existsSync(files.mark);
  if (isNew) beginAnew(files);
  const later = isNew ? undefined : checkFiles(files);
  const rewritten = { has: (page: number) => later?.rewritten.has(page) === true || log.holds(page) };
  const pages = later && new PageCheck(files.database, files.sums, rewritten);
  const connection = new Connection(path);
  const log = new DurableLog(files, connection, disk);
  noteStamp(files);
  return {
    ...statementsOf(connection),
    async saved() {
      await connection.committed();
      await log.saved();
    },
    failed: log.failed,
    check: () => pages !== undefined && checkSome(pages, log, files.database),
    async close() {
      connection.commit();
      const isEmpty = await log.close();
      connection.close(isEmpty);
      pages?.close();
      if (isEmpty) noteStamp(files);
    },
  };
};
