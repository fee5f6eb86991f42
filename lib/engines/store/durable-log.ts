import {
  closeSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  openSync,
  renameSync,
  statSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { draftSuffix } from '../durable-files.ts';
import { isAsNoted, noteStamp } from './file-stamp.ts';
import { holdsMarked, markEmpty, markFlushed } from './log-mark.ts';
import { damagedPage, noteAllPages, notePages, type Rewritten } from './page-checksums.ts';
import { LogReader, logBytes } from './write-ahead-log.ts';

/** The files of a store, beside each other. */
export interface StoreFiles {
  readonly database: string;
  /** SQLite's write-ahead log. */
  readonly log: string;
  /** The checksums of the database's pages. */
  readonly sums: string;
  /** How much of the log was flushed. Written last when a store is made. */
  readonly mark: string;
  /** What the file system said of the database when this program had last written it. */
  readonly stamp: string;
  /** SQLite's index of the log, while several connections have the database open. Only a running process needs it. */
  readonly index: string;
}

export const storeFiles = (database: string): StoreFiles => ({
  database,
  log: `${database}-wal`,
  sums: `${database}-sums`,
  mark: `${database}-mark`,
  stamp: `${database}-stamp`,
  index: `${database}-shm`,
});

/** A file of a store is not as it was left: cut, changed, or an older copy. */
export class DamagedStore extends Error {
  readonly file: string;

  constructor(file: string) {
    super(`${file} is damaged, or is an older copy: restore the whole folder from a copy`);
    this.name = 'DamagedStore';
    this.file = file;
  }
}

const readLog = (path: string): LogReader => {
  const reader = new LogReader();
  if (!existsSync(path)) return reader;
  const file = openSync(path, 'r');
  try {
    reader.readTo(file, fstatSync(file).size);
  } finally {
    closeSync(file);
  }
  return reader;
};

/**
 * Checks that the files hold what was flushed last. A database that nobody has touched since is only checked later: what the disk
 * itself may have changed in it is hardly worth the wait.
 *
 * @returns what is left to check, before SQLite opens the database
 * @throws DamagedStore that names the file
 */
export const checkFiles = (files: StoreFiles): LaterCheck | undefined => {
  const { database, log, sums, mark } = files;
  const reader = readLog(log);
  if (!holdsMarked(mark, reader)) throw new DamagedStore(log);
  if (!existsSync(database)) throw new DamagedStore(database);
  if (isAsNoted(files)) return { database, sums, rewritten: reader.pages };
  if (damagedPage(database, sums, reader.pages) !== undefined) throw new DamagedStore(database);
  return undefined;
};

/** A database that is to be checked while it is used. */
export interface LaterCheck {
  readonly database: string;
  readonly sums: string;
  /** The pages that the log held at the start. */
  readonly rewritten: Rewritten;
}

const newFile = (path: string, fill: (file: number) => void): void => {
  const file = openSync(path, 'w+', 0o600);
  fill(file);
  closeSync(file);
};

/**
 * Completes the files of a new database that nobody has open: on Linux and macOS, closing one releases the locks of all. The mark
 * appears last, and whole: a power cut before leaves a store without one, which begins anew.
 */
export const completeFiles = ({ database, sums, mark }: StoreFiles): void => {
  newFile(sums, file => noteAllPages(database, file));
  const draft = mark + draftSuffix;
  newFile(draft, file => markEmpty(file, true));
  renameSync(draft, mark);
};

/** What the log needs of the connection that writes it. */
interface LogWriter {
  /** How many changes were committed so far. */
  readonly changes: number;
  /** Commits what is ready for it: a checkpoint must not come in between. */
  commit(): void;
  checkpoint(how: 'FULL' | 'TRUNCATE'): void;
}

/** How files are flushed to the disk. */
export interface Disk {
  flush(file: number): Promise<void>;
  flushNow(file: number): void;
}

export const systemDisk: Disk = { flush: promisify(fdatasync), flushNow: fdatasyncSync };

/** A longer log is copied into the database, which takes some milliseconds. */
const checkpointBytes = 8 * 1024 * 1024;

/** Flushes the log, marks how far, and starts it over when it is long. */
export class DurableLog {
  readonly #files: StoreFiles;
  readonly #writer: LogWriter;
  readonly #disk: Disk;
  readonly #mark: number;
  readonly #sums: number;
  #log: number | undefined;
  #reader = new LogReader();
  /** The number of changes that are on disk. */
  #flushed = 0;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  /** The size at which the log is started over. */
  #startOverAt = checkpointBytes;
  #failure: Error | undefined;
  #tellFailure: (fault: Error) => void = () => undefined;
  readonly failed = new Promise<Error>(resolve => {
    this.#tellFailure = resolve;
  });

  constructor(files: StoreFiles, writer: LogWriter, disk: Disk) {
    this.#files = files;
    this.#disk = disk;
    this.#writer = writer;
    this.#sums = openSync(files.sums, 'r+');
    this.#mark = openSync(files.mark, 'r+');
    if (!existsSync(files.log) || statSync(files.log).size === 0) markEmpty(this.#mark);
  }

  /** Whether the log has this page: what the database has may be older, or half written. */
  holds(page: number): boolean {
    return this.#reader.pages.has(page);
  }

  /** From now on nothing can be saved, and nothing answered. */
  fail(failure: Error): void {
    this.#failure ??= failure;
    this.#tellFailure(failure);
  }

  /** Resolves after a flush that began after this call, unless nothing was changed since the last. */
  async saved(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#running === undefined && this.#next === undefined) return this.#start();
    this.#next ??= Promise.resolve(this.#running).then(
      () => this.#start(),
      () => this.#start(),
    );
    return this.#next;
  }

  /**
   * Leaves the log as it is if the disk is full: the next start reads it.
   *
   * @returns whether the log is empty, so that SQLite may remove it
   */
  async close(): Promise<boolean> {
    try {
      await this.saved();
      const isEmpty = this.#endLog();
      if (isEmpty) markEmpty(this.#mark, true);
      return isEmpty;
    } finally {
      for (const file of [this.#log, this.#mark, this.#sums]) if (file !== undefined) closeSync(file);
    }
  }

  #endLog(): boolean {
    if (!existsSync(this.#files.log)) return true;
    this.#log ??= openSync(this.#files.log, 'r+');
    return this.#startOver(this.#log) && this.#truncate(this.#log);
  }

  #truncate(log: number): boolean {
    try {
      this.#writer.checkpoint('TRUNCATE');
      // Before the mark says that there is no log.
      this.#disk.flushNow(log);
      return true;
    } catch {
      return false;
    }
  }

  async #start(): Promise<void> {
    this.#next = undefined;
    // A disk reports a failed write once: after it, a flush that succeeds says nothing.
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#flushed >= this.#writer.changes) return;
    this.#running = this.#flush();
    try {
      await this.#running;
    } finally {
      this.#running = undefined;
    }
  }

  async #flush(): Promise<void> {
    const { changes } = this.#writer;
    // SQLite locks the database's own file, never the log: closing this one releases nothing.
    this.#log ??= openSync(this.#files.log, 'r+');
    const { size, nlink } = fstatSync(this.#log);
    if (nlink === 0) this.#giveUp(new Error(`another program removed ${this.#files.log}`));
    this.#readTo(this.#log, size);
    const { salt, frames } = this.#reader;
    await this.#disk.flush(this.#log).catch((fault: unknown) => this.#giveUp(fault));
    if (salt !== undefined) markFlushed(this.#mark, salt, frames);
    this.#flushed = changes;
    if (logBytes(this.#reader.frames) >= this.#startOverAt) this.#startOver(this.#log);
  }

  #giveUp(fault: unknown): never {
    const failure = fault instanceof Error ? fault : new Error(String(fault));
    this.fail(failure);
    throw failure;
  }

  /**
   * Copies the log into the database, so that it may be written over, or tries again later if the disk is full: the log keeps what
   * the database does not have yet. Not while a flush runs.
   *
   * @returns whether the database holds everything
   */
  #startOver(log: number): boolean {
    this.#writer.commit();
    const { size } = fstatSync(log);
    try {
      this.#disk.flushNow(log);
    } catch (fault) {
      this.#giveUp(fault);
    }
    try {
      this.#readTo(log, size);
      this.#copyLog();
      return true;
    } catch {
      this.#startOverAt = logBytes(this.#reader.frames) + checkpointBytes;
      return false;
    }
  }

  /** SQLite may have started the log over by itself, after a checkpoint whose end failed. */
  #readTo(log: number, size: number): void {
    if (!this.#reader.isOf(log)) this.#reader = new LogReader();
    this.#reader.readTo(log, size);
  }

  /** The next commit overwrites the log from its start: truncating the log would take longer than copying it. */
  #copyLog(): void {
    notePages(this.#sums, this.#reader.pages);
    this.#writer.checkpoint('FULL');
    markEmpty(this.#mark);
    noteStamp(this.#files);
    this.#reader = new LogReader(this.#reader.salt);
    this.#startOverAt = checkpointBytes;
  }
}
