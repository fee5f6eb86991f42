import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { isRunning, type ProcessIdentity, thisProcess } from './process-identity.ts';
import { StartRefusal } from './start-refusal.ts';
import { writeFileAtomically } from './write-file-atomically.ts';

const marker = 'sombus.json';
const lock = 'lock';
/** Raised when a later version can no longer read what this one writes. */
const format = 1;
/** What `--fresh` removes. */
const contents = [
  'dynamodb.sqlite',
  'dynamodb.sqlite-wal',
  'dynamodb.sqlite-shm',
  'sqs',
  'kms',
  'credentials.json',
  'demo-role.json',
  'roles',
  'service.json',
  'usage.json',
];

/** Everything durable of one local service. Only one process at a time has it open. */
export interface DataFolder {
  readonly path: string;
  file(name: string): string;
  /** The JSON value of a file; undefined when there is none. */
  read(name: string): unknown;
  /** Replaces a JSON file in one step; only its owner may read it. */
  write(name: string, value: unknown): void;
  release(): void;
}

const asJson = (path: string): unknown => {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    throw new StartRefusal(`The file ${path} is damaged: restore it, or start with --fresh to begin anew.`);
  }
};

const isIdentity = (value: unknown): value is ProcessIdentity =>
  typeof value === 'object' &&
  value !== null &&
  'pid' in value &&
  typeof value.pid === 'number' &&
  'began' in value &&
  typeof value.began === 'string';

const holder = (path: string): ProcessIdentity | undefined => {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isIdentity(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** Takes the lock file, or a lock that its process left behind; a running holder keeps it. */
const takeLock = (path: string): void => {
  for (;;) {
    try {
      const file = openSync(path, 'wx', 0o600);
      writeSync(file, JSON.stringify(thisProcess()));
      closeSync(file);
      return;
    } catch (fault) {
      if (!(fault instanceof Error && 'code' in fault && fault.code === 'EEXIST')) throw fault;
    }
    const owner = holder(path);
    if (owner && isRunning(owner)) {
      throw new StartRefusal(
        `Another service (process ${owner.pid}) is using the data folder ${resolve(path, '..')}: stop it, or choose another folder with --data.`,
      );
    }
    renameSync(path, `${path}.left`);
  }
};

const prepare = (path: string): void => {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch {
    throw new StartRefusal(`The data folder ${path} cannot be made: choose another one with --data.`);
  }
  const known = new Set([marker, lock, `${lock}.left`, ...contents]);
  const isOurs = existsSync(join(path, marker));
  if (!isOurs && readdirSync(path).some(name => !known.has(name))) {
    throw new StartRefusal(
      `The folder ${path} holds other files and is no data folder of som-bus: choose another one with --data.`,
    );
  }
};

const checkFormat = (path: string): void => {
  const value = asJson(path);
  if (typeof value === 'object' && value !== null && 'format' in value && value.format === format) return;
  throw new StartRefusal(
    `The data folder was written by another version of som-bus (${path}): use that version, or start with --fresh.`,
  );
};

/**
 * Opens a data folder for this process alone, making it when it is absent.
 *
 * @param options `fresh` empties it first
 * @throws StartRefusal when it is in use, damaged, or somebody else's folder
 */
export const openDataFolder = (folder: string, options: { readonly fresh: boolean }): DataFolder => {
  const path = resolve(folder);
  prepare(path);
  const file = (name: string): string => join(path, name);
  takeLock(file(lock));
  try {
    if (options.fresh)
      for (const name of [...contents, marker]) rmSync(file(name), { recursive: true, force: true });
    if (existsSync(file(marker))) checkFormat(file(marker));
    else writeFileAtomically(file(marker), JSON.stringify({ format }));
    chmodSync(path, 0o700);
  } catch (fault) {
    rmSync(file(lock), { force: true });
    throw fault;
  }
  return {
    path,
    file,
    read: name => (existsSync(file(name)) ? asJson(file(name)) : undefined),
    write: (name, value) => writeFileAtomically(file(name), `${JSON.stringify(value, null, 2)}\n`),
    release: () => rmSync(file(lock), { force: true }),
  };
};
