import { limits } from '../contract/limits.ts';
import { routes } from '../contract/routes.ts';
import { answer } from '../http/answer.ts';
import type { Edge } from '../http/respond.ts';
import { issuerOf } from './access-token.ts';
import type { Signer, SigningKey } from './key-ring.ts';

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
export const jwksEdge: Edge<{ signer: Signer }> = ({ signer }) =>
  async function jwksRoute() {
    return answer(200, { keys: (await signer.keys()).map(jwk) }, { headers: cached });
  };

/** Authorization server metadata (RFC 8414 section 2). */
export const oauthMetadataEdge: Edge<object> = (_ports, { origin }) =>
  async function oauthMetadataRoute() {
    const metadata = {
      issuer: issuerOf(origin),
      token_endpoint: origin + routes.token.path,
      jwks_uri: origin + routes.jwks.path,
      grant_types_supported: ['client_credentials'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      response_types_supported: [],
    };
    return answer(200, metadata, { headers: cached });
  };
