import { createHash, timingSafeEqual } from 'node:crypto';
import { limits } from '../contract/limits.ts';
import type { Connection } from './connection.ts';

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

/** Random bytes one client secret takes. */
export const secretBytes = 32;

/** A client secret: `sbs_` and 256 random bits in base64url. */
export const clientSecret = (random: Uint8Array): string =>
  `sbs_${Buffer.from(random).toString('base64url')}`;

/** SHA-256, base64url. The secret has 256 random bits: a slow hash would add nothing but cost. */
export const hashSecret = (secret: string): string =>
  createHash('sha256').update(secret, 'utf8').digest('base64url');

const equal = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** Compared when there is no secret, so that an unknown client costs the same work as a wrong secret. */
const nobody = hashSecret('');

/**
 * Which secret of a credential this is: the current one, or the previous one within its overlap. Both are always
 * compared, in constant time.
 *
 * @param now epoch milliseconds
 */
export const matchingSecret = (
  credential: Credential | undefined,
  secret: string,
  now: number,
): SecretSlot | undefined => {
  const { current, previous } = credential ?? {};
  const hash = hashSecret(secret);
  const isCurrent = equal(hash, current?.hash ?? nobody) && current !== undefined;
  const isPrevious = equal(hash, previous?.hash ?? nobody) && previous !== undefined && now < previous.until;
  return isCurrent ? 'current' : isPrevious ? 'previous' : undefined;
};

/**
 * What is to be noted of the use of a secret; undefined when a use within the last minute is known.
 *
 * @param at epoch milliseconds
 */
export const useToNote = (credential: Credential, slot: SecretSlot, at: number): SecretUse | undefined => {
  const secret = credential[slot];
  const known = secret?.lastUsedAt === undefined ? 0 : Date.parse(secret.lastUsedAt);
  return secret && at - known >= limits.secretUseSeconds * 1000 ? { slot, hash: secret.hash, at } : undefined;
};

/** Credentials as the token route reads them: never cached. */
export interface Credentials {
  find(connection: string): Promise<{ connection: Connection; credential: Credential } | undefined>;
  /** Notes when a secret was last used; does nothing when it is gone or a later use is known. */
  noteUse(connection: string, use: SecretUse): Promise<void>;
}
