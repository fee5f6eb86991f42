import { readSync } from 'node:fs';
import { alignedBytes, Checksum, wordsOf } from './checksum.ts';

/*
 * SQLite's write-ahead log: a header, then one frame for each page that was changed. A frame has a header of six words (page
 * number, size of the database for the last frame of a commit, the log's two salts, a checksum of everything before) and the page.
 * https://www.sqlite.org/fileformat2.html#the_write_ahead_log
 */

export const pageBytes = 4096;
export const pageWords = pageBytes / 4;
const headerBytes = 32;
const frameHeaderWords = 6;
const frameWords = frameHeaderWords + pageWords;
const frameBytes = frameWords * 4;
/** A log is read in parts, each twice as long as the one before: what follows the last commit may be from an earlier log. */
const minFramesPerRead = 16;
const maxFramesPerRead = 256;

/** How long a log of so many frames is. */
export const logBytes = (frames: number): number => headerBytes + frames * frameBytes;

/** The log's random name: it changes each time the log starts over. */
export interface Salt {
  readonly first: number;
  readonly second: number;
}

/**
 * The first page without what changes when SQLite starts or stops to use a log: format versions, change counters, and its own
 * version (https://www.sqlite.org/fileformat2.html#the_database_header).
 */
const withoutCounters = (words: Uint32Array, from: number): Uint32Array => {
  const page = words.slice(from, from + pageWords);
  new Uint8Array(page.buffer).fill(0, 18, 20).fill(0, 24, 28).fill(0, 92, 100);
  return page;
};

/** Words of headers are big-endian. */
const saltIn = (view: DataView, at: number): Salt => ({
  first: view.getUint32(at),
  second: view.getUint32(at + 4),
});

const isSame = (one: Salt, other: Salt | undefined): boolean =>
  one.first === other?.first && one.second === other.second;

/** Starts from the page's number, so that a page in the wrong place does not match. */
export const pageChecksum = (page: number, words: Uint32Array, from: number): Checksum => {
  const sum = new Checksum(page, pageBytes);
  return page === 1
    ? sum.add(withoutCounters(words, from), 0, pageWords)
    : sum.add(words, from, from + pageWords);
};

/** Fills `bytes` from a position of a file, and returns the part that could be filled. */
const readFully = (file: number, from: number, bytes: Uint8Array): Uint8Array => {
  let read = 0;
  for (let got = 1; got > 0 && read < bytes.length; read += got)
    got = readSync(file, bytes, read, bytes.length - read, from + read);
  return bytes.subarray(0, read);
};

const readHeader = (file: number): Uint8Array => readFully(file, 0, alignedBytes(headerBytes));

/**
 * Reads a log as it grows, and as SQLite would after a crash: what counts are the frames up to the last complete commit before
 * the first invalid frame.
 */
export class LogReader {
  /** Undefined while the log is empty. */
  salt: Salt | undefined;
  /** How many frames belong to complete commits. */
  frames = 0;
  /** The checksum of every page's latest committed content, by page number (from 1). */
  readonly pages = new Map<number, Checksum>();
  readonly #before: Salt | undefined;
  /** A part of the log. Reused: reading into fresh memory takes twice as long. */
  readonly #part = alignedBytes(maxFramesPerRead * frameBytes);
  /** Of everything up to the last complete commit. */
  #sum = new Checksum();

  /** @param before the salt of a log that the database holds: until another takes its place, the log counts as empty */
  constructor(before?: Salt) {
    this.#before = before;
  }

  /** Whether this is the log that was read before: a log that started over has another salt. */
  isOf(file: number): boolean {
    if (this.salt === undefined) return true;
    const bytes = readHeader(file);
    if (bytes.length < headerBytes) return false;
    return isSame(saltIn(new DataView(bytes.buffer), 16), this.salt);
  }

  /** Reads what was added up to a size of the file. */
  readTo(file: number, size: number): void {
    if (this.salt === undefined && !this.#readHeader(file, size)) return;
    const running = this.#sum.copy();
    const pending: [number, Checksum][] = [];
    const complete = Math.floor((size - headerBytes) / frameBytes);
    let most = minFramesPerRead;
    for (let frame = this.frames; frame < complete; ) {
      const count = Math.min(most, complete - frame);
      most = Math.min(2 * most, maxFramesPerRead);
      const part = this.#part.subarray(0, count * frameBytes);
      const bytes = readFully(file, headerBytes + frame * frameBytes, part);
      if (!this.#readFrames(bytes, { running, pending, first: frame })) return;
      frame += count;
    }
  }

  #readHeader(file: number, size: number): boolean {
    if (size < headerBytes) return false;
    const bytes = readHeader(file);
    const view = new DataView(bytes.buffer);
    const sum = new Checksum().add(wordsOf(bytes), 0, 6);
    // The words of the header are big-endian, and so are page numbers, salts and checksums of frames.
    if (!sum.is(view.getUint32(24), view.getUint32(28)) || view.getUint32(8) !== pageBytes) return false;
    const salt = saltIn(view, 16);
    if (isSame(salt, this.#before)) return false;
    this.salt = salt;
    this.#sum = sum;
    return true;
  }

  /** Whether all frames were valid. */
  #readFrames(
    bytes: Uint8Array,
    { running, pending, first }: { running: Checksum; pending: [number, Checksum][]; first: number },
  ): boolean {
    const words = wordsOf(bytes);
    const view = new DataView(bytes.buffer);
    for (let at = 0, frame = first; at < words.length; at += frameWords, frame += 1) {
      if (!this.#isValid(view, at * 4, running.add(words, at, at + 2).add(words, at + 6, at + frameWords)))
        return false;
      const page = view.getUint32(at * 4);
      pending.push([page, pageChecksum(page, words, at + frameHeaderWords)]);
      if (view.getUint32(at * 4 + 4) === 0) continue;
      for (const [changed, sum] of pending.splice(0)) this.pages.set(changed, sum);
      this.frames = frame + 1;
      this.#sum = running.copy();
    }
    return true;
  }

  #isValid(view: DataView, at: number, sum: Checksum): boolean {
    return (
      isSame(saltIn(view, at + 8), this.salt) && sum.is(view.getUint32(at + 16), view.getUint32(at + 20))
    );
  }
}
