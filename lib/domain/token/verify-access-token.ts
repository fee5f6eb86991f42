import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { environmentClaim } from '../../contract/environments.ts';
import { limits } from '../../contract/limits.ts';
import { jsonIn } from '../message/json-in.ts';
import { isJsonObject } from '../message/json-object.ts';
import { type AccessTokenClaims, accessTokenHeader, issuerOf } from './access-token.ts';
import { decodePart, encodePart, partsOf } from './compact-jws.ts';
import { rawToDer } from './ecdsa-signature.ts';

/** A public key that tokens may be signed with, ready to verify. */
export interface VerificationKey {
  /** The header of the tokens it signs, as they spell it. */
  readonly header: string;
  readonly key: KeyObject;
}

export const verificationKey = (key: {
  readonly kid: string;
  readonly jwk: { readonly kty: 'EC'; readonly crv: 'P-256'; readonly x: string; readonly y: string };
}): VerificationKey => ({
  header: encodePart(accessTokenHeader(key.kid)),
  key: createPublicKey({ key: { ...key.jwk }, format: 'jwk' }),
});

const texts = ['sub', 'tenant', 'org', 'app', 'jti'] as const;
const integers = ['iat', 'exp', 'credential_version'] as const;

const isClaims = (value: unknown, origin: string): value is AccessTokenClaims =>
  isJsonObject(value) &&
  value['iss'] === issuerOf(origin) &&
  value['aud'] === origin &&
  value['environment'] === environmentClaim &&
  value['nbf'] === undefined &&
  texts.every(name => typeof value[name] === 'string') &&
  integers.every(name => Number.isSafeInteger(value[name]));

/** The claims in a payload that is spelled as this service spells them: no member twice, no space, nothing rearranged. */
const claimsOf = (payload: string, origin: string): AccessTokenClaims | undefined => {
  const value = jsonIn(Buffer.from(payload, 'base64url').toString('utf8'));
  return isClaims(value, origin) && encodePart(value) === payload ? value : undefined;
};

/**
 * Whether a token is within its time, give or take the clocks' difference.
 *
 * @param now epoch milliseconds
 */
export const inTime = ({ iat, exp }: Pick<AccessTokenClaims, 'iat' | 'exp'>, now: number): boolean =>
  now / 1000 < exp + limits.clockLeewaySeconds && iat <= now / 1000 + limits.clockLeewaySeconds;

const signatureBytes = 64;

/**
 * The claims of one of our own access tokens, whatever its time; undefined when anything about it is wrong. The header must
 * be, character for character, the one that this service writes for one of its keys, and the claims must be spelled as it
 * spells them: the token never picks the algorithm, and no token has a second spelling.
 */
export const verifyAccessToken = (
  token: string,
  facts: { readonly keys: readonly VerificationKey[]; readonly origin: string },
): AccessTokenClaims | undefined => {
  const [header, payload, signature] = partsOf(token) ?? [];
  if (header === undefined || payload === undefined || signature === undefined) return undefined;
  const key = facts.keys.find(candidate => candidate.header === header);
  const raw = decodePart(signature);
  const claims = claimsOf(payload, facts.origin);
  if (!key || raw?.length !== signatureBytes || !claims) return undefined;
  const signed = Buffer.from(token.slice(0, -signature.length - 1), 'latin1');
  return verify('sha256', signed, key.key, rawToDer(raw)) ? claims : undefined;
};
