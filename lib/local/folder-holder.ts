import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '../domain/message/json-object.ts';
import { writeDurably } from './engines/write-durably.ts';
import { jsonHint } from './json-hint.ts';
import { isRunning, type ProcessIdentity, thisProcess } from './process-identity.ts';

/** The file that says which process has a data folder open; what keeps others out is the system's lock. */
export const holderFile = 'lock';

const isIdentity = (value: unknown): value is ProcessIdentity =>
  isJsonObject(value) && typeof value['pid'] === 'number' && typeof value['began'] === 'string';

/** The running process that has the folder open, when it says so. */
export const holderOf = (folder: string): ProcessIdentity | undefined => {
  const value = jsonHint(join(folder, holderFile));
  return isIdentity(value) && isRunning(value) ? value : undefined;
};

/** Says that this process has the folder open; it must have the folder's lock. */
export const noteHolder = (folder: string): void =>
  writeDurably(join(folder, holderFile), JSON.stringify(thisProcess()));

/** Takes the note back, unless it is another process's. */
export const removeHolder = (folder: string): void => {
  if (holderOf(folder)?.pid === process.pid) rmSync(join(folder, holderFile), { force: true });
};
