import { type AccessTokenVerifier, accessTokenVerifier } from '../domain/token/access-token-verifier.ts';
import { verificationKey } from '../domain/token/verify-access-token.ts';
import type { Clock } from '../ports/clock.ts';
import type { Registry } from '../ports/registry.ts';
import type { Signer } from '../ports/signer.ts';
import type { Caller } from './admit.ts';

export interface OwnTokenPorts {
  readonly clock: Clock;
  readonly registry: Registry;
  readonly signer: Signer;
}

/** One verifier per key set: what it remembers goes when the set changes. */
const verifierOf = (signer: Signer, origin: string) => {
  let known: { readonly keys: object; readonly verify: AccessTokenVerifier } | undefined;
  return async (): Promise<AccessTokenVerifier> => {
    const keys = await signer.keys();
    if (known?.keys !== keys)
      known = { keys, verify: accessTokenVerifier({ keys: keys.map(verificationKey), origin }) };
    return known.verify;
  };
};

/**
 * The holder of one of the service's own access tokens; undefined when the token is not valid, was issued before a rotation,
 * or names a workspace or app that the connection no longer belongs to. The registry is asked each time.
 */
export const ownToken = (ports: OwnTokenPorts, origin: string) => {
  const verifier = verifierOf(ports.signer, origin);
  return async (token: string): Promise<Caller | undefined> => {
    const claims = (await verifier())(token, ports.clock.now());
    if (!claims) return undefined;
    const connection = await ports.registry.connection(claims.sub);
    const superseded = connection !== undefined && claims.credential_version < connection.credentialVersion;
    const moved =
      connection !== undefined && (connection.workspace !== claims.tenant || connection.app !== claims.app);
    return superseded || moved ? undefined : { connection: claims.sub, workspace: claims.tenant };
  };
};
