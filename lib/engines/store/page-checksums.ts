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

const readWords = (path: string): Uint32Array => {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const bytes = alignedBytes(size - (size % sumBytes));
    readSync(file, bytes, 0, bytes.length, 0);
    return wordsOf(bytes);
  } finally {
    closeSync(file);
  }
};

/** What checks a page: its words begin at index `from`; it is not complete where the file ends within it. */
type PageCheck = (page: number, words: Uint32Array, place: { from: number; complete: boolean }) => boolean;

/** Calls `check` with every page of a database; ends with the first for which it returns false. */
const everyPage = (path: string, check: PageCheck): number | undefined => {
  const file = openSync(path, 'r');
  try {
    const chunk = alignedBytes(256 * pageBytes);
    const words = wordsOf(chunk);
    for (let page = 1; ; ) {
      const read = readSync(file, chunk, 0, chunk.length, (page - 1) * pageBytes);
      if (read === 0) return undefined;
      for (let from = 0; from < read / 4; from += pageWords, page += 1) {
        const complete = (from + pageWords) * 4 <= read;
        if (page !== lockPage && !check(page, words, { from, complete })) return page;
      }
    }
  } finally {
    closeSync(file);
  }
};

/**
 * The number of the first page of a database that is not as it was noted; undefined when all are.
 *
 * @param rewritten pages that the log holds: a crash may have left them half written, and SQLite takes them from the log
 */
export const damagedPage = (
  database: string,
  sums: string,
  rewritten: { has(page: number): boolean },
): number | undefined => {
  if (!existsSync(sums)) return 1;
  const noted = readWords(sums);
  let last = 0;
  const isAsNoted: PageCheck = (page, words, { from, complete }) =>
    complete && pageChecksum(page, words, from).is(noted[2 * page - 2], noted[2 * page - 1]);
  const damaged = everyPage(database, (page, words, place) => {
    last = page;
    return rewritten.has(page) || isAsNoted(page, words, place);
  });
  if (damaged !== undefined) return damaged;
  // Pages that are noted but missing: the file was cut.
  for (let page = last + 1; page <= noted.length / 2; page += 1)
    if (page !== lockPage && !rewritten.has(page)) return page;
  return undefined;
};

/** Notes every page of a database that has no log: a new one. */
export const noteAllPages = (database: string, file: number): void => {
  const pages = new Map<number, Checksum>();
  everyPage(database, (page, words, { from }) => {
    pages.set(page, pageChecksum(page, words, from));
    return true;
  });
  notePages(file, pages);
};
