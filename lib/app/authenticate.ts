import {
  type VerificationKey,
  verificationKey,
  verifyAccessToken,
} from '../domain/token/verify-access-token.ts';
import type { Clock, Registry, Signer } from '../ports.ts';
import type { Caller } from './admit.ts';

const bearer = /^Bearer ([\w.-]+)$/i;

/** The public keys, made ready once per key set. */
const prepared = new WeakMap<object, readonly VerificationKey[]>();

const verificationKeys = async (signer: Signer): Promise<readonly VerificationKey[]> => {
  const keys = await signer.keys();
  const known = prepared.get(keys) ?? keys.map(verificationKey);
  prepared.set(keys, known);
  return known;
};

/** From an Authorization header to the caller; undefined when the token is not a valid one of ours. */
export type Authenticate = (authorization: string | undefined) => Promise<Caller | undefined>;

/**
 * Who sends a request, from its Authorization header; undefined when the token is not a valid one of ours. Whether the
 * connection is still active, and what it may do, is for the route to say.
 */
export const authenticate =
  (ports: { clock: Clock; registry: Registry; signer: Signer }, origin: string): Authenticate =>
  async authorization => {
    const token = bearer.exec(authorization ?? '')?.[1];
    if (token === undefined) return undefined;
    const keys = await verificationKeys(ports.signer);
    const claims = verifyAccessToken(token, { keys, origin }, ports.clock.now());
    if (!claims) return undefined;
    const connection = await ports.registry.connection(claims.sub);
    const superseded = connection !== undefined && claims.credential_version < connection.credentialVersion;
    const moved =
      connection !== undefined && (connection.workspace !== claims.tenant || connection.app !== claims.app);
    return superseded || moved ? undefined : { connection: claims.sub, workspace: claims.tenant };
  };
