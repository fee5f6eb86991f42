import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const member = 'checksum';

const checksumOf = (value: object): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);

/** A value to store as JSON, with a checksum of the rest as its last member. */
export const withChecksum = <T extends object>(value: T): T & { readonly checksum: string } => ({
  ...value,
  [member]: checksumOf(value),
});

/** Whether a stored value matches its checksum, if it has one. */
export const isUnchanged = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null || !(member in value)) return true;
  const { [member]: checksum, ...rest } = value;
  return checksum === checksumOf(rest);
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
