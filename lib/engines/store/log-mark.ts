import { existsSync, fdatasyncSync, readFileSync, writeSync } from 'node:fs';
import { Checksum, wordsOf } from './checksum.ts';
import type { LogReader, Salt } from './write-ahead-log.ts';

/*
 * A log that was cut looks to SQLite like one that ends there: what was committed after is gone without a word. The mark, a
 * file of its own, says how much of the log had been flushed, so that a shorter or older log is noticed.
 */

/** How much of a log was on disk. Its salt does not matter while no frame is promised. */
interface Mark extends Salt {
  readonly frames: number;
  /** Whether the store was closed, so that no log belongs to it. */
  readonly closed: boolean;
}

const emptyLog: Mark = { first: 0, second: 0, frames: 0, closed: false };

/** Salt, frames and checksum: few enough for one sector of a disk, which is written whole. */
const markWords = 6;

const checksumOf = (words: Uint32Array): Checksum => new Checksum(1, 1).add(words, 0, 4);

const write = (file: number, { first, second, frames, closed }: Mark): void => {
  const words = new Uint32Array(markWords);
  words.set([first, second, frames, closed ? 1 : 0]);
  const sum = checksumOf(words);
  words.set([sum.first, sum.second], 4);
  writeSync(file, words, 0, words.byteLength, 0);
};

/**
 * Notes that so many frames of a log are on disk. It is not flushed itself: after a power cut it may say less than is there,
 * never more.
 */
export const markFlushed = (file: number, salt: Salt, frames: number): void =>
  write(file, { ...emptyLog, first: salt.first, second: salt.second, frames });

/**
 * Notes, and flushes, that the database holds everything: the log may start over.
 *
 * @param closed whether none will be written until the next start
 */
export const markEmpty = (file: number, closed = false): void => {
  write(file, { ...emptyLog, closed });
  fdatasyncSync(file);
};

const read = (path: string): Mark | undefined => {
  const bytes = Uint8Array.from(readFileSync(path));
  if (bytes.length !== markWords * 4) return undefined;
  const words = wordsOf(bytes);
  const [first = 0, second = 0, frames = 0, closed] = words;
  return checksumOf(words).is(words[4], words[5])
    ? { first, second, frames, closed: closed === 1 }
    : undefined;
};

/** Whether a log holds all that was marked, and belongs to it at all. A damaged or missing mark is held by none. */
export const holdsMarked = (mark: string, { salt, frames }: LogReader): boolean => {
  const marked = existsSync(mark) ? read(mark) : undefined;
  if (marked === undefined) return false;
  if (marked.frames === 0) return !marked.closed || frames === 0;
  return salt?.first === marked.first && salt.second === marked.second && frames >= marked.frames;
};
