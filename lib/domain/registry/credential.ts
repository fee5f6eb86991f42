/** What is kept of a secret. */
export interface StoredSecret {
  /** SHA-256, base64url. */
  readonly hash: string;
  /** RFC 3339, to the minute or so; absent while nobody used it. */
  readonly lastUsedAt?: string;
}

/** The secrets of a connection. */
export interface Credential {
  readonly version: number;
  /** Absent when it was revoked and no new one issued. */
  readonly current?: StoredSecret & { readonly issuedAt: string };
  /** The secret before the last rotation, while its overlap lasts. */
  readonly previous?: StoredSecret & { /** Epoch milliseconds. */ readonly until: number };
}

/** Which secret of a credential. */
export type SecretSlot = 'current' | 'previous';

/** One use of a secret, to be noted. */
export interface SecretUse {
  readonly slot: SecretSlot;
  readonly hash: string;
  /** Epoch milliseconds. */
  readonly at: number;
}
