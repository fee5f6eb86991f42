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
