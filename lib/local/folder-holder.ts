import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeDurably } from '../engines/durable-files.ts';
import { errorCode } from '../engines/machine.ts';
import { isJsonObject } from '../json/value.ts';
import { jsonHint } from './start-refusal.ts';

/** A process: its start time tells it from a later one with the same id, where the system gives one. */
interface ProcessIdentity {
  readonly pid: number;
  readonly began: string;
}

/** Field 22 of /proc/<pid>/stat (proc_pid_stat(5)), counted after the command's name, which may contain spaces. */
const beganField = 19;

const began = (pid: number): string => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[beganField] ?? '';
  } catch {
    return '';
  }
};

const thisProcess = (): ProcessIdentity => ({ pid: process.pid, began: began(process.pid) });

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return errorCode(fault) === 'EPERM';
  }
};

/** Whether the same process is still running. */
const isRunning = (identity: ProcessIdentity): boolean =>
  exists(identity.pid) && began(identity.pid) === identity.began;

/** The file that names the process that has a data folder open. It does not lock the folder: the lock file does. */
export const holderFile = 'lock';

const isIdentity = (value: unknown): value is ProcessIdentity =>
  isJsonObject(value) && typeof value['pid'] === 'number' && typeof value['began'] === 'string';

/** The running process that has the folder open, if recorded. */
export const holderOf = (folder: string): ProcessIdentity | undefined => {
  const value = jsonHint(join(folder, holderFile));
  return isIdentity(value) && isRunning(value) ? value : undefined;
};

/** Notes that this process has the folder open. Only who holds the folder's lock writes or removes the note. */
export const noteHolder = (folder: string): void =>
  writeDurably(join(folder, holderFile), JSON.stringify(thisProcess()));

export const removeHolder = (folder: string): void => rmSync(join(folder, holderFile), { force: true });
