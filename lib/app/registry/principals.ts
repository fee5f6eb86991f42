import {
  challengeBytes,
  challengeText,
  operatorScope,
  type Principal,
  type Scope,
  storedChallenge,
} from '../../domain/registry/principal.ts';
import { roleKey, roleOfArn } from '../../domain/registry/role.ts';
import { type Declined, declined } from './declined.ts';
import { newId, type RegistryPorts, timestamp } from './registry-ports.ts';

type PrincipalPorts = Pick<RegistryPorts, 'clock' | 'ids' | 'connections' | 'principals'>;

/** A registered role; `challenge` is the only copy of what it has to send. The operator's own roles need none. */
export interface RegisteredPrincipal {
  readonly kind: 'registered';
  readonly principal: Principal;
  readonly challenge?: string;
}

const sameRole = (one: string, other: string): boolean => {
  const [a, b] = [roleOfArn(one), roleOfArn(other)];
  return a !== undefined && b !== undefined && roleKey(a) === roleKey(b);
};

/** The role's registration on another active producer: with two, nobody could say which one it publishes as. */
const otherProducer = async (
  ports: PrincipalPorts,
  scope: Scope,
  wanted: { readonly connection: string; readonly roleArn: string },
): Promise<Principal | undefined> => {
  for (const principal of await ports.principals.list(scope)) {
    const { connection: id, roleArn, status } = principal;
    if (status === 'revoked' || id === wanted.connection || !sameRole(roleArn, wanted.roleArn)) continue;
    const { connection } = (await ports.connections.find(id)) ?? {};
    if (connection?.kind === 'producer' && connection.status === 'active') return principal;
  }
  return undefined;
};

/** Why a role cannot be registered on a connection; undefined when it can. */
const obstacle = async (
  ports: PrincipalPorts,
  scope: Scope,
  wanted: { readonly connection: string; readonly roleArn: string },
): Promise<string | undefined> => {
  if (!roleOfArn(wanted.roleArn))
    return `"${wanted.roleArn.slice(0, 80)}" is no role's ARN: it looks like arn:aws:iam::123456789012:role/name.`;
  const found = await ports.connections.find(wanted.connection);
  if (found?.connection.status !== 'active') return `There is no active connection ${wanted.connection}.`;
  if (scope !== operatorScope && found.connection.workspace !== scope)
    return `The connection ${wanted.connection} is not in the workspace ${scope}.`;
  const other = found.connection.kind === 'producer' && (await otherProducer(ports, scope, wanted));
  return other
    ? `The role is registered on the producer ${other.connection} already: revoke ${other.id} first.`
    : undefined;
};

/**
 * Registers a cloud role on a connection, and makes the challenge that proves it. Registering it again makes a new challenge;
 * the one before stops working, and so does a verification.
 */
export const registerPrincipal = async (
  ports: PrincipalPorts,
  scope: Scope,
  wanted: { readonly connection: string; readonly roleArn: string },
): Promise<RegisteredPrincipal | Declined> => {
  const problem = await obstacle(ports, scope, wanted);
  if (problem) return declined(problem);
  const createdAt = timestamp(ports);
  const common = { ...wanted, id: newId(ports, 'p'), scope, createdAt };
  if (scope === operatorScope) {
    const principal: Principal = { ...common, status: 'verified', verifiedAt: createdAt };
    await ports.principals.put(principal);
    return { kind: 'registered', principal };
  }
  const challenge = challengeText(ports.ids.random(challengeBytes));
  const stored = storedChallenge(challenge, ports.clock.now());
  const principal: Principal = { ...common, status: 'pending', challenge: stored };
  await ports.principals.put(principal);
  return { kind: 'registered', principal, challenge };
};

/** Ends a role's registration. Undefined when there is none of this id. */
export const revokePrincipal = async (
  ports: PrincipalPorts,
  scope: Scope,
  id: string,
): Promise<Principal | undefined> => {
  const principal = (await ports.principals.list(scope)).find(candidate => candidate.id === id);
  if (!principal) return undefined;
  const { challenge: _, ...rest } = principal;
  const revoked: Principal = { ...rest, status: 'revoked' };
  await ports.principals.put(revoked);
  return revoked;
};
