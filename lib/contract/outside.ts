/** Time. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

/** Randomness. */
export interface Ids {
  /** `bytes` random bytes from a cryptographic source. */
  random(bytes: number): Uint8Array;
}

const bytes = 12;

/** A unique name: 16 characters of base64url. */
export const randomName = (ids: Ids): string => Buffer.from(ids.random(bytes)).toString('base64url');

/** Part of a list: at most so many entries, after the one that `next` of an earlier part names. */
export interface Part {
  readonly after?: string | undefined;
  readonly max: number;
}

/** What a part brings; `next` is there if there may be more. */
export interface Entries<T> {
  readonly entries: readonly T[];
  readonly next?: string;
}
