import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

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
