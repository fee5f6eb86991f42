import { newId } from '../../contract/identifiers.ts';
import { timestamp } from '../../contract/outside.ts';
import { quoteText } from '../../platform/json/value.ts';
import { type Connection, isRegistered } from '../registry/connection.ts';
import { type Declined, declined, isDeclined, noConnection } from '../registry/declined.ts';
import type { RegistryPorts } from '../registry/ports.ts';
import { roleSlots } from '../registry/slots.ts';
import {
  challengeBytes,
  challengeText,
  isSameRole,
  operatorScope,
  type Principal,
  roleOfArn,
  type Scope,
  storedChallenge,
  verifiedElsewhere,
} from './principals.ts';
import { closeQueueTo, openQueue, type ReadersSet } from './queue-access.ts';

/**
 * A registered role; `challenge` is the only copy of what it has to send. The operator's own roles
 * need none.
 */
interface RegisteredPrincipal {
  readonly kind: 'registered';
  readonly principal: Principal;
  readonly challenge?: string;
  /** For a consumer: whether its other roles can read its queue. */
  readonly queue?: ReadersSet;
}

interface RevokedPrincipal {
  readonly principal: Principal;
  readonly queue?: ReadersSet;
}

interface Wanted {
  readonly connection: string;
  readonly roleArn: string;
}

const obstacleOfConsumer = (scope: Scope, { connection, roleArn }: Wanted): string | undefined => {
  if (scope === operatorScope)
    return (
      `${connection} is a consumer, and the operator's routes publish: register the role in its ` +
      'workspace.'
    );
  if (/[*?$]/.test(roleArn)) return 'A role whose path holds *, ? or $ cannot read a queue.';
  return undefined;
};

/**
 * A producer of another organisation is no obstacle yet, and is not told: whoever knows the name of
 * a role may ask. The role itself is refused, and told why, when it answers its challenge.
 */
const obstacleOfProducer = async (
  ports: RegistryPorts,
  scope: Scope,
  { producer, roleArn: wanted }: { producer: Connection; roleArn: string },
): Promise<string | undefined> => {
  const all = await ports.principals.list(scope);
  const ofRole = all.filter(({ roleArn }) => isSameRole(roleArn, wanted));
  const ofOwner = async (id: string) => {
    const one = (await ports.connections.find(id))?.connection;
    return one?.organisation === producer.organisation ? one : undefined;
  };
  const other = await verifiedElsewhere(ofRole, producer.id, ofOwner);
  return (
    other &&
    `The role is registered on the producer ${other.connection} already: revoke ${other.id} first.`
  );
};

const connectionFor = async (
  ports: RegistryPorts,
  scope: Scope,
  wanted: Wanted,
): Promise<Connection | Declined> => {
  if (!roleOfArn(wanted.roleArn))
    return declined(
      `${quoteText(wanted.roleArn, 80)} is not a role ARN: it looks like ` +
        'arn:aws:iam::123456789012:role/name.',
    );
  const { connection } = (await ports.connections.find(wanted.connection)) ?? {};
  if (!isRegistered(connection)) return noConnection(wanted.connection);
  if (scope !== operatorScope && connection.workspace !== scope)
    return declined(`The connection ${wanted.connection} is not in the workspace ${scope}.`);
  const problem =
    connection.kind === 'producer'
      ? await obstacleOfProducer(ports, scope, { producer: connection, roleArn: wanted.roleArn })
      : obstacleOfConsumer(scope, wanted);
  if (problem === undefined) return connection;
  return declined(problem);
};

/**
 * The role can no longer read the connection's queue, which is closed before the registry is
 * written and checked again after: others may change it in the meantime. Repeat an interrupted call
 * to finish it.
 */
const putUnverified = async (
  ports: RegistryPorts,
  principal: Principal,
  connection: Connection | undefined,
): Promise<{ queue?: ReadersSet } | Declined> => {
  const guarded =
    isRegistered(connection) && connection.queue !== undefined ? connection : undefined;
  if (guarded)
    await closeQueueTo(ports, guarded, roleArn => isSameRole(roleArn, principal.roleArn));
  const full = await ports.principals.put(principal, connection ? roleSlots(connection) : []);
  const queue = guarded ? { queue: await openQueue(ports, guarded) } : {};
  return full ?? queue;
};

/** A further registration ends the earlier challenge or verification. */
export const registerPrincipal = async (
  ports: RegistryPorts,
  scope: Scope,
  wanted: Wanted,
): Promise<RegisteredPrincipal | Declined> => {
  const connection = await connectionFor(ports, scope, wanted);
  if (connection.kind === 'declined') return connection;
  const createdAt = timestamp(ports);
  const common = { ...wanted, id: newId(ports, 'p'), scope, createdAt };
  if (scope === operatorScope) {
    const principal: Principal = { ...common, status: 'verified', verifiedAt: createdAt };
    await ports.principals.put(principal, []);
    return { kind: 'registered', principal };
  }
  const challenge = challengeText(ports.ids.random(challengeBytes));
  const stored = storedChallenge(challenge, ports.clock.now());
  const principal: Principal = { ...common, status: 'pending', challenge: stored };
  const put = await putUnverified(ports, principal, connection);
  if (isDeclined(put)) return put;
  return { kind: 'registered', principal, challenge, ...put };
};

/** Ends a role's registration. Undefined if there is none with this id. */
export const revokePrincipal = async (
  ports: RegistryPorts,
  scope: Scope,
  id: string,
): Promise<RevokedPrincipal | undefined> => {
  const principal = (await ports.principals.list(scope)).find(candidate => candidate.id === id);
  if (!principal) return undefined;
  const { challenge: _, ...rest } = principal;
  const revoked: Principal = { ...rest, status: 'revoked' };
  const { connection } = (await ports.connections.find(principal.connection)) ?? {};
  const put = await putUnverified(ports, revoked, connection);
  return { principal: revoked, ...(!isDeclined(put) && put) };
};
