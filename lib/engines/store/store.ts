import { existsSync, rmSync, writeFileSync } from 'node:fs';
import type Database from 'libsql';
import { Connection, inMemory, type Statement, sqlite } from './connection.ts';
import {
  checkFiles,
  completeFiles,
  DamagedStore,
  type Disk,
  DurableLog,
  type LaterCheck,
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
  /** Commits and saves what was changed. Later statements throw. */
  close(): Promise<void>;
}

const memoryStore = (): Store => {
  const connection = new Connection(inMemory);
  return {
    ...statementsOf(connection),
    saved: () => connection.committed(),
    failed: new Promise(() => undefined),
    check: () => false,
    async close() {
      connection.seal();
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
 * When a worker thread ends, however it ends, Node closes its connections, and SQLite copies the log into a database that nobody else
 * has open, whose checksums then do not match. So the main thread has it open, too: its connections stay open if the process ends by
 * `process.exit`, an error or a signal.
 */
export interface Guard {
  /** Has the database open from now on: until it is released, or the process ends. Can be asked again. */
  hold(): Promise<void>;
  /** Closes it. */
  release(): Promise<void>;
}

/** Connections that hold a database, by its path: closing the last one would copy the log. */
const holders = new Map<string, Database.Database>();

/** Reads a database once, and has it open until it is released, or the process ends. */
export const holdDatabase = (path: string): void => {
  const database = holders.get(path) ?? new (sqlite())(path);
  holders.set(path, database);
  database.exec('SELECT 1 FROM sqlite_schema');
};

export const releaseDatabase = (path: string): void => {
  holders.get(path)?.close();
  holders.delete(path);
};

/** Makes a new store, or checks the files of an old one. @returns what is left to check */
const prepare = (files: StoreFiles): LaterCheck | undefined => {
  if (existsSync(files.mark)) return checkFiles(files);
  beginAnew(files);
  return undefined;
};

const open = (files: StoreFiles, later: LaterCheck | undefined, disk: Disk, guard?: Guard): Store => {
  const rewritten = { has: (page: number) => later?.rewritten.has(page) === true || log.holds(page) };
  const pages = later && new PageCheck(files.database, files.sums, rewritten);
  const connection = new Connection(files.database, guard ? 'NORMAL' : 'EXCLUSIVE');
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
      connection.seal();
      const isEmpty = await log.close();
      if (isEmpty) await guard?.release();
      connection.close(isEmpty);
      pages?.close();
      if (isEmpty) noteStamp(files);
    },
  };
};

/**
 * Opens the database in the main thread, creating it if absent. The caller holds the folder's lock.
 *
 * @param path undefined: in memory, for tests; `saved` then resolves at once
 * @throws DamagedStore when a file is not as it was left
 */
export const openStore = (path?: string, disk: Disk = systemDisk): Store => {
  if (path === undefined) return memoryStore();
  const files = storeFiles(path);
  return open(files, prepare(files), disk);
};

/** The same in a worker thread: `guard` holds the database before anything can be written, and keeps it if opening fails. */
export const openGuardedStore = async (path: string, guard: Guard): Promise<Store> => {
  const files = storeFiles(path);
  const later = prepare(files);
  await guard.hold();
  const store = open(files, later, systemDisk, guard);
  // A connection from before SQLite had made the log takes part in it when it reads again.
  await guard.hold();
  return store;
};
