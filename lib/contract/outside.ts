import { limits } from './limits.ts';

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

export interface Ids {
  /** `bytes` random bytes from a cryptographic source. */
  random(bytes: number): Uint8Array;
}

const bytes = 12;

export const randomName = (ids: Ids): string =>
  Buffer.from(ids.random(bytes)).toString('base64url');

/** Part of a list: at most so many entries, after the one that `next` of an earlier part names. */
export interface Part {
  readonly after?: string | undefined;
  readonly max: number;
}

export interface Entries<T> {
  readonly entries: readonly T[];
  readonly next?: string;
}

/** As many of the entries as fit into a response; the others are on the next page. */
export const fitting = <T>({ entries, next }: Entries<T>, idOf: (one: T) => string): Entries<T> => {
  let bytes = 0;
  const tooMany = entries.findIndex(one => {
    bytes += Buffer.byteLength(JSON.stringify(one)) + 1;
    return bytes > limits.listBytes;
  });
  // One entry is never too large.
  const last = tooMany < 0 ? undefined : entries[Math.max(0, tooMany - 1)];
  if (last) return { entries: entries.slice(0, Math.max(1, tooMany)), next: idOf(last) };
  return { entries, ...defined({ next }) };
};

/**
 * A text in the form that is compared in a search: whatever its case, and the Unicode form of its
 * letters.
 */
export const folded = (text: string): string =>
  // Upper case has one form of sigma and of the sharp s, which lower case has not.
  text.normalize('NFKC').toUpperCase().normalize('NFKC');

/** A time as texts have it: RFC 3339, in UTC. @param time epoch milliseconds */
export const iso = (time: number): string => new Date(time).toISOString();

/** Now, RFC 3339 in UTC. */
export const timestamp = ({ clock }: { clock: Clock }): string => iso(clock.now());

/** The day of a time in UTC, as YYYY-MM-DD. @param time epoch milliseconds */
export const utcDay = (time: number): string => iso(time).slice(0, 10);

/** The part of a list that is read as a whole, because it is bounded where it is made. */
export const partOf = <T>(
  all: readonly T[],
  { after, max }: Part,
  idOf: (one: T) => string,
): Entries<T> => {
  const from = after === undefined ? 0 : all.findIndex(one => idOf(one) === after) + 1;
  const entries = all.slice(from, from + max);
  const last = from + max < all.length ? entries.at(-1) : undefined;
  return { entries, ...(last && { next: idOf(last) }) };
};

type Optional<T> = { [Name in keyof T]-?: undefined extends T[Name] ? Name : never }[keyof T];

/** A type whose members are absent where those of `T` may be undefined. */
export type Defined<T> = Omit<T, Optional<T>> & {
  readonly [Name in Optional<T>]?: Exclude<T[Name], undefined>;
};

/** The members that have a value. */
export const defined = <T extends object>(members: T): Defined<T> => {
  const present: Partial<T> = {};
  for (const name of Object.keys(members) as (keyof T)[])
    if (members[name] !== undefined) present[name] = members[name];
  return present as T;
};
