import { limits } from '../contract/limits.ts';
import { routes } from '../contract/routes.ts';
import { issuerOf } from '../domain/token/access-token.ts';
import type { Edge } from './edge.ts';
import { answer } from './http-answer.ts';

const cached = { 'cache-control': `public, max-age=${limits.jwksCacheSeconds}` };

/** Authorization server metadata (RFC 8414 section 2). */
export const oauthMetadataEdge: Edge<object> =
  (_ports, { origin }) =>
  async () =>
    answer(
      200,
      {
        issuer: issuerOf(origin),
        token_endpoint: origin + routes.token.path,
        jwks_uri: origin + routes.jwks.path,
        grant_types_supported: ['client_credentials'],
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
        response_types_supported: [],
      },
      { headers: cached },
    );
