import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isJsonObject } from '../platform/json/value.ts';
import { errorCode, errorMessage } from './engines/machine.ts';
import { isNoRoom } from './engines/store.ts';

/**
 * Why the local service cannot start or continue, in one sentence for the person who started it.
 */
export class StartRefusal extends Error {
  override readonly name = 'StartRefusal';
}

const startAfresh = 'If you need nothing in the data folder, start over with --fresh.';

export const damagedFile = (path: string): StartRefusal =>
  new StartRefusal(
    `The file ${path} is damaged: restore the data folder from a copy. ${startAfresh}`,
  );

export const missingParts = (folder: string, parts: readonly string[]): StartRefusal =>
  new StartRefusal(
    `The data folder ${folder} has lost ${parts.join(', ')}: restore the folder from a copy. ${startAfresh}`,
  );

const otherFolder = 'choose another folder with --data';

const fullCodes = ['ENOSPC', 'EDQUOT', 'EFBIG'];
const readOnlyCodes = ['EROFS', 'EACCES', 'EPERM', 'SQLITE_READONLY', 'SQLITE_CANTOPEN'];
const damageCodes = ['SQLITE_CORRUPT', 'SQLITE_NOTADB'];

/** The first error of a chain of causes that has a code of the system or of SQLite. */
const codedIn = (error: unknown): { code: string; error: unknown } | undefined => {
  const code = errorCode(error) ?? '';
  if (/^(?:E[A-Z]+|SQLITE_[A-Z_]+)$/.test(code)) return { code, error };
  if (isJsonObject(error) && error['cause'] !== undefined) return codedIn(error['cause']);
  return undefined;
};

/** What stopped a start, with the folder and what to do about it if the disk is the reason. */
export const folderRefusal = (thrown: unknown, folder: string): unknown => {
  const coded = thrown instanceof StartRefusal ? undefined : codedIn(thrown);
  if (!coded) return thrown;
  const { code, error } = coded;
  const reason = errorMessage(error);
  const isOf = (codes: readonly string[]) =>
    codes.some(one => code === one || code.startsWith(`${one}_`));
  const refused = (what: string) => new StartRefusal(what, { cause: thrown });

  if (isOf(fullCodes) || isNoRoom(error))
    return refused(
      `There is no room for the data folder ${folder} (${reason}): free some space on its ` +
        `disk, or ${otherFolder}.`,
    );
  if (isOf(readOnlyCodes))
    return refused(
      `The data folder ${folder} cannot be written (${reason}): let this user write there, or ` +
        `${otherFolder}.`,
    );
  if (isOf(damageCodes))
    return refused(
      `The database in the data folder ${folder} is damaged (${reason}): restore the folder ` +
        `from a copy. ${startAfresh}`,
    );
  if (isOf(['EIO', 'SQLITE_IOERR']))
    return refused(
      `The disk of the data folder ${folder} failed (${reason}): check the disk, then start ` +
        'the service again.',
    );
  return thrown;
};

/** The JSON value of an optional file; undefined if it is absent or damaged. */
export const jsonHint = (path: string): unknown => {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
};

/** The JSON value of a file. @throws StartRefusal when it is damaged */
export const intactJson = (path: string): unknown => {
  const value = jsonHint(path);
  if (value === undefined) throw damagedFile(path);
  return value;
};

/** The suffix of half-written files left by a crash, which can be removed. */
export const draftSuffix = '.new';

/**
 * Replaces a file, readable only by its owner: after a crash, it has either the old content or the
 * new.
 */
export const writeDurably = (path: string, text: string): void => {
  const draft = path + draftSuffix;
  const file = openSync(draft, 'w', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
  syncFolder(dirname(path));
};

const syncFolder = (folder: string): void => {
  // Windows cannot open a folder; NTFS journals directory changes itself.
  if (process.platform === 'win32') return;
  const file = openSync(folder, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
};
