import { closeSync, fdatasync, openSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type Database from 'libsql';
import { errorCode, errorMessage } from './machine.ts';

export type SqlValue = string | number | Uint8Array | null;

/**
 * A prepared statement. Values are bound to `?`, in order, and copied: neither side keeps the
 * other's bytes.
 */
export interface SqlStatement<Row> {
  run(...values: readonly SqlValue[]): number;
  /** Adds a row and returns its INTEGER PRIMARY KEY: in half the time that RETURNING takes. */
  insert(...values: readonly SqlValue[]): number;
  get(...values: readonly SqlValue[]): Row | undefined;
  all(...values: readonly SqlValue[]): readonly Row[];
}

export type FullListener = (isFull: boolean) => void;

export interface Store {
  /**
   * A statement, prepared once for each text. Rows are objects with the members of `Row`: tables
   * are STRICT, so a column has the type that it was declared with.
   */
  sql<Row = never>(text: string): SqlStatement<Row>;
  define(text: string): void;
  /**
   * All or nothing: if `work` throws, none of its changes remain. It is committed when this
   * returns; a transaction within another is part of that one. Memory that mirrors the database
   * changes after the outermost one.
   */
  transaction<T>(work: () => T): T;
  /**
   * Resolves when everything committed so far is on disk; callers that wait at the same time share
   * a flush. Whoever responds to somebody outside this process waits for it first.
   */
  saved(): Promise<void>;
  /** Whether the last write found no room. If so, another write is tried first. */
  isFull(): boolean;
  /**
   * Calls a listener when a write finds no room, and when there is room again.
   *
   * @returns what ends that
   */
  onFull(listener: FullListener): () => void;
  /**
   * Resolves with the reason if the disk failed to flush: what is on it is then unknown, and
   * nothing is saved any more.
   */
  readonly failed: Promise<Error>;
  close(): Promise<void>;
}

/*
 * NORMAL: SQLite appends a commit to the write-ahead log without waiting for the disk; `saved`
 * flushes the log, off this thread and for many commits at once
 * (https://www.sqlite.org/pragma.html#pragma_synchronous). SQLite itself syncs the log before it
 * copies it into the database, the database after that, and the header of a log that starts over:
 * so whatever was committed is in the database, or in the part of the log that the next flush
 * covers. After a transaction of an unusual size, the log is cut to 32 MB.
 *
 * Pages of 4 KB: those of 1 KB more than halve what a publish writes to the log, but there are more
 * of them, which costs a tenth of the publishes a second. A file keeps the size it was made with.
 */
const settings = `
  PRAGMA page_size = 4096;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA wal_autocheckpoint = 2000;
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

/**
 * Loaded on first use: its program is an npm package of its own for each platform, and most
 * commands need none.
 */
const loadBinding = (): typeof Database => require('libsql');

/** SQLite's binding. @throws when npm has none for this platform, in words for its user */
export const sqlite = (load: () => typeof Database = loadBinding): typeof Database => {
  try {
    return load();
  } catch (cause) {
    const platform = `${process.platform}-${process.arch}`;
    throw new Error(
      `SQLite (npm package libsql) cannot be loaded on ${platform}: run npm ci here, on a ` +
        'platform of its list',
      { cause },
    );
  }
};

const inMemory = ':memory:';

export interface Disk {
  flush(file: number): Promise<void>;
}

export const systemDisk: Disk = { flush: promisify(fdatasync) };

class LogFlusher {
  readonly #path: string;
  readonly #disk: Disk;
  #log: number | undefined;
  readonly #changes: () => number;
  #flushed = 0;
  #running: Promise<void> | undefined;
  #failure: Error | undefined;
  #tellFailure: (error: Error) => void = () => undefined;
  readonly failed = new Promise<Error>(resolve => {
    this.#tellFailure = resolve;
  });

  /** @param changes how many there were so far */
  constructor(path: string, disk: Disk, changes: () => number) {
    this.#path = path;
    this.#disk = disk;
    this.#changes = changes;
  }

  async saved(): Promise<void> {
    const wanted = this.#changes();
    while (this.#flushed < wanted) {
      this.#running ??= this.#run().finally(() => {
        this.#running = undefined;
      });
      await this.#running;
    }
  }

  close(): void {
    if (this.#log !== undefined) closeSync(this.#log);
  }

  async #run(): Promise<void> {
    // A disk reports a failed write once: after it, a flush that succeeds says nothing.
    if (this.#failure) throw this.#failure;
    const changes = this.#changes();
    try {
      // SQLite locks the database's own file, never the log: closing this one would release
      // nothing.
      this.#log ??= openSync(this.#path, 'r');
      await this.#disk.flush(this.#log);
    } catch (cause) {
      this.#failure = cause instanceof Error ? cause : new Error(String(cause));
      this.#tellFailure(this.#failure);
      throw this.#failure;
    }
    this.#flushed = changes;
  }
}

/** How SQLite reports that the disk, a quota or a limit of the process has no room for a write. */
const noRoomCodes: readonly (string | undefined)[] = [
  'SQLITE_FULL',
  'SQLITE_IOERR_WRITE',
  'SQLITE_IOERR_SHMSIZE',
];

export const isNoRoom = (error: unknown): boolean => noRoomCodes.includes(errorCode(error));

/**
 * Enough for any request: after a trial of this size, the next write does not fill the disk at
 * once.
 */
const trialBytes = 512 * 1024;

class Room {
  #isFull = false;
  readonly #listeners = new Set<FullListener>();

  get isFull(): boolean {
    return this.#isFull;
  }

  set(isFull: boolean): void {
    if (isFull === this.#isFull) return;
    this.#isFull = isFull;
    for (const listener of [...this.#listeners]) listener(isFull);
  }

  listen(listener: FullListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/** Never garbage, which libsql would close. */
const unclosed = new Set<Database.Database>();

class Connection {
  readonly #database: Database.Database;
  readonly #statements = new Map<string, SqlStatement<unknown>>();
  #isWithin = false;
  #isClosed = false;
  #changes = 0;
  readonly room = new Room();

  constructor(path: string) {
    this.#database = new (sqlite())(path);
    this.#database.exec(settings);
  }

  get changes(): number {
    return this.#changes;
  }

  sql(text: string): SqlStatement<unknown> {
    if (this.#isClosed) throw new Error('The database is closed.');
    const known = this.#statements.get(text) ?? this.#prepare(text);
    this.#statements.set(text, known);
    return known;
  }

  #prepare(text: string): SqlStatement<unknown> {
    // As one array: libsql ends the process when its only argument is bytes.
    const statement = this.#database.prepare<[readonly SqlValue[]]>(text);
    // A statement that returns rows may also write.
    const writes = !/^\s*SELECT\b/i.test(text);
    return {
      run: (...values) => this.#execute(true, () => statement.run(values).changes),
      insert: (...values) =>
        this.#execute(true, () => Number(statement.run(values).lastInsertRowid)),
      get: (...values) => this.#execute(writes, () => statement.get(values)),
      all: (...values) => this.#execute(writes, () => statement.all(values).map(withBytes)),
    };
  }

  define(text: string): void {
    this.#execute(true, () => this.#database.exec(text));
  }

  #execute<T>(writes: boolean, execute: () => T): T {
    if (this.#isClosed) throw new Error('The database is closed.');
    if (writes) this.#changes += 1;
    try {
      return execute();
    } catch (error) {
      if (isNoRoom(error)) this.room.set(true);
      throw error;
    }
  }

  isFull(): boolean {
    if (this.room.isFull && this.#tryToWrite()) this.room.set(false);
    return this.room.isFull;
  }

  #tryToWrite(): boolean {
    try {
      this.transaction(() => {
        this.define('CREATE TABLE IF NOT EXISTS room_trial (bytes BLOB NOT NULL) STRICT');
        this.sql(`INSERT INTO room_trial VALUES (zeroblob(${trialBytes}))`).run();
      });
      this.define('DROP TABLE room_trial');
      return true;
    } catch {
      return false;
    }
  }

  transaction<T>(work: () => T): T {
    if (this.#isWithin) return work();
    this.sql('BEGIN IMMEDIATE').run();
    this.#isWithin = true;
    try {
      const result = work();
      this.sql('COMMIT').run();
      return result;
    } catch (error) {
      // SQLite itself rolls back after some errors.
      if (this.#database.inTransaction) this.sql('ROLLBACK').run();
      throw error;
    } finally {
      this.#isWithin = false;
    }
  }

  seal(): void {
    this.#isClosed = true;
  }

  /**
   * Without a log first: libsql closes a database only when its statements are garbage, and SQLite
   * would then remove the log by its name, which may be that of a newer database.
   */
  close(): void {
    try {
      this.#database.exec('PRAGMA journal_mode = DELETE');
      this.#database.close();
    } catch {
      // The disk is full, or another program reads: the log stays, and the next start reads it.
      unclosed.add(this.#database);
    }
  }
}

const logOf = (path: string): string => `${path}-wal`;

/** What SQLite finds wrong in a database, which may be in use; undefined if nothing. */
export const problemIn = (path: string): string | undefined => {
  try {
    const database = new (sqlite())(path);
    // its one column
    const row = database.prepare('PRAGMA quick_check(1)').get() as { quick_check: string };
    database.close();
    return row.quick_check === 'ok' ? undefined : row.quick_check;
  } catch (error) {
    return errorMessage(error);
  }
};

export const storeFiles = (path: string): readonly string[] => [path, logOf(path), `${path}-shm`];

/**
 * Opens the database, creating it if absent. The caller holds the folder's lock.
 *
 * @param path undefined: in memory, for tests; `saved` then resolves at once
 */
export const openStore = (path?: string, disk: Disk = systemDisk): Store => {
  // Only the owner may read it, and what SQLite makes beside it.
  if (path !== undefined) writeFileSync(path, '', { mode: 0o600, flag: 'a' });
  const connection = new Connection(path ?? inMemory);
  const flusher =
    path === undefined ? undefined : new LogFlusher(logOf(path), disk, () => connection.changes);
  return {
    // the caller says what its statement returns
    sql: <Row>(text: string) => connection.sql(text) as SqlStatement<Row>,
    define: text => connection.define(text),
    transaction: work => connection.transaction(work),
    saved: async () => flusher?.saved(),
    isFull: () => connection.isFull(),
    onFull: listener => connection.room.listen(listener),
    failed: flusher?.failed ?? new Promise(() => undefined),
    async close() {
      connection.seal();
      try {
        await flusher?.saved();
      } finally {
        flusher?.close();
        connection.close();
      }
    },
  };
};
