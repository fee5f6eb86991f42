import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { Connection } from '../../access/registry/connection.ts';
import { environmentClaim } from '../../contract/environments.ts';
import { limits } from '../../contract/limits.ts';
import { isJsonObject, type JsonObject, jsonIn } from '../../platform/json/value.ts';
import { decodePart, encodePart, hasLowS, partsOf } from './jws.ts';
import type { SigningKey } from './key-ring.ts';

/** What the service's own access tokens say (RFC 7519); times are epoch seconds. */
interface AccessTokenClaims {
  readonly iss: string;
  readonly aud: string;
  readonly sub: string;
  readonly tenant: string;
  readonly org: string;
  readonly app: string;
  readonly environment: typeof environmentClaim;
  readonly credential_version: number;
  readonly iat: number;
  readonly exp: number;
  readonly jti: string;
}

/** RFC 7515 section 4; members in the order they are written. */
export const accessTokenHeader = (kid: string) => ({ alg: 'ES256', typ: 'JWT', kid }) as const;

export const issuerOf = (origin: string): string => `${origin}/v1/oauth`;

/**
 * The claims of a new token: who the caller is, never what it may send.
 *
 * @param facts `now` in epoch milliseconds, `jti` unique
 */
export const accessTokenClaims = (
  connection: Connection,
  facts: {
    origin: string;
    now: number;
    jti: string;
    credentialVersion: number;
  },
): AccessTokenClaims => {
  const iat = Math.floor(facts.now / 1000);
  return {
    iss: issuerOf(facts.origin),
    aud: facts.origin,
    sub: connection.id,
    tenant: connection.workspace,
    org: connection.organisation,
    app: connection.app,
    environment: environmentClaim,
    credential_version: facts.credentialVersion,
    iat,
    exp: iat + limits.accessTokenSeconds,
    jti: facts.jti,
  };
};

interface VerificationKey {
  readonly header: string;
  readonly key: KeyObject;
}

export const verificationKey = (key: SigningKey): VerificationKey => ({
  header: encodePart(accessTokenHeader(key.kid)),
  key: createPublicKey({ key: { ...key.jwk }, format: 'jwk' }),
});

const texts = ['sub', 'tenant', 'org', 'app', 'jti'] as const;
const integers = ['iat', 'exp', 'credential_version'] as const;

/** The service issues no token for longer: one that lasts longer was made by a thief of a key. */
const hasOwnLifetime = ({ iat, exp }: JsonObject): boolean =>
  Number(exp) - Number(iat) <= limits.accessTokenSeconds;

const isClaims = (value: unknown, origin: string): value is AccessTokenClaims =>
  isJsonObject(value) &&
  value['iss'] === issuerOf(origin) &&
  value['aud'] === origin &&
  value['environment'] === environmentClaim &&
  value['nbf'] === undefined &&
  texts.every(name => typeof value[name] === 'string') &&
  integers.every(name => Number.isSafeInteger(value[name])) &&
  hasOwnLifetime(value);

/**
 * The claims in a payload that is spelled as this service spells them: no member twice, no space,
 * nothing rearranged.
 */
const claimsOf = (payload: string, origin: string): AccessTokenClaims | undefined => {
  const value = jsonIn(Buffer.from(payload, 'base64url').toString('utf8'));
  if (isClaims(value, origin) && encodePart(value) === payload) return value;
  return undefined;
};

/** @param now epoch milliseconds */
const inTime = ({ iat, exp }: AccessTokenClaims, now: number): boolean => {
  const seconds = now / 1000;
  const leeway = limits.clockLeewaySeconds;
  return iat - leeway <= seconds && seconds < exp + leeway;
};

const signatureBytes = 64;

/**
 * The claims of one of our own access tokens, whatever the time. Header and claims must be spelled,
 * character for character, as this service spells them, and the signature has its low s: the token
 * never picks the algorithm, and no token has a second spelling.
 */
export const verifyAccessToken = (
  token: string,
  facts: { keys: readonly VerificationKey[]; origin: string },
): AccessTokenClaims | undefined => {
  const parts = partsOf(token);
  if (!parts) return undefined;
  const [header, payload, signature] = parts;

  const found = facts.keys.find(candidate => candidate.header === header);
  const raw = decodePart(signature);
  const claims = claimsOf(payload, facts.origin);
  if (!found || !claims || raw?.length !== signatureBytes || !hasLowS(raw)) return undefined;

  const signed = Buffer.from(`${header}.${payload}`, 'latin1');
  const key = { key: found.key, dsaEncoding: 'ieee-p1363' } as const;
  return verify('sha256', signed, key, raw) ? claims : undefined;
};

const remembered = 10_000;

/** @param now epoch milliseconds */
export type AccessTokenVerifier = (token: string, now: number) => AccessTokenClaims | undefined;

/**
 * Verifies each signature once: a token that verified is known by its text, of which there is only
 * one; its expiry is checked each time.
 */
export const accessTokenVerifier = (facts: {
  keys: readonly VerificationKey[];
  origin: string;
}): AccessTokenVerifier => {
  const verified = new Map<string, AccessTokenClaims>();

  const learn = (token: string): AccessTokenClaims | undefined => {
    const claims = verifyAccessToken(token, facts);
    if (!claims) return undefined;
    if (verified.size >= remembered) verified.clear();
    verified.set(token, claims);
    return claims;
  };

  return function verifyOnce(token, now) {
    const claims = verified.get(token) ?? learn(token);
    return claims && inTime(claims, now) ? claims : undefined;
  };
};
