import { join } from 'node:path';
import type Database from 'libsql';
import { errorCode } from './machine.ts';
import { sqlite } from './store.ts';

/** The file that is locked. It stays empty, and stays: removing it would let two processes lock a file each. */
export const lockFile = 'lock.sqlite';

/**
 * Of two processes that begin at the same time, each has the file locked for reading, which keeps the other out. Who waits gives that
 * up, so that the other one gets its lock.
 */
const waitMilliseconds = 300;

/** A lock ends with its connection, so none may be garbage. */
const held = new Set<Database.Database>();

/**
 * Locks a folder for this process, by SQLite's lock on a file in it: it holds for every process that sees the same folder, and the
 * system releases it when the process ends, for whatever reason. On Linux and macOS it also ends when this process closes the file
 * that it opened another way (https://www.sqlite.org/howtocorrupt.html, 2.2), so nothing else may open it.
 *
 * @returns what releases it; undefined when another has locked the folder
 * @throws when the file cannot be locked at all
 */
export const lockFolder = (folder: string): (() => void) | undefined => {
  const database = new (sqlite())(join(folder, lockFile));
  try {
    // In memory: nothing is ever written, and a journal would be one more file.
    database.exec(`PRAGMA busy_timeout = ${waitMilliseconds}; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE`);
  } catch (error) {
    database.close();
    if (errorCode(error) === 'SQLITE_BUSY') return undefined;
    throw error;
  }
  held.add(database);
  return () => {
    database.exec('ROLLBACK');
    database.close();
    held.delete(database);
  };
};
