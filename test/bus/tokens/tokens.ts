import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { IdentityProvider } from '../../../lib/access/registry/registry.ts';
import { accessTokenClaims, verificationKey } from '../../../lib/bus/tokens/access-token.ts';
import { signingInput, withLowS } from '../../../lib/bus/tokens/jws.ts';
import { producer } from '../../corpus/connections.ts';

export const origin = 'https://bus.example';
export const now = Date.parse('2026-05-04T09:00:00Z');
export const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
export const kid = 'key-1';
const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
export const signingKey = { kid, jwk: { kty: 'EC', crv: 'P-256', x, y } } as const;
export const keys = [verificationKey(signingKey)];

export const connection = producer({ systemIds: ['ncs'], createdAt: '2026-05-04T08:00:00.000Z' });

export const provider: IdentityProvider = {
  scope: connection.workspace,
  issuer: 'https://idp.example/',
  jwksUri: 'https://idp.example/jwks',
  audience: 'https://bus.example/api',
  clientClaim: 'azp',
  insecureLocal: false,
  createdAt: connection.createdAt,
};

export const claims = accessTokenClaims(connection, {
  origin,
  now,
  jti: 'jti-1',
  credentialVersion: 1,
});
export const header = { alg: 'ES256', typ: 'JWT', kid };

/** A token signed by `key`, as another signer than ours would write it. */
export const token = (head: object, body: object, key: KeyObject = privateKey): string => {
  const input = signingInput(head, body);
  const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
  return `${input}.${Buffer.from(withLowS(signature)).toString('base64url')}`;
};
