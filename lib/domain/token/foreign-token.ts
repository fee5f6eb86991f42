import { errors, importJWK, type JWK, jwtVerify } from 'jose';
import { limits } from '../../contract/limits.ts';
import type { JsonObject } from '../message/json-object.ts';
import { parseJson } from '../message/parse-json.ts';
import type { IdentityProvider } from '../registry/identity-provider.ts';
import { parseCompactJws } from './compact-jws.ts';
import { selectKey } from './foreign-key.ts';

/** A token of another issuer; nothing in it is verified yet. */
export interface ForeignToken {
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
 * What a token says of itself. Undefined when it is no JWT in strict form: canonical base64url, header and claims in JSON
 * that names no member twice, and an issuer.
 */
export const readForeignToken = (text: string): ForeignToken | undefined => {
  const jws = parseCompactJws(text);
  if (!jws) return undefined;
  const { alg, kid } = objectIn(jws.header);
  const { iss: issuer } = objectIn(jws.payload);
  const wellFormed = kid === undefined || typeof kid === 'string';
  return typeof issuer === 'string' && wellFormed ? { text, issuer, alg, kid } : undefined;
};

/**
 * The client that a provider's token names; undefined when anything about the token is wrong. The provider's key decides the
 * algorithm, out of four.
 *
 * @param now epoch milliseconds
 */
export const verifyForeignToken = async (
  token: ForeignToken,
  provider: IdentityProvider,
  facts: { readonly keys: readonly JsonObject[]; readonly now: number },
): Promise<string | undefined> => {
  const key = selectKey(facts.keys, token);
  if (!key) return undefined;
  try {
    const imported = await importJWK(key.jwk as JWK, key.algorithm); // jose checks every member
    const { payload } = await jwtVerify(token.text, imported, {
      algorithms: [key.algorithm],
      issuer: provider.issuer,
      audience: provider.audience,
      requiredClaims: ['exp', 'iss', 'aud'],
      clockTolerance: limits.clockLeewaySeconds,
      currentDate: new Date(facts.now),
    });
    const client = payload[provider.clientClaim];
    return typeof client === 'string' && client !== '' ? client : undefined;
  } catch (fault) {
    if (fault instanceof errors.JOSEError || fault instanceof TypeError || fault instanceof DOMException)
      return undefined;
    throw fault;
  }
};
