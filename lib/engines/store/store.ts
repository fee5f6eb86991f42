import { closeSync, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import Database from 'libsql';

/** What SQLite stores in a column. Whole numbers up to 2^53. */
export type SqlValue = string | number | Uint8Array | null;

/** A prepared statement. Values are bound to `?`, in order, and copied: neither side keeps the other's bytes. */
export interface Statement<Row> {
  /** Returns how many rows it changed. */
  run(...values: readonly SqlValue[]): number;
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
  /** All or nothing: if `work` throws, none of its changes remain. A transaction within another is part of that one. */
  transaction<T>(work: () => T): T;
  /**
   * Resolves when everything that has been changed so far is on disk; callers that wait at the same time share a flush.
   * Whoever answers somebody outside this process waits for it first.
   */
  saved(): Promise<void>;
  close(): Promise<void>;
}

const flush = promisify(fdatasync);

/*
 * NORMAL: SQLite appends a commit to the write-ahead log without waiting for the disk; `saved` flushes the log, off this
 * thread and for many commits at once (https://www.sqlite.org/pragma.html#pragma_synchronous).
 */
const settings = `
  PRAGMA page_size = 4096;
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA cache_size = -32768;
  PRAGMA temp_store = MEMORY;
`;

/** Flushes a file for everybody who waits: at most one flush at a time, and one more for those that came during it. */
class SharedFlush {
  readonly #file: number;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(file: number) {
    this.#file = file;
  }

  /** Resolves after a flush that began after this call. */
  wait(): Promise<void> {
    if (this.#running === undefined) return this.#start();
    this.#next ??= this.#running.catch(() => undefined).then(() => this.#start());
    return this.#next;
  }

  #start(): Promise<void> {
    this.#next = undefined;
    const running = flush(this.#file).finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return running;
  }
}

/**
 * Opens the database, creating it if absent.
 *
 * @param path undefined: in memory, for tests; `saved` then resolves at once
 */
export const openStore = (path?: string): Store => {
  const database = new Database(path ?? ':memory:');
  database.exec(settings);
  const statements = new Map<string, Statement<never>>();
  let depth = 0;
  /** Counts changes; `flushed` is the count at the last flush that succeeded. */
  let changes = 0;
  let flushed = 0;
  let log: { readonly file: number; readonly flush: SharedFlush } | undefined;

  const prepared = (text: string): Statement<never> => {
    const statement = database.prepare<SqlValue[]>(text);
    return {
      run(...values) {
        changes += 1;
        return statement.run(...values).changes;
      },
      get: (...values) => statement.get(...values) as never,
      all: (...values) => statement.all(...values) as never[],
    };
  };

  const sql = <Row>(text: string): Statement<Row> => {
    const known = statements.get(text) ?? prepared(text);
    statements.set(text, known);
    return known as Statement<Row>; // the caller says what its statement returns
  };

  /** The log exists since the first change. SQLite locks the database's own file, never the log. */
  const openLog = (of: string) => {
    const file = openSync(`${of}-wal`, 'r+');
    return { file, flush: new SharedFlush(file) };
  };

  return {
    sql,
    define(text) {
      changes += 1;
      database.exec(text);
    },

    transaction(work) {
      if (depth === 0) sql('BEGIN IMMEDIATE').run();
      depth += 1;
      try {
        const result = work();
        depth -= 1;
        if (depth === 0) sql('COMMIT').run();
        return result;
      } catch (fault) {
        depth = 0;
        if (database.inTransaction) sql('ROLLBACK').run();
        throw fault;
      }
    },

    async saved() {
      if (path === undefined || flushed >= changes) return;
      log ??= openLog(path);
      const upTo = changes;
      await log.flush.wait();
      flushed = Math.max(flushed, upTo);
    },

    async close() {
      await this.saved();
      if (log !== undefined) closeSync(log.file);
      // libsql closes a database only when its statements are garbage; without a log, SQLite can give up its lock before.
      database.exec(
        'PRAGMA journal_mode = DELETE; PRAGMA locking_mode = NORMAL; SELECT 1 FROM sqlite_schema',
      );
      database.close();
    },
  };
};
