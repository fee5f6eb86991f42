import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'libsql';
import { isJsonObject } from '../platform/json/value.ts';
import { errorCode } from './engines/machine.ts';
import { sqlite } from './engines/store.ts';
import { jsonHint, writeDurably } from './start-refusal.ts';

/**
 * The file that is locked. It stays empty, and stays: removing it would let two processes lock a
 * file each.
 */
export const lockFile = 'lock.sqlite';

/**
 * Of two processes that begin at the same time, each has the file locked for reading, which keeps
 * the other out. Who waits gives that up, so that the other one gets its lock.
 */
const waitMilliseconds = 300;

/** A lock ends with its connection, so none may be garbage. */
const held = new Set<Database.Database>();

/**
 * Locks a folder for this process, by SQLite's lock on a file in it: it holds for every process
 * that sees the same folder, and the system releases it when the process ends, for whatever reason.
 * On Linux and macOS it also ends when this process closes the file that it opened another way
 * (https://www.sqlite.org/howtocorrupt.html, 2.2), so nothing else may open it.
 *
 * @returns what releases it; undefined when another has locked the folder
 * @throws when the file cannot be locked at all
 */
export const lockFolder = (folder: string): (() => void) | undefined => {
  const database = new (sqlite())(join(folder, lockFile));
  try {
    // In memory: nothing is ever written, and a journal would be one more file.
    database.exec(
      `PRAGMA busy_timeout = ${waitMilliseconds}; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE`,
    );
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

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
};

/**
 * The file that names the process that has a data folder open. It does not lock the folder: the
 * lock file does.
 */
export const holderFile = 'lock';

/** The id of the running process that has the folder open, if recorded. */
export const holderOf = (folder: string): number | undefined => {
  const value = jsonHint(join(folder, holderFile));
  const pid = isJsonObject(value) ? value['pid'] : undefined;
  return typeof pid === 'number' && isRunning(pid) ? pid : undefined;
};

/**
 * Notes that this process has the folder open. Only who holds the folder's lock writes or removes
 * the note.
 */
export const noteHolder = (folder: string): void =>
  writeDurably(join(folder, holderFile), JSON.stringify({ pid: process.pid }));

export const removeHolder = (folder: string): void =>
  rmSync(join(folder, holderFile), { force: true });
