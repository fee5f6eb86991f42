import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { version } from '../../package.json';
import { isJsonObject } from '../platform/json/value.ts';
import { errorCode, errorMessage } from './engines/machine.ts';
import { sqlite, storeFiles } from './engines/store.ts';
import {
  holderFile,
  holderOf,
  lockFile,
  lockFolder,
  noteHolder,
  removeHolder,
} from './folder-lock.ts';
import {
  draftSuffix,
  intactJson,
  jsonHint,
  missingParts,
  StartRefusal,
  writeDurably,
} from './start-refusal.ts';

export const dataFiles = {
  marker: 'sombus.json',
  credentials: 'credentials.json',
  /** Where the running service listens, or the last one did. */
  service: 'service.json',
  operatorKey: 'operator-key.json',
  newsroom: 'newsroom', // locked while its connections are made; their secrets are in newsroom.env
} as const;

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Not `recursive`: under /proc, where no folder can be created, that never returns in Node 20. */
const makeAll = (path: string): void => {
  if (isFolder(path)) return;
  if (dirname(path) !== path) makeAll(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!isFolder(path)) throw error;
  }
};

/**
 * Creates a folder and its parents, accessible only to their owner.
 *
 * @param path absolute
 * @throws StartRefusal if it cannot be created
 */
const makeFolder = (path: string): void => {
  try {
    makeAll(path);
  } catch (error) {
    const code = errorCode(error);
    const why = code === undefined ? '' : ` (${code})`;
    throw new StartRefusal(
      `The data folder ${path} cannot be created${why}: choose another one with --data.`,
    );
  }
};

export const storeFile = 'store.sqlite';
const { marker } = dataFiles;
const ignoreFile = '.gitignore';
/** Increased when a later version can no longer read this format. */
const format = 5;
/** What a folder always has once its first start is complete. */
const parts = [storeFile, dataFiles.credentials, 'demo-role.json', 'roles'] as const;
const folders: readonly string[] = ['roles'];
const contents = [
  ...parts,
  ...storeFiles(storeFile),
  dataFiles.service,
  dataFiles.operatorKey,
  dataFiles.newsroom,
  `${dataFiles.newsroom}.env`,
];
const known: ReadonlySet<string> = new Set([marker, holderFile, ...contents]);

export interface DataFolder {
  readonly path: string;
  file(name: string): string;
  /**
   * The JSON value of a file; undefined when there is none.
   *
   * @throws StartRefusal when it is damaged
   */
  read(name: string): unknown;
  /** Like `read`, for an optional file: undefined if it is absent or damaged. */
  readHint(name: string): unknown;
  /** Replaces a JSON file in one step; only its owner may read it. */
  write(name: string, value: object): void;
  /**
   * Prepares the folder for the store: empties it for `--fresh`, else checks that no part is
   * missing.
   *
   * @throws StartRefusal that names what is missing
   */
  begin(): void;
  complete(): void;
  release(): void;
}

const take = (path: string): (() => void) => {
  const unlock = lock(path);
  if (unlock) return unlock;
  const holder = holderOf(path);
  const who = holder === undefined ? '' : ` (process ${holder})`;
  throw new StartRefusal(
    `Another service${who} is using the data folder ${path}: stop it, or choose another folder with --data.`,
  );
};

const lock = (path: string): (() => void) | undefined => {
  try {
    sqlite();
  } catch (cause) {
    throw new StartRefusal(`${errorMessage(cause)}.`, { cause });
  }
  try {
    return lockFolder(path);
  } catch (error) {
    throw new StartRefusal(
      `The data folder ${path} cannot be locked (${lockFile}: ${errorMessage(error)}): choose ` +
        'another one with --data.',
      { cause: error },
    );
  }
};

/** A draft is an unfinished write left behind by a crash. */
const isDraft = (name: string): boolean =>
  name.endsWith(draftSuffix) && known.has(name.slice(0, -draftSuffix.length));

const beforeMarker: readonly string[] = [
  lockFile,
  holderFile,
  holderFile + draftSuffix,
  marker + draftSuffix,
  ignoreFile,
];

const checkOurs = (path: string): void => {
  const isOurs = existsSync(join(path, marker));
  if (!isOurs && readdirSync(path).some(name => !beforeMarker.includes(name)))
    throw new StartRefusal(
      `The folder ${path} is not a data folder of som-bus, and holds other files: choose ` +
        `another one with --data. If it was one, restore its ${marker} from a copy.`,
    );
};

/** What of a folder with our marker `--fresh` would delete although it cannot be ours. */
const foreignIn = (path: string): string | undefined =>
  contents.find(name => {
    const found = statSync(join(path, name), { throwIfNoEntry: false });
    if (!found) return false;
    if (!folders.includes(name)) return !found.isFile();
    // One file per access key, named after it; or a file where the folder was, which is damage.
    return (
      found.isDirectory() &&
      readdirSync(join(path, name)).some(key => !/^[A-Z\d]{20}\.json/.test(key))
    );
  });

/** @throws StartRefusal unless all that `--fresh` deletes is ours: then nothing is deleted */
const checkDeletable = (path: string): void => {
  const value = existsSync(join(path, marker)) ? jsonHint(join(path, marker)) : { format };
  const isMarked = isJsonObject(value) && typeof value['format'] === 'number';
  const foreign = isMarked ? foreignIn(path) : marker;
  if (foreign !== undefined)
    throw new StartRefusal(
      `--fresh deletes nothing in ${path}, because ${foreign} is not as som-bus writes it: if ` +
        'you need nothing there, delete the folder yourself, or choose another one with --data.',
    );
};

/** The version that wrote a marker, as far as the marker says. */
const writerOf = (value: unknown): string => {
  const { format: written, version: named } = isJsonObject(value) ? value : {};
  const about = typeof written === 'number' ? ` (format ${written})` : '';
  if (typeof named === 'string' && /^[\w.+-]{1,40}$/.test(named)) return `som-bus ${named}${about}`;
  return `another version of som-bus, which noted no version${about}`;
};

const checkFormat = (path: string): boolean => {
  const value = intactJson(path);
  if (isJsonObject(value) && value['format'] === format) return value['seeded'] === true;
  const writer = writerOf(value);
  throw new StartRefusal(
    `The data folder was written by ${writer}, and this is som-bus ${version}, which reads ` +
      `format ${format} (${path}): use that version, choose another folder with --data, or ` +
      'start over with --fresh.',
  );
};

const isThere = (path: string, name: string): boolean => {
  const found = statSync(join(path, name), { throwIfNoEntry: false });
  if (!found) return false;
  if (folders.includes(name)) return readdirSync(join(path, name)).length > 0;
  return found.size > 0;
};

const checkParts = (path: string, needed: readonly string[]): void => {
  const wrong = folders.find(
    name => statSync(join(path, name), { throwIfNoEntry: false })?.isDirectory() === false,
  );
  if (wrong)
    throw new StartRefusal(
      `${join(path, wrong)} is a file, not a folder: restore the data folder.`,
    );
  const missing = needed.filter(name => !isThere(path, name));
  if (missing.length > 0) throw missingParts(path, missing);
};

const check = (path: string): void => {
  const isSeeded = existsSync(join(path, marker)) && checkFormat(join(path, marker));
  checkParts(path, isSeeded ? parts : []);
};

const mark = (path: string, value: object): void =>
  writeDurably(join(path, marker), JSON.stringify({ format, version, ...value }));

const opened = (path: string, fresh: boolean, unlock: () => void): DataFolder => {
  const file = (name: string): string => join(path, name);
  return {
    path,
    file,
    read: name => (existsSync(file(name)) ? intactJson(file(name)) : undefined),
    readHint: name => jsonHint(file(name)),
    write: (name, value) => writeDurably(file(name), `${JSON.stringify(value, null, 2)}\n`),
    begin() {
      if (fresh) {
        checkDeletable(path);
        mark(path, {});
        for (const name of contents) rmSync(file(name), { recursive: true, force: true });
      }
      check(path);
      if (!existsSync(file(marker))) mark(path, {});
      // The folder is full of secrets, and often in a repository.
      if (!existsSync(file(ignoreFile))) writeFileSync(file(ignoreFile), '*\n');
    },
    complete: () => mark(path, { seeded: true }),
    release() {
      removeHolder(path);
      unlock();
    },
  };
};

/**
 * Opens a data folder exclusively for this process, creating it if absent. `begin` is the first
 * call to change its content.
 *
 * @param options `fresh`: `begin` empties it
 * @throws StartRefusal when it is in use, damaged, or not a data folder
 */
export const openDataFolder = (folder: string, { fresh }: { fresh: boolean }): DataFolder => {
  const path = resolve(folder);
  makeFolder(path);
  checkOurs(path);
  const unlock = take(path);
  try {
    for (const name of readdirSync(path)) if (isDraft(name)) rmSync(join(path, name));
    noteHolder(path);
    chmodSync(path, 0o700);
  } catch (error) {
    unlock();
    throw error;
  }
  return opened(path, fresh, unlock);
};
