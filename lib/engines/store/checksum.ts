/**
 * The checksum that SQLite keeps in its write-ahead log, over pairs of 32-bit words in the machine's byte order.
 *
 * @see https://www.sqlite.org/fileformat2.html#checksum_algorithm
 */
export class Checksum {
  #first: number;
  #second: number;

  constructor(first = 0, second = 0) {
    this.#first = first >>> 0;
    this.#second = second >>> 0;
  }

  /** Adds the words from index `from` to before index `to`: an even number of words. */
  add(words: Uint32Array, from: number, to: number): this {
    let first = this.#first | 0;
    let second = this.#second | 0;
    for (let index = from; index < to; index += 2) {
      first = (first + (words[index] ?? 0) + second) | 0;
      second = (second + (words[index + 1] ?? 0) + first) | 0;
    }
    this.#first = first >>> 0;
    this.#second = second >>> 0;
    return this;
  }

  copy(): Checksum {
    return new Checksum(this.#first, this.#second);
  }

  get first(): number {
    return this.#first;
  }

  get second(): number {
    return this.#second;
  }

  is(first: number | undefined, second: number | undefined): boolean {
    return this.#first === first && this.#second === second;
  }
}

/** The bytes as 32-bit words in the machine's byte order. Their buffer must be a multiple of four bytes, and aligned. */
export const wordsOf = (bytes: Uint8Array): Uint32Array =>
  new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2);

/** Bytes that {@link wordsOf} can read. */
export const alignedBytes = (length: number): Uint8Array => new Uint8Array(new ArrayBuffer(length));
