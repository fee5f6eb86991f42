import { environmentClaim } from '../../contract/environments.ts';
import { limits } from '../../contract/limits.ts';
import type { Connection } from '../registry/connection.ts';

/** What the service's own access tokens say (RFC 7519); times are epoch seconds. */
export interface AccessTokenClaims {
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

/** The header of the service's own access tokens (RFC 7515 section 4); members in the order they are written. */
export const accessTokenHeader = (kid: string) => ({ alg: 'ES256', typ: 'JWT', kid }) as const;

/** The token service's issuer identifier. */
export const issuerOf = (origin: string): string => `${origin}/v1/oauth`;

/**
 * The claims of a new token: who the caller is, never what it may send.
 *
 * @param facts `now` in epoch milliseconds, `jti` unique
 */
export const accessTokenClaims = (
  connection: Connection,
  facts: {
    readonly origin: string;
    readonly now: number;
    readonly jti: string;
    readonly credentialVersion: number;
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
