import { errors, importJWK, type JWK, jwtVerify } from 'jose';
import type { IdentityProvider } from '../../access/registry/registry.ts';
import { limits } from '../../contract/limits.ts';
import type { IdentityProblem } from '../../contract/refusals.ts';
import { parseJson } from '../../platform/json/parse.ts';
import type { JsonObject } from '../../platform/json/value.ts';
import type { RefusedIdentity } from '../activity/records.ts';
import { decodePart, partsOf } from './jws.ts';

/** The algorithms in which foreign tokens may be signed (RFC 7518 section 3.1, RFC 8037). */
type ForeignAlgorithm = 'RS256' | 'PS256' | 'ES256' | 'EdDSA';

const byKeyType = (jwk: JsonObject): readonly ForeignAlgorithm[] => {
  switch (jwk['kty']) {
    case 'RSA':
      return ['RS256', 'PS256'];
    case 'EC':
      if (jwk['crv'] === 'P-256') return ['ES256'];
      return [];
    case 'OKP':
      if (jwk['crv'] === 'Ed25519') return ['EdDSA'];
      return [];
    default:
      return [];
  }
};

/**
 * The algorithms a published key may verify, decided by the key and never by the token: none if it
 * is not for signatures.
 */
export const algorithmsOf = (jwk: JsonObject): readonly ForeignAlgorithm[] => {
  const { use, key_ops: operations, alg } = jwk;
  if (use !== undefined && use !== 'sig') return [];

  const listed = Array.isArray(operations) && operations.includes('verify');
  if (operations !== undefined && !listed) return [];
  return byKeyType(jwk).filter(own => alg === undefined || alg === own);
};

interface ForeignKey {
  readonly jwk: JsonObject;
  readonly algorithm: ForeignAlgorithm;
}

/**
 * The one key of a set that matches a token's header; undefined if there is none, or more than one.
 */
export const selectKey = (
  keys: readonly JsonObject[],
  header: { alg: unknown; kid?: string | undefined },
): ForeignKey | undefined => {
  const candidates = keys.flatMap((jwk): ForeignKey[] => {
    if (header.kid !== undefined && header.kid !== jwk['kid']) return [];
    const algorithm = algorithmsOf(jwk).find(own => own === header.alg);
    return algorithm ? [{ jwk, algorithm }] : [];
  });
  const [key, ...others] = candidates;
  return others.length === 0 ? key : undefined;
};

interface ForeignToken {
  readonly text: string;
  readonly issuer: string;
  readonly alg: unknown;
  readonly kid: string | undefined;
}

const objectIn = (bytes: Uint8Array): JsonObject => {
  const parsed = parseJson(bytes);
  return parsed.ok ? parsed.value : {};
};

/**
 * Unverified. Undefined if it is no JWT in strict form: canonical base64url, no member twice, and
 * an issuer.
 */
export const readForeignToken = (text: string): ForeignToken | undefined => {
  const [header, payload, signature] = partsOf(text)?.map(decodePart) ?? [];
  if (!header || !payload || !signature) return undefined;
  const { alg, kid } = objectIn(header);
  const { iss: issuer } = objectIn(payload);
  if (typeof issuer !== 'string') return undefined;
  if (kid !== undefined && typeof kid !== 'string') return undefined;
  return { text, issuer, alg, kid };
};

/** Why a token of somebody else's issuer identifies no connection. Only its owner is told. */
export type ForeignTokenProblem = 'unknown_issuer' | IdentityProblem;

/** What a token was refused for. */
export type ForeignTokenRefusal =
  | { readonly problem: 'unknown_issuer' }
  | ({ readonly problem: IdentityProblem } & Pick<RefusedIdentity, 'issuer' | 'client'>);

/** Is told of a refused token. */
export type TellRefusal = (refused: ForeignTokenRefusal) => void;

const problemOf = (error: unknown): IdentityProblem => {
  if (error instanceof errors.JWTExpired) return 'expired';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'bad_signature';
  const isAudience = error instanceof errors.JWTClaimValidationFailed && error.claim === 'aud';
  return isAudience ? 'wrong_audience' : 'other';
};

interface VerifiedClient {
  readonly client: string;
  /** Epoch seconds. */
  readonly exp: number;
}

/**
 * The client that a provider's token names, and its end; undefined when anything about the token is
 * wrong.
 */
export const verifyForeignToken = async (
  token: ForeignToken,
  provider: IdentityProvider,
  facts: { keys: readonly JsonObject[]; now: number },
  tell: TellRefusal = () => undefined,
): Promise<VerifiedClient | undefined> => {
  const refuse = (problem: IdentityProblem): undefined => {
    tell({ problem, issuer: provider.issuer });
    return undefined;
  };

  const key = selectKey(facts.keys, token);
  if (!key) return refuse('no_key');

  try {
    // jose checks every member. A public key can only verify: one that is published to sign as well
    // cannot be imported as such.
    const imported = await importJWK({ ...key.jwk, key_ops: ['verify'] } as JWK, key.algorithm);
    const { payload } = await jwtVerify(token.text, imported, {
      algorithms: [key.algorithm],
      issuer: provider.issuer,
      audience: provider.audience,
      requiredClaims: ['exp', 'iss', 'aud'],
      clockTolerance: limits.clockLeewaySeconds,
      currentDate: new Date(facts.now),
    });

    // Without iat, what is left of it counts.
    const { exp = 0, iat = facts.now / 1000 - limits.clockLeewaySeconds } = payload;
    if (exp - iat > limits.accessTokenSeconds) return refuse('too_long');

    const client = payload[provider.clientClaim];
    if (typeof client !== 'string' || client === '') return refuse('no_client');
    return { client, exp };
  } catch (error) {
    const isOfToken = [errors.JOSEError, TypeError, DOMException].some(
      kind => error instanceof kind,
    );
    if (isOfToken) return refuse(problemOf(error));
    throw error;
  }
};

export interface KeySets {
  /** The keys of a provider; fetched again, at a limited rate, if none has the `kid`. */
  keysOf(provider: IdentityProvider, kid: string | undefined): Promise<readonly JsonObject[]>;
}

/**
 * As a failure of the bus, a tenant's unreadable key set would let it page the operator and stop a
 * release: its tokens are refused.
 */
export const readableKeySets = (
  keySets: KeySets,
  unreadable: (provider: IdentityProvider, reason: unknown) => void,
): KeySets => ({
  keysOf: (provider, kid) =>
    keySets.keysOf(provider, kid).catch((reason: unknown) => {
      unreadable(provider, reason);
      return [];
    }),
});
