import { closeSync, existsSync, fdatasync, fdatasyncSync, fstatSync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { holdsMarked, markEmpty, markFlushed } from './log-mark.ts';
import { damagedPage, noteAllPages, notePages } from './page-checksums.ts';
import { LogReader } from './write-ahead-log.ts';

/** The files of a store, beside each other. */
export interface StoreFiles {
  readonly database: string;
  /** SQLite's write-ahead log. */
  readonly log: string;
  /** The checksums of the database's pages. */
  readonly sums: string;
  /** How much of the log was flushed. Written last when a store is made. */
  readonly mark: string;
}

export const storeFiles = (database: string): StoreFiles => ({
  database,
  log: `${database}-wal`,
  sums: `${database}-sums`,
  mark: `${database}-mark`,
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
 * Checks that the files hold what was flushed last.
 *
 * @throws DamagedStore that names the file
 */
export const checkFiles = ({ database, log, sums, mark }: StoreFiles): void => {
  const reader = readLog(log);
  if (!holdsMarked(mark, reader)) throw new DamagedStore(log);
  if (!existsSync(database)) throw new DamagedStore(database);
  if (damagedPage(database, sums, reader.pages) !== undefined) throw new DamagedStore(database);
};

/** What the log needs of the connection that writes it. */
interface LogWriter {
  /** How many changes were made so far. */
  readonly changes: number;
  checkpoint(how: 'FULL' | 'TRUNCATE'): void;
}

const flush = promisify(fdatasync);

/** A longer log is copied into the database, which takes some milliseconds. */
const checkpointBytes = 8 * 1024 * 1024;

/** Flushes the log, marks how far, and starts it over when it is long. */
export class DurableLog {
  readonly #files: StoreFiles;
  readonly #writer: LogWriter;
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
  #fail: (fault: Error) => void = () => undefined;
  readonly failed = new Promise<Error>(resolve => {
    this.#fail = resolve;
  });

  constructor(files: StoreFiles, writer: LogWriter, isNew: boolean) {
    this.#files = files;
    this.#writer = writer;
    const flags = isNew ? 'w+' : 'r+';
    this.#sums = openSync(files.sums, flags, 0o600);
    if (isNew) noteAllPages(files.database, this.#sums);
    this.#mark = openSync(files.mark, flags, 0o600);
    if (isNew) markEmpty(this.#mark);
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

  /** Leaves the log as it is if the disk is full: the next start reads it. */
  async close(): Promise<void> {
    try {
      await this.saved();
      if (this.#log !== undefined) this.#startOver(this.#log);
    } finally {
      for (const file of [this.#log, this.#mark, this.#sums]) if (file !== undefined) closeSync(file);
    }
  }

  async #start(): Promise<void> {
    this.#next = undefined;
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
    const { size } = fstatSync(this.#log);
    this.#reader.readTo(this.#log, size);
    const { salt, frames } = this.#reader;
    await flush(this.#log).catch((fault: Error) => {
      this.#failure = fault;
      this.#fail(fault);
      throw fault;
    });
    if (salt !== undefined) markFlushed(this.#mark, salt, frames);
    this.#flushed = changes;
    if (size >= this.#startOverAt) this.#startOver(this.#log);
  }

  /** Copies the log into the database and empties it, or tries again later if the disk is full. Not while a flush runs. */
  #startOver(log: number): void {
    const { size } = fstatSync(log);
    try {
      fdatasyncSync(log);
      this.#reader.readTo(log, size);
      this.#copyLog();
    } catch {
      // Nothing is lost: the log keeps what the database does not have yet.
      this.#startOverAt = size + checkpointBytes;
    }
  }

  #copyLog(): void {
    notePages(this.#sums, this.#reader.pages);
    this.#writer.checkpoint('FULL');
    markEmpty(this.#mark);
    this.#writer.checkpoint('TRUNCATE');
    this.#reader = new LogReader();
    this.#startOverAt = checkpointBytes;
  }
}
