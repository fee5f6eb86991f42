import { createHash, timingSafeEqual } from 'node:crypto';
import type { Credential } from './credential.ts';

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

/** Compared when a client is unknown, so that an unknown client costs the same work as a wrong secret. */
const nobody: Credential = { version: 0, current: { hash: hashSecret(''), issuedAt: '' } };

/**
 * Whether a secret is the current one, or the previous one within its overlap. Both are always compared, in
 * constant time.
 *
 * @param now epoch milliseconds
 */
export const secretMatches = (credential: Credential | undefined, secret: string, now: number): boolean => {
  const { current, previous } = credential ?? nobody;
  const hash = hashSecret(secret);
  const isCurrent = equal(hash, current.hash);
  const isPrevious =
    equal(hash, previous?.hash ?? nobody.current.hash) && previous !== undefined && now < previous.until;
  return credential !== undefined && (isCurrent || isPrevious);
};
