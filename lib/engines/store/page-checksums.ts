import { closeSync, existsSync, fdatasyncSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { alignedBytes, type Checksum, wordsOf } from './checksum.ts';
import { pageBytes, pageChecksum, pageWords } from './write-ahead-log.ts';

/*
 * SQLite has no checksums in the database itself, only in its log. This file beside the database holds one of eight bytes for
 * every page, so that damage is found at the next start and never answered from.
 */

const sumBytes = 8;

/** SQLite never uses the page with this byte: systems lock it (https://www.sqlite.org/fileformat2.html#the_lock_byte_page). */
const lockPage = 0x4000_0000 / pageBytes + 1;

/** Checksums are read and written in blocks of this many pages. */
const pagesPerBlock = 512;

/** Writes the checksums of pages within one block. */
const noteBlock = (file: number, block: number, pages: readonly (readonly [number, Checksum])[]): void => {
  const first = block * pagesPerBlock + 1;
  const bytes = alignedBytes(pagesPerBlock * sumBytes);
  readSync(file, bytes, 0, bytes.length, (first - 1) * sumBytes);
  const words = wordsOf(bytes);
  for (const [page, sum] of pages) words.set([sum.first, sum.second], 2 * (page - first));
  const noted = Math.max(...pages.map(([page]) => page), lastNoted(file)) - first + 1;
  const length = Math.min(noted, pagesPerBlock) * sumBytes;
  writeSync(file, bytes, 0, length, (first - 1) * sumBytes);
};

const lastNoted = (file: number): number => fstatSync(file).size / sumBytes;

/** Notes the new content of pages, and flushes. Only then may they be written to the database. */
export const notePages = (file: number, pages: ReadonlyMap<number, Checksum>): void => {
  const blocks = new Map<number, (readonly [number, Checksum])[]>();
  for (const entry of pages) {
    const block = Math.floor((entry[0] - 1) / pagesPerBlock);
    const others = blocks.get(block);
    if (others) others.push(entry);
    else blocks.set(block, [entry]);
  }
  // In ascending order: the file grows without holes but for the page that SQLite never uses.
  for (const [block, entries] of [...blocks].sort(([one], [other]) => one - other))
    noteBlock(file, block, entries);
  fdatasyncSync(file);
};

/** Pages that are read at once. */
const pagesPerStep = 256;

/** The words of a file from a byte on, as far as it goes. */
const wordsAt = (file: number, bytes: Uint8Array, at: number): Uint32Array => {
  const read = readSync(file, bytes, 0, bytes.length, at);
  return wordsOf(bytes).subarray(0, Math.floor(read / 4));
};

/** Pages that the log holds: a crash may have left them half written, and SQLite takes them from the log. */
export interface Rewritten {
  has(page: number): boolean;
}

/**
 * Checks that every page of a database is as it was noted, some at a time: between two steps, pages may be written as {@link notePages}
 * asks for.
 */
export class PageCheck {
  readonly #database: number;
  readonly #sums: number;
  readonly #rewritten: Rewritten;
  readonly #pages = alignedBytes(pagesPerStep * pageBytes);
  readonly #noted = alignedBytes(pagesPerStep * sumBytes);
  #next = 1;

  /** On Linux and macOS, closing it releases SQLite's lock of the database: begin before SQLite opens it, and close after. */
  constructor(database: string, sums: string, rewritten: Rewritten) {
    this.#database = openSync(database, 'r');
    this.#sums = openSync(sums, 'r');
    this.#rewritten = rewritten;
  }

  /** Checks the next pages. @returns the number of a damaged page, or whether there are more */
  step(): number | 'more' | 'done' {
    const first = this.#next;
    const words = wordsAt(this.#database, this.#pages, (first - 1) * pageBytes);
    const noted = wordsAt(this.#sums, this.#noted, (first - 1) * sumBytes);
    const found = Math.ceil(words.length / pageWords);
    // Pages that are noted but missing: the file was cut.
    const last = first + Math.max(found, Math.floor(noted.length / 2)) - 1;
    for (let page = first; page <= last; page += 1) {
      const from = (page - first) * pageWords;
      const isComplete = from + pageWords <= words.length;
      const [one, other] = [noted[2 * (page - first)], noted[2 * (page - first) + 1]];
      if (page === lockPage || this.#rewritten.has(page)) continue;
      if (!isComplete || !pageChecksum(page, words, from).is(one, other)) return page;
    }
    this.#next = last + 1;
    return last - first + 1 === pagesPerStep ? 'more' : 'done';
  }

  close(): void {
    closeSync(this.#database);
    closeSync(this.#sums);
  }
}

/** The number of the first page of a database that is not as it was noted; undefined when all are. */
export const damagedPage = (database: string, sums: string, rewritten: Rewritten): number | undefined => {
  if (!existsSync(sums)) return 1;
  const check = new PageCheck(database, sums, rewritten);
  try {
    for (;;) {
      const found = check.step();
      if (found !== 'more') return found === 'done' ? undefined : found;
    }
  } finally {
    check.close();
  }
};

/** Notes every page of a database that has no log: a new one. */
export const noteAllPages = (database: string, file: number): void => {
  const pages = new Map<number, Checksum>();
  const from = openSync(database, 'r');
  try {
    const bytes = alignedBytes(pagesPerStep * pageBytes);
    for (let next = 1; ; ) {
      const words = wordsAt(from, bytes, (next - 1) * pageBytes);
      for (let at = 0; at < words.length; at += pageWords, next += 1)
        pages.set(next, pageChecksum(next, words, at));
      if (words.length === 0) break;
    }
  } finally {
    closeSync(from);
  }
  notePages(file, pages);
};
