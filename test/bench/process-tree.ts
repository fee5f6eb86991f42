import { readdirSync, readFileSync } from 'node:fs';

interface Entry {
  readonly pid: number;
  readonly parent: number;
  readonly processorSeconds: number;
  readonly residentBytes: number;
}

/** The fields of proc_pid_stat(5) from the third: what comes before may contain spaces. */
const fieldsOf = (path: string): readonly string[] => {
  const stat = readFileSync(path, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
};

const secondsOf = (fields: readonly string[]): number => (Number(fields[11]) + Number(fields[12])) / 100;

const entryOf = (pid: number): Entry | undefined => {
  try {
    const fields = fieldsOf(`/proc/${pid}/stat`);
    return {
      pid,
      parent: Number(fields[1]),
      processorSeconds: secondsOf(fields),
      residentBytes: Number(fields[21]) * 4096,
    };
  } catch {
    return undefined; // it ended in the meantime
  }
};

/** A process and all that it started, as Linux counts them; NaN elsewhere. */
export const processTree = (pid: number) => {
  const read = (): readonly Entry[] => {
    const all = readdirSync('/proc')
      .map(Number)
      .filter(number => number > 0)
      .map(entryOf)
      .filter(entry => entry !== undefined);
    const of = (parent: number): readonly Entry[] =>
      all.filter(entry => entry.parent === parent).flatMap(entry => [entry, ...of(entry.pid)]);
    return [...all.filter(entry => entry.pid === pid), ...of(pid)];
  };
  const sum = (member: 'processorSeconds' | 'residentBytes'): number =>
    process.platform === 'linux' ? read().reduce((total, entry) => total + entry[member], 0) : Number.NaN;
  return {
    /** Of the first process's main thread alone. */
    mainThreadSeconds: () =>
      process.platform === 'linux' ? secondsOf(fieldsOf(`/proc/${pid}/task/${pid}/stat`)) : Number.NaN,
    processorSeconds: () => sum('processorSeconds'),
    residentBytes: () => sum('residentBytes'),
  };
};
