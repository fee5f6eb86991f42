import { readFileSync } from 'node:fs';
import { errorCode } from './engines/error-code.ts';

/** A process, told apart from a later one with the same number where the system says when it began. */
export interface ProcessIdentity {
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

export const thisProcess = (): ProcessIdentity => ({ pid: process.pid, began: began(process.pid) });

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return errorCode(fault) === 'EPERM';
  }
};

/** Whether that very process is still running. */
export const isRunning = (identity: ProcessIdentity): boolean =>
  exists(identity.pid) && began(identity.pid) === identity.began;
