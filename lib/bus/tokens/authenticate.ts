import type { Registry } from '../../access/registry/registry.ts';
import type { Scope } from '../../access/trust/principals.ts';
import { limits } from '../../contract/limits.ts';
import type { Clock } from '../../contract/outside.ts';
import type { TokenCaller } from '../../contract/route.ts';
import {
  type AccessTokenVerifier,
  accessTokenVerifier,
  issuerOf,
  verificationKey,
} from './access-token.ts';
import {
  type KeySets,
  readForeignToken,
  type TellRefusal,
  verifyForeignToken,
} from './foreign-token.ts';
import type { Signer } from './key-ring.ts';

interface AuthenticatePorts {
  readonly clock: Clock;
  readonly registry: Pick<Registry, 'connection' | 'provider' | 'boundConnection'>;
  readonly signer: Pick<Signer, 'keys'>;
  readonly keySets: KeySets;
}

/** One verifier per key set: it forgets its tokens when the set changes. */
const verifierOf = (signer: Pick<Signer, 'keys'>, origin: string) => {
  let known: { keys: object; verify: AccessTokenVerifier } | undefined;
  return async function verifierOf(): Promise<AccessTokenVerifier> {
    const keys = await signer.keys();
    if (known?.keys !== keys)
      known = { keys, verify: accessTokenVerifier({ keys: keys.map(verificationKey), origin }) };
    return known.verify;
  };
};

/** When a token that ends then is served for the last time; epoch seconds. */
const validUntil = (exp: number): number => exp + limits.clockLeewaySeconds;

/**
 * Undefined, too, for a token from before a rotation, or of a workspace or app that the connection
 * has left.
 */
const ownToken = (ports: AuthenticatePorts, origin: string) => {
  const verifier = verifierOf(ports.signer, origin);
  return async function ownToken(token: string): Promise<TokenCaller | undefined> {
    const claims = (await verifier())(token, ports.clock.now());
    if (!claims) return undefined;

    const { sub, tenant, app, credential_version: version, exp } = claims;
    const caller = { connection: sub, workspace: tenant, validUntil: validUntil(exp) };
    const connection = await ports.registry.connection(sub);
    if (!connection) return caller;

    const isLatest = version >= connection.credentialVersion;
    const isSamePlace = connection.workspace === tenant && connection.app === app;
    return isLatest && isSamePlace ? caller : undefined;
  };
};

/** The connection that the client of a foreign token is bound to. */
const foreignToken = ({ clock, registry, keySets }: AuthenticatePorts, busIssuer: string) =>
  async function foreignToken(
    text: string,
    scope: Scope,
    tell: TellRefusal,
  ): Promise<TokenCaller | undefined> {
    const token = readForeignToken(text);
    if (!token || token.issuer === busIssuer) return undefined;

    const provider = await registry.provider(scope, token.issuer);
    if (!provider) {
      tell({ problem: 'unknown_issuer' });
      return undefined;
    }

    const keys = await keySets.keysOf(provider, token.kid);
    const verified = await verifyForeignToken(token, provider, { keys, now: clock.now() }, tell);
    if (!verified) return undefined;

    const bound = await registry.boundConnection(provider, verified.client);
    const connection = bound === undefined ? undefined : await registry.connection(bound);
    if (!connection) {
      tell({ problem: 'unbound_client', issuer: provider.issuer, client: verified.client });
      return undefined;
    }

    const { id, workspace } = connection;
    return { connection: id, workspace, validUntil: validUntil(verified.exp) };
  };

/** One or more spaces (RFC 6750 section 2.1, RFC 9110 section 11.4). */
const bearer = /^Bearer +([\w.-]+)$/i;

export interface PresentedToken {
  readonly authorization: string | undefined;
  /** Whose identity providers the route trusts; undefined where the bus's own tokens alone work. */
  readonly issuers: Scope | undefined;
  /** Is told why a token of an identity provider is refused. */
  readonly tell?: TellRefusal;
}

export type Authenticate = (presented: PresentedToken) => Promise<TokenCaller | undefined>;

/** The route decides whether the connection is active and what it may do. */
export const authenticate = (ports: AuthenticatePorts, origin: string): Authenticate => {
  const own = ownToken(ports, origin);
  const foreign = foreignToken(ports, issuerOf(origin));
  return async function authenticate({ authorization, issuers, tell = () => undefined }) {
    const token = bearer.exec(authorization ?? '')?.[1];
    if (token === undefined) return undefined;

    const caller = await own(token);
    if (caller || issuers === undefined) return caller;
    return foreign(token, issuers, tell);
  };
};
