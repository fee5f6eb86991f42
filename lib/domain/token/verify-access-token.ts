import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { environmentClaim } from '../../contract/environments.ts';
import { limits } from '../../contract/limits.ts';
import { type AccessTokenClaims, issuerOf } from './access-token.ts';
import { parseCompactJws } from './compact-jws.ts';
import { rawToDer } from './ecdsa-signature.ts';

/** A public key tokens may be signed with, ready to verify. */
export interface VerificationKey {
  readonly kid: string;
  readonly key: KeyObject;
}

export const verificationKey = (key: {
  readonly kid: string;
  readonly jwk: { readonly kty: 'EC'; readonly crv: 'P-256'; readonly x: string; readonly y: string };
}): VerificationKey => ({ kid: key.kid, key: createPublicKey({ key: { ...key.jwk }, format: 'jwk' }) });

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const texts = ['sub', 'tenant', 'org', 'app', 'jti'] as const;
const integers = ['iat', 'exp', 'credential_version'] as const;

const isClaims = (value: unknown, origin: string): value is AccessTokenClaims =>
  isRecord(value) &&
  value['iss'] === issuerOf(origin) &&
  value['aud'] === origin &&
  value['environment'] === environmentClaim &&
  texts.every(name => typeof value[name] === 'string') &&
  integers.every(name => Number.isSafeInteger(value[name]));

/** Only `alg`, `typ` and `kid`: a header that asks for more (crit, jwk, jku, x5u, …) is not one of ours. */
const kidOf = (header: unknown): string | undefined => {
  if (!isRecord(header) || Object.keys(header).length !== 3) return undefined;
  const { alg, typ, kid } = header;
  return alg === 'ES256' && typ === 'JWT' && typeof kid === 'string' ? kid : undefined;
};

const inTime = (claims: AccessTokenClaims, nowSeconds: number): boolean =>
  nowSeconds < claims.exp + limits.clockLeewaySeconds && claims.iat <= nowSeconds + limits.clockLeewaySeconds;

/**
 * The claims of one of our own access tokens, or undefined when anything about it is wrong. ES256 only: the
 * token never picks the algorithm.
 *
 * @param now epoch milliseconds
 */
export const verifyAccessToken = (
  token: string,
  facts: { readonly keys: readonly VerificationKey[]; readonly origin: string },
  now: number,
): AccessTokenClaims | undefined => {
  const jws = parseCompactJws(token);
  const kid = kidOf(jws?.header);
  const key = facts.keys.find(candidate => candidate.kid === kid);
  if (!jws || !key || jws.signature.length !== 64) return undefined;
  if (!isClaims(jws.payload, facts.origin) || !inTime(jws.payload, now / 1000)) return undefined;
  return verify('sha256', jws.signingInput, key.key, rawToDer(jws.signature)) ? jws.payload : undefined;
};
