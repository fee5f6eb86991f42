import type { JsonObject } from '../message/json-object.ts';

/** The algorithms in which foreign tokens may be signed (RFC 7518 section 3.1, RFC 8037). */
export type ForeignAlgorithm = 'RS256' | 'PS256' | 'ES256' | 'EdDSA';

const byKeyType = (jwk: JsonObject): readonly ForeignAlgorithm[] => {
  switch (jwk['kty']) {
    case 'RSA':
      return ['RS256', 'PS256'];
    case 'EC':
      return jwk['crv'] === 'P-256' ? ['ES256'] : [];
    case 'OKP':
      return jwk['crv'] === 'Ed25519' ? ['EdDSA'] : [];
    default:
      return [];
  }
};

/** What a published key may verify, which the key says and never the token: none where it is not for signatures. */
export const algorithmsOf = (jwk: JsonObject): readonly ForeignAlgorithm[] => {
  const { use, key_ops: operations, alg } = jwk;
  const forSignatures =
    (use === undefined || use === 'sig') &&
    (operations === undefined || (Array.isArray(operations) && operations.includes('verify')));
  return forSignatures ? byKeyType(jwk).filter(own => alg === undefined || alg === own) : [];
};

/** A published key, and the algorithm that a token under it is verified with. */
export interface ForeignKey {
  readonly jwk: JsonObject;
  readonly algorithm: ForeignAlgorithm;
}

/** The one key of a set that a token's header can mean; undefined when there is none, or more than one. */
export const selectKey = (
  keys: readonly JsonObject[],
  header: { readonly alg: unknown; readonly kid?: string | undefined },
): ForeignKey | undefined => {
  const candidates = keys.flatMap((jwk): ForeignKey[] => {
    const algorithm = algorithmsOf(jwk).find(own => own === header.alg);
    const named = header.kid === undefined || jwk['kid'] === header.kid;
    return algorithm && named ? [{ jwk, algorithm }] : [];
  });
  const [key, ...others] = candidates;
  return others.length === 0 ? key : undefined;
};
