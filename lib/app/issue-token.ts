import { limits } from '../contract/limits.ts';
import { isConnectionId } from '../domain/registry/identifier.ts';
import { secretMatches } from '../domain/registry/secret.ts';
import { accessTokenClaims } from '../domain/token/access-token.ts';
import { signingInput } from '../domain/token/compact-jws.ts';
import type { Clock, Credentials, Ids, Signer } from '../ports.ts';

export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** An access token, or `invalid_client` with the cause untold. */
export type TokenResult =
  | {
      readonly kind: 'issued';
      readonly accessToken: string;
      readonly expiresInSeconds: number;
      readonly client: string;
    }
  | { readonly kind: 'invalid_client' };

const jtiBytes = 16;

/** The client-credentials grant (RFC 6749 section 4.4). The credential is read afresh each time. */
export const issueToken =
  (ports: { clock: Clock; ids: Ids; credentials: Credentials; signer: Signer }, origin: string) =>
  async (client: ClientCredentials): Promise<TokenResult> => {
    const found = isConnectionId(client.clientId) ? await ports.credentials.find(client.clientId) : undefined;
    const now = ports.clock.now();
    const known = secretMatches(found?.credential, client.clientSecret, now);
    if (!known || found?.connection.status !== 'active') return { kind: 'invalid_client' };
    const [key] = await ports.signer.keys();
    const jti = Buffer.from(ports.ids.random(jtiBytes)).toString('base64url');
    const input = signingInput(
      { alg: 'ES256', typ: 'JWT', kid: key.kid },
      accessTokenClaims(found.connection, { origin, now, jti, credentialVersion: found.credential.version }),
    );
    const signature = await ports.signer.sign(Buffer.from(input, 'latin1'));
    const accessToken = `${input}.${Buffer.from(signature).toString('base64url')}`;
    return {
      kind: 'issued',
      accessToken,
      expiresInSeconds: limits.accessTokenSeconds,
      client: client.clientId,
    };
  };
