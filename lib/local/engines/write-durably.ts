import { closeSync, fsyncSync, openSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** What the name of a file ends in that a crash left half written: it can be removed. */
export const draftSuffix = '.new';

/** Replaces a file as a whole, readable by its owner only: after a crash it holds the old text or the new one. */
export function writeDurably(path: string, text: string): void {
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
}

export function removeDurably(path: string): void {
  unlinkSync(path);
  syncFolder(dirname(path));
}

function syncFolder(folder: string): void {
  // Windows cannot open a folder; NTFS journals its directory changes itself.
  if (process.platform === 'win32') return;
  const file = openSync(folder, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
