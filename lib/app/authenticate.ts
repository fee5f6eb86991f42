import type { Caller } from './admit.ts';
import { type OwnTokenPorts, ownToken } from './own-token.ts';

const bearer = /^Bearer ([\w.-]+)$/i;

/** From an Authorization header to the caller; undefined when the token is not a valid one of ours. */
export type Authenticate = (authorization: string | undefined) => Promise<Caller | undefined>;

/**
 * Who sends a request, from its Authorization header; undefined when the token is not a valid one of ours. Whether the
 * connection is still active, and what it may do, is for the route to say.
 */
export const authenticate = (ports: OwnTokenPorts, origin: string): Authenticate => {
  const own = ownToken(ports, origin);
  return async authorization => {
    const token = bearer.exec(authorization ?? '')?.[1];
    return token === undefined ? undefined : own(token);
  };
};
