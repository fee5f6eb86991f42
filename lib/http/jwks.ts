import { limits } from '../contract/limits.ts';
import type { Signer, SigningKey } from '../ports/signer.ts';
import type { Edge } from './edge.ts';
import { answer } from './http-answer.ts';

const cached = { 'cache-control': `public, max-age=${limits.jwksCacheSeconds}` };

const jwk = ({ kid, jwk: { kty, crv, x, y } }: SigningKey) => ({
  kty,
  crv,
  x,
  y,
  kid,
  alg: 'ES256',
  use: 'sig',
});

/** `GET /v1/oauth/jwks`: a JWK Set (RFC 7517 section 5). */
export const jwksEdge: Edge<{ signer: Signer }> = ports => async () =>
  answer(200, { keys: (await ports.signer.keys()).map(jwk) }, { headers: cached });
