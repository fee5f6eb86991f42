import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { writeDurably } from '../engines/files.ts';
import { changedFile, damagedFile } from './start-refusal.ts';

/** How the database was when the service was stopped properly: there only while nobody has it open. */
export const databaseNote = 'database.json';

const chunkBytes = 4 * 1024 * 1024;
const signature = 'SQLite format 3\0';

interface DatabaseFacts {
  readonly bytes: number;
  readonly checksum: number;
}

const factsOf = (path: string): DatabaseFacts => {
  const file = openSync(path, 'r');
  try {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    let checksum = 0;
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk))
      checksum = crc32(chunk.subarray(0, read), checksum);
    return { bytes: fstatSync(file).size, checksum };
  } finally {
    closeSync(file);
  }
};

const headOf = (path: string): Buffer => {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(100);
    readSync(file, head);
    return head;
  } finally {
    closeSync(file);
  }
};

/**
 * SQLite's own journals: while one is there, the file alone is not the database, and the engine of a service that was
 * killed may still be closing it.
 */
const hasJournal = (path: string): boolean => existsSync(`${path}-wal`) || existsSync(`${path}-journal`);

/**
 * Whether a file can be an SQLite database. Without a note that is all that can be said.
 *
 * @see https://www.sqlite.org/fileformat2.html#the_database_header
 */
const isWellFormed = (path: string, { bytes, isOpen }: { bytes: number; isOpen: boolean }): boolean => {
  const head = headOf(path);
  const pageBytes = head.readUInt16BE(16) === 1 ? 65_536 : head.readUInt16BE(16);
  if (head.toString('latin1', 0, 16) !== signature || pageBytes < 512 || bytes % pageBytes !== 0)
    return false;
  // Only a number of pages that the last writer kept is to be believed.
  const isKept = head.readUInt32BE(24) === head.readUInt32BE(92);
  return isOpen || !isKept || head.readUInt32BE(28) * pageBytes === bytes;
};

const isAsNoted = (note: string, { bytes, checksum }: DatabaseFacts): boolean => {
  try {
    const noted: unknown = JSON.parse(readFileSync(note, 'utf8'));
    return JSON.stringify(noted) === JSON.stringify({ bytes, checksum });
  } catch {
    throw damagedFile(note);
  }
};

/**
 * Checks a data folder's database, if it has one, and forgets how it was: from now on it changes.
 *
 * @throws StartRefusal when it is not as it was left
 */
export const checkDatabaseFile = (folder: string, name: string): void => {
  const path = join(folder, name);
  const note = join(folder, databaseNote);
  if (existsSync(path)) {
    // First of all: the journal may vanish meanwhile, after which it is closed.
    const isOpen = hasJournal(path);
    const bytes = statSync(path).size;
    if (bytes > 0 && !isWellFormed(path, { bytes, isOpen })) throw damagedFile(path);
    if (existsSync(note) && !isOpen && !isAsNoted(note, factsOf(path))) throw changedFile(path, note);
  }
  rmSync(note, { force: true });
};

/** Notes how the database is, after its engine has closed it. */
export const noteDatabase = (folder: string, name: string): void => {
  const path = join(folder, name);
  if (existsSync(path) && !hasJournal(path))
    writeDurably(join(folder, databaseNote), JSON.stringify(factsOf(path)));
};
