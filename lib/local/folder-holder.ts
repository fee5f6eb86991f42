import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeDurably } from '../engines/durable-files.ts';
import { errorCode } from '../engines/machine.ts';
import { isJsonObject } from '../json/value.ts';
import { jsonHint } from './start-refusal.ts';

/** Whether a process is running. */
const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
};

/** The file that names the process that has a data folder open. It does not lock the folder: the lock file does. */
export const holderFile = 'lock';

/** The id of the running process that has the folder open, if recorded. */
export const holderOf = (folder: string): number | undefined => {
  const value = jsonHint(join(folder, holderFile));
  const pid = isJsonObject(value) ? value['pid'] : undefined;
  return typeof pid === 'number' && isRunning(pid) ? pid : undefined;
};

/** Notes that this process has the folder open. Only who holds the folder's lock writes or removes the note. */
export const noteHolder = (folder: string): void =>
  writeDurably(join(folder, holderFile), JSON.stringify({ pid: process.pid }));

export const removeHolder = (folder: string): void => rmSync(join(folder, holderFile), { force: true });
