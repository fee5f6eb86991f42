import type { Scope } from '../domain/registry/principal.ts';
import { issuerOf } from '../domain/token/access-token.ts';
import type { Caller } from './admit.ts';
import { type ForeignTokenPorts, foreignToken } from './foreign-token.ts';
import { type OwnTokenPorts, ownToken } from './own-token.ts';

const bearer = /^Bearer ([\w.-]+)$/i;

/** What a caller presents, and where. */
export interface Presented {
  readonly authorization: string | undefined;
  /** Whose identity providers the route trusts; undefined where the bus's own tokens alone work. */
  readonly issuers: Scope | undefined;
}

/** From an Authorization header to the caller; undefined when the token is not valid there. */
export type Authenticate = (presented: Presented) => Promise<Caller | undefined>;

/**
 * Who sends a request, from its Authorization header; undefined when the token is neither a valid one of ours nor of an
 * identity provider that the route trusts. Whether the connection is still active, and what it may do, is for the route to say.
 */
export const authenticate = (ports: OwnTokenPorts & ForeignTokenPorts, origin: string): Authenticate => {
  const own = ownToken(ports, origin);
  const foreign = foreignToken(ports, issuerOf(origin));
  return async ({ authorization, issuers }) => {
    const token = bearer.exec(authorization ?? '')?.[1];
    if (token === undefined) return undefined;
    return (await own(token)) ?? (issuers === undefined ? undefined : foreign(token, issuers));
  };
};
