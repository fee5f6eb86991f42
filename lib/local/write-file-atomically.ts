import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Replaces a file in one step that survives a crash; `mode` is for a new file. */
export const writeFileAtomically = (path: string, text: string, mode = 0o600): void => {
  const draft = `${path}.new`;
  const file = openSync(draft, 'w', mode);
  writeSync(file, text);
  fsyncSync(file);
  closeSync(file);
  renameSync(draft, path);
  const folder = openSync(dirname(path), 'r');
  fsyncSync(folder);
  closeSync(folder);
};
