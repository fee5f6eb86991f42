import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { draftSuffix, errorCode, lockFolder, withChecksum, writeDurably } from '../engines/files.ts';
import { isJsonObject } from '../json/value.ts';
import { checkDatabaseFile, databaseNote, noteDatabase } from './database-note.ts';
import { holderFile, holderOf, noteHolder, removeHolder } from './folder-holder.ts';
import { intactJson, jsonHint, missingParts, StartRefusal } from './start-refusal.ts';

/** Files of a data folder that more than one part of the program reads. */
export const dataFiles = {
  /** Says that the folder is one, of which format. */
  marker: 'sombus.json',
  /** The demo workspace with its connections and their secrets. */
  credentials: 'credentials.json',
  /** Where the service listens that runs, or ran last. */
  service: 'service.json',
} as const;

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Not `recursive`, which never ends in Node 20 where a parent such as /proc takes no folders. */
const makeAll = (path: string): void => {
  if (isFolder(path)) return;
  if (dirname(path) !== path) makeAll(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (fault) {
    // Somebody else may have made it meanwhile.
    if (!isFolder(path)) throw fault;
  }
};

/**
 * Makes a folder and its parents, for their owner alone.
 *
 * @param path absolute
 * @throws StartRefusal when it cannot be made
 */
const makeFolder = (path: string): void => {
  try {
    makeAll(path);
  } catch (fault) {
    const code = errorCode(fault);
    const why = code === undefined ? '' : ` (${code})`;
    throw new StartRefusal(`The data folder ${path} cannot be made${why}: choose another one with --data.`);
  }
};

export const databaseFile = 'dynamodb.sqlite';
const { marker } = dataFiles;
/** Raised when a later version can no longer read what this one writes. */
const format = 1;
/** What a folder has for good once its first start is complete. */
const parts = [databaseFile, 'sqs', 'kms', dataFiles.credentials, 'demo-role.json', 'roles'] as const;
const folders: readonly string[] = ['sqs', 'kms', 'roles'];
/** What `--fresh` removes. */
const contents = [
  ...parts,
  `${databaseFile}-wal`,
  `${databaseFile}-shm`,
  dataFiles.service,
  'usage.json',
  databaseNote,
];
const known: ReadonlySet<string> = new Set([marker, holderFile, `${holderFile}.left`, ...contents]);

/** Everything durable of one local service. Only one process at a time has it open. */
export interface DataFolder {
  readonly path: string;
  file(name: string): string;
  /**
   * The JSON value of a file; undefined when there is none.
   *
   * @throws StartRefusal when it is damaged
   */
  read(name: string): unknown;
  /** Like `read`, for what the service can do without: undefined as well when it is damaged. */
  readHint(name: string): unknown;
  /** Replaces a JSON file in one step; only its owner may read it. */
  write(name: string, value: object): void;
  /**
   * Makes the folder ready for the engines: empties it for `--fresh`, else checks that nothing is missing, and that the
   * database is as it was left.
   *
   * @param elsewhere parts that are kept somewhere else
   * @throws StartRefusal that names what is missing or damaged
   */
  begin(elsewhere?: readonly string[]): void;
  /** Notes how the engines left the database, once they are closed. */
  end(): void;
  /** Notes that the first start is complete: from now on no part may be missing. */
  complete(): void;
  /** Resolves once somebody else can open the folder. */
  release(): Promise<void>;
}

/** Takes the system's lock, which ends with the process, so that nobody else changes the folder. */
const take = async (path: string): Promise<() => Promise<void>> => {
  try {
    return await lockFolder(path);
  } catch (fault) {
    const cause = fault instanceof Error ? fault.cause : undefined;
    if (errorCode(cause) !== 'EADDRINUSE') throw fault;
    const holder = holderOf(path);
    const who = holder ? ` (process ${holder.pid})` : '';
    throw new StartRefusal(
      `Another service${who} is using the data folder ${path}: stop it, or choose another folder with --data.`,
    );
  }
};

/** Drafts are what a crash left of a write that never happened. */
const isDraft = (name: string): boolean =>
  name.endsWith(draftSuffix) && known.has(name.slice(0, -draftSuffix.length));

const checkOurs = (path: string): void => {
  const isOurs = existsSync(join(path, marker));
  if (!isOurs && readdirSync(path).some(name => !known.has(name) && !isDraft(name)))
    throw new StartRefusal(
      `The folder ${path} holds other files and is no data folder of som-bus: choose another one with --data.`,
    );
};

/** Whether the first start was complete; false as well for what a version wrote that did not note it. */
const checkFormat = (path: string): boolean => {
  const value = intactJson(path);
  if (isJsonObject(value) && value['format'] === format) return value['seeded'] === true;
  throw new StartRefusal(
    `The data folder was written by another version of som-bus (${path}): use that version, or another folder with --data.`,
  );
};

const isThere = (path: string, name: string): boolean => {
  const found = statSync(join(path, name), { throwIfNoEntry: false });
  if (!found) return false;
  if (folders.includes(name)) return readdirSync(join(path, name)).length > 0;
  return found.size > 0;
};

/** Refuses a folder that lacks parts, or has a file where a folder belongs. */
const checkParts = (path: string, needed: readonly string[]): void => {
  const wrong = folders.find(
    name => statSync(join(path, name), { throwIfNoEntry: false })?.isDirectory() === false,
  );
  if (wrong) throw new StartRefusal(`${join(path, wrong)} is a file, not a folder: restore the data folder.`);
  const missing = needed.filter(name => !isThere(path, name));
  if (missing.length > 0) throw missingParts(path, missing);
};

const check = (path: string, elsewhere: readonly string[]): void => {
  const isSeeded = existsSync(join(path, marker)) && checkFormat(join(path, marker));
  checkParts(path, isSeeded ? parts.filter(name => !elsewhere.includes(name)) : []);
  // The marker is the first file of a folder to be written, and the last one to go.
  const rest = contents.filter(name => existsSync(join(path, name)));
  if (!existsSync(join(path, marker)) && rest.length > 0) throw missingParts(path, [marker]);
};

const mark = (path: string, value: object): void =>
  writeDurably(join(path, marker), JSON.stringify({ format, ...value }));

/** Hints are not worth a checksum: they are done without when they are damaged. */
const checked = (name: string, value: object): object =>
  parts.some(part => part === name) ? withChecksum(value) : value;

const opened = (path: string, fresh: boolean, unlock: () => Promise<void>): DataFolder => {
  const file = (name: string): string => join(path, name);
  return {
    path,
    file,
    read: name => (existsSync(file(name)) ? intactJson(file(name)) : undefined),
    readHint: name => jsonHint(file(name)),
    write: (name, value) => writeDurably(file(name), `${JSON.stringify(checked(name, value), null, 2)}\n`),
    begin(elsewhere = []) {
      if (fresh)
        for (const name of [...contents, marker]) rmSync(file(name), { recursive: true, force: true });
      check(path, elsewhere);
      checkDatabaseFile(path, databaseFile);
      if (!existsSync(file(marker))) mark(path, {});
    },
    end: () => noteDatabase(path, databaseFile),
    complete: () => mark(path, { seeded: true }),
    async release() {
      removeHolder(path);
      await unlock();
    },
  };
};

/**
 * Opens a data folder for this process alone, making it when it is absent. Nothing in it is changed before `begin`.
 *
 * @param options `fresh`: `begin` empties it
 * @throws StartRefusal when it is in use, damaged, or somebody else's folder
 */
export const openDataFolder = async (
  folder: string,
  { fresh }: { readonly fresh: boolean },
): Promise<DataFolder> => {
  const path = resolve(folder);
  makeFolder(path);
  const unlock = await take(path);
  try {
    checkOurs(path);
    for (const name of readdirSync(path)) if (isDraft(name)) rmSync(join(path, name), { force: true });
    noteHolder(path);
    chmodSync(path, 0o700);
  } catch (fault) {
    await unlock();
    throw fault;
  }
  return opened(path, fresh, unlock);
};
