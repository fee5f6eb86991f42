import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Why the local service cannot start or continue, in one sentence for the person who started it. */
export class StartRefusal extends Error {
  override readonly name = 'StartRefusal';
}

const startAfresh = 'If you need nothing in the data folder, start over with --fresh.';

export const damagedFile = (path: string): StartRefusal =>
  new StartRefusal(`The file ${path} is damaged: restore the data folder from a copy. ${startAfresh}`);

export const missingParts = (folder: string, parts: readonly string[]): StartRefusal =>
  new StartRefusal(
    `The data folder ${folder} has lost ${parts.join(', ')}: restore the folder from a copy. ${startAfresh}`,
  );

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

/** Replaces a file, readable only by its owner: after a crash, it has either the old content or the new. */
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
