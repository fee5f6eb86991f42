import { pageChecksum, pageWords } from '../../../lib/engines/store/write-ahead-log.ts';

/** The checksum of a page of which one byte is 1. */
const checksumOf = (page: number, byte: number): string => {
  const words = new Uint32Array(pageWords);
  if (byte >= 0) new Uint8Array(words.buffer)[byte] = 1;
  const { first, second } = pageChecksum(page, words, 0);
  return `${first} ${second}`;
};

// Offsets in the header of a database file (SQLite, "The Database Header"): a checkpoint changes these of the first page.
const counters = [18, 19, 24, 25, 26, 27, 92, 93, 94, 95, 96, 97, 98, 99];

test('of the first page, every byte counts but the counters of SQLite', () => {
  const bytes = Array.from({ length: 4 * pageWords }, (_, byte) => byte);
  expect(bytes.filter(byte => checksumOf(1, byte) === checksumOf(1, -1))).toEqual(counters);
});

test('of another page, every byte counts', () => {
  const bytes = Array.from({ length: 4 * pageWords }, (_, byte) => byte);
  expect(bytes.filter(byte => checksumOf(2, byte) === checksumOf(2, -1))).toEqual([]);
});

test('pages that are alike have different checksums in different places', () => {
  expect(checksumOf(2, -1)).not.toBe(checksumOf(3, -1));
});
