import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, writeDurably } from '../engines/files.ts';
import { isJsonObject } from '../json/value.ts';
import { jsonHint } from './start-refusal.ts';

/** A process, told apart from a later one with the same number where the system says when it began. */
interface ProcessIdentity {
  readonly pid: number;
  readonly began: string;
}

/** Field 22 of /proc/<pid>/stat (proc_pid_stat(5)), counted after the command's name, which may hold spaces. */
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

/** Whether that very process is still running. */
const isRunning = (identity: ProcessIdentity): boolean =>
  exists(identity.pid) && began(identity.pid) === identity.began;

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
