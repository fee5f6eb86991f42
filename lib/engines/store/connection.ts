import { setImmediate } from 'node:timers';
import type Database from 'libsql';
import { isJsonObject } from '../../json/value.ts';

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

/*
 * NORMAL: SQLite appends a commit to the write-ahead log without waiting for the disk; `saved` flushes the log, off this
 * thread and for many commits at once (https://www.sqlite.org/pragma.html#pragma_synchronous). Checkpoints are ours, because
 * every page's checksum is noted before the page is written. After a transaction of an unusual size, the log is cut to 32 MB.
 */
const settings = (locking: 'EXCLUSIVE' | 'NORMAL') => `
  PRAGMA page_size = 4096;
  PRAGMA locking_mode = ${locking};
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

/** The path of a database without a file. */
export const inMemory = ':memory:';

/** Transactions that are committed together. */
class Group {
  /** How many changes were made before. */
  readonly changesBefore: number;
  readonly committed: Promise<void>;
  /** Why they were undone. */
  fault: unknown;
  resolve: () => void = () => undefined;
  #reject: (fault: unknown) => void = () => undefined;

  constructor(changesBefore: number) {
    this.changesBefore = changesBefore;
    this.committed = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.#reject = reject;
    });
    // Who changed something without waiting is not told.
    this.committed.catch(() => undefined);
  }

  reject(fault: unknown): void {
    this.fault = fault;
    this.#reject(fault);
  }
}

/**
 * Connections to files. None is ever garbage: libsql closes a connection that is, and SQLite copies the log into a database that nobody
 * else has open, whose checksums then do not match.
 */
const held = new Set<Database.Database>();

/** The statements of a connection and its transactions. */
export class Connection {
  readonly #database: Database.Database;
  readonly #statements = new Map<string, Statement<unknown>>();
  readonly #undoneListeners: (() => void)[] = [];
  #group: Group | undefined;
  /** Undone in this turn: who took part in it asks later. */
  #undone: Group | undefined;
  #isWithin = false;
  #isSealed = false;
  #changes = 0;

  constructor(path: string, locking: 'EXCLUSIVE' | 'NORMAL' = 'EXCLUSIVE') {
    this.#database = new (sqlite())(path);
    if (path !== inMemory) held.add(this.#database);
    this.#database.exec(settings(locking));
  }

  /** How many changes were committed. */
  get changes(): number {
    return this.#group?.changesBefore ?? this.#changes;
  }

  onUndone(listener: () => void): void {
    this.#undoneListeners.push(listener);
  }

  async committed(): Promise<void> {
    return (this.#undone ?? this.#group)?.committed;
  }

  sql(text: string): Statement<unknown> {
    this.#refuseIfSealed();
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
      run: (...values) => this.#execute(1, () => statement.run(values).changes),
      insert: (...values) => this.#execute(1, () => Number(statement.run(values).lastInsertRowid)),
      get: (...values) => this.#execute(writes, () => statement.get(values)),
      all: (...values) => this.#execute(writes, () => statement.all(values).map(withBytes)),
    };
  }

  exec(text: string): void {
    this.#execute(1, () => this.#database.exec(text));
  }

  /** After some faults SQLite rolls back everything by itself, also what others had done in this turn. */
  #execute<T>(changes: number, execute: () => T): T {
    this.#refuseIfSealed();
    if (changes > 0 && this.#undone !== undefined && !this.#database.inTransaction) throw this.#undone.fault;
    this.#changes += changes;
    try {
      return execute();
    } catch (fault) {
      if (this.#group !== undefined && !this.#database.inTransaction) this.#endTurn(this.#group, fault);
      throw fault;
    }
  }

  transaction<T>(work: () => T): T {
    if (this.#isWithin) return work();
    if (this.#undone !== undefined) throw this.#undone.fault;
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

  /**
   * Without a savepoint, so a throw after a change undoes the whole turn: with one, a message for ten queues takes 8 % longer.
   */
  #joining<T>(group: Group, work: () => T): T {
    const before = this.#changes;
    try {
      return work();
    } catch (fault) {
      if (this.#changes > before && this.#group === group) this.#endTurn(group, fault);
      throw fault;
    }
  }

  /** Undoes the turn, whose rest is refused. */
  #endTurn(group: Group, fault: unknown): void {
    this.#undone = group;
    setImmediate(() => {
      this.#undone = undefined;
    });
    this.#rollBack(group, fault);
  }

  /** Commits the transactions of this turn, if there are any. */
  commit(): void {
    const group = this.#group;
    if (group === undefined) return;
    this.#group = undefined;
    try {
      this.sql('COMMIT').run();
      group.resolve();
    } catch (fault) {
      this.#rollBack(group, fault);
    }
  }

  #rollBack(group: Group, fault: unknown): void {
    try {
      if (this.#database.inTransaction) this.sql('ROLLBACK').run();
    } finally {
      this.#undo(group, fault);
    }
  }

  #undo(group: Group, fault: unknown): void {
    this.#group = undefined;
    group.reject(fault);
    for (const listener of this.#undoneListeners) listener();
  }

  /** Commits what is ready for it, and refuses later statements: nobody would save what they change. */
  seal(): void {
    try {
      this.commit();
    } finally {
      this.#isSealed = true;
    }
  }

  #refuseIfSealed(): void {
    if (this.#isSealed) throw new Error('The database is closed.');
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
    held.delete(this.#database);
  }
}
