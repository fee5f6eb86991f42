import { readFileSync } from 'node:fs';
import { health } from '../../lib/contract/message-types.ts';
import { routes } from '../../lib/contract/routes.ts';
import { issuerOf } from '../../lib/tokens/access-token.ts';
import type { Json } from './som-schemas.ts';
import { titles } from './titles.ts';

const { version }: { version: string } = JSON.parse(readFileSync('package.json', 'utf8'));

export const busTitle = 'som-bus: the bus';

/** Where the local service is, when nobody says otherwise. */
export const localOrigin = 'http://127.0.0.1:8787';

export const healthExample: Json = health;

/** A recorded key: `kid` is its thumbprint. */
export const keySetExample: Json = {
  keys: [
    {
      kty: 'EC',
      crv: 'P-256',
      x: 'ZExo8BjySSgN7y7fdr4FL8a2yeSFcJ2BF4g0MnPbE5Q',
      y: 'Bf3A40Adt83ah-y3-_5JBnAPQvxDyWX3kqt-ukDrggY',
      kid: '9-y738zVPhuD2V-1zvz_X8Q_HGBZUPYVp4fYDNAyZrI',
      alg: 'ES256',
      use: 'sig',
    },
  ],
};

export const oauthMetadataExample: Json = {
  issuer: issuerOf(localOrigin),
  token_endpoint: localOrigin + routes.token.path,
  jwks_uri: localOrigin + routes.jwks.path,
  grant_types_supported: ['client_credentials'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  response_types_supported: [],
};

/** How the description begins; the whole of it would hold itself. */
export const openApiExample: Json = {
  openapi: '3.1.0',
  info: { title: busTitle, version },
  paths: { [routes.health.path]: { get: { operationId: 'health', summary: titles.health } } },
};
