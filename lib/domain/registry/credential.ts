/** The secrets of a connection. Hashes are SHA-256, base64url. */
export interface Credential {
  readonly version: number;
  readonly current: { readonly hash: string; readonly issuedAt: string };
  /** The secret before the last rotation, while its overlap lasts. */
  readonly previous?: { readonly hash: string /** Epoch milliseconds. */; readonly until: number };
}
