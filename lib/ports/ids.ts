/** Randomness. */
export interface Ids {
  /** `bytes` random bytes from a cryptographic source. */
  random(bytes: number): Uint8Array;
}
