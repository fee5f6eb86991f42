import { existsSync, rmSync, writeFileSync } from 'node:fs';
import type Database from 'libsql';
import { Connection, type Statement, sqlite } from './connection.ts';
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

/** The one database of the local service. Statements and transactions are synchronous; what waits returns a promise. */
export interface Store {
  /**
   * A statement, prepared once for each text. Rows are objects with the members of `Row`: tables are STRICT, so a column
   * has the type that it was declared with.
   */
  sql<Row = never>(text: string): Statement<Row>;
  /** Runs statements that return nothing, separated by semicolons: for tables and indexes. */
  define(text: string): void;
  /**
   * All or nothing: if `work` throws, none of its changes remain. Transactions of one turn of the event loop are committed together
   * at its end. If one of them throws after it has run a statement that writes, all of them are undone, and the rest of the turn is
   * refused: so check whatever may be refused before. A transaction within another is part of that one.
   */
  transaction<T>(work: () => T): T;
  /**
   * Resolves when the transactions of this turn are committed. Rejects if the disk did not take them, or one of them threw after a
   * change: then all of them are undone, and what they returned is void. Ask in the turn of the change: an earlier one that failed is
   * not reported again.
   */
  committed(): Promise<void>;
  /**
   * Calls `listener` when transactions that had already returned are undone: caches may hold what they wrote. It cannot use the store
   * until the next turn.
   */
  onUndone(listener: () => void): void;
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
  /** Saves everything. Statements that come later throw. */
  close(): Promise<void>;
}

const memoryStore = (): Store => {
  const connection = new Connection(':memory:');
  return {
    ...statementsOf(connection),
    saved: () => connection.committed(),
    failed: new Promise(() => undefined),
    check: () => false,
    async close() {
      connection.end();
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
  onUndone: listener => connection.onUndone(listener),
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
 * When a worker thread ends, however it ends, Node closes its connections (in the main thread it does not), and SQLite copies the log
 * into a database that nobody else has open, whose checksums then do not match. So another thread has it open, too.
 */
export interface Guard {
  /** Has the database open from now on. */
  hold(): Promise<void>;
  /** Closes it. */
  release(): Promise<void>;
}

/** Connections that hold a database are never garbage: closing the last one would copy the log. */
const holders = new Set<Database.Database>();

/** Has a database open, and returns what closes it. Without that, it is open until the process ends. */
export const holdDatabase = (path: string): (() => void) => {
  const database = new (sqlite())(path);
  holders.add(database);
  database.exec('SELECT 1 FROM sqlite_schema');
  return () => {
    holders.delete(database);
    database.close();
  };
};

/** How a store in a file is opened. */
interface StoreOptions {
  readonly disk?: Disk;
  /** For a worker thread; it holds the database before the first change. */
  readonly guard?: Guard | undefined;
}

/**
 * Opens the database, creating it if absent. The caller holds the folder's lock.
 *
 * @param path undefined: in memory, for tests; `saved` then resolves at once
 * @throws DamagedStore when a file is not as it was left
 */
export const openStore = (path?: string, { disk = systemDisk, guard }: StoreOptions = {}): Store => {
  if (path === undefined) return memoryStore();
  const files = storeFiles(path);
  const isNew = !existsSync(files.mark);
  if (isNew) beginAnew(files);
  const later = isNew ? undefined : checkFiles(files);
  const rewritten = { has: (page: number) => later?.rewritten.has(page) === true || log.holds(page) };
  const pages = later && new PageCheck(files.database, files.sums, rewritten);
  const connection = new Connection(path, guard ? 'NORMAL' : 'EXCLUSIVE');
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
      connection.end();
      const isEmpty = await log.close();
      if (isEmpty) await guard?.release();
      connection.close(isEmpty);
      pages?.close();
      if (isEmpty) noteStamp(files);
    },
  };
};
