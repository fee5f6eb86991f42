import { defined } from '../../contract/outside.ts';
import type { Directory } from '../people/organisations.ts';
import { type Principals, verifiedRolesOf } from '../trust/principals.ts';
import { type GuardedQueues, type QueueAdmin, repairQueue } from '../trust/queue-access.ts';
import { type Connection, type Connections, isKept } from './connection.ts';
import type { UsageKeys, UsagePlans } from './ports.ts';

// What stands beside the registry in the account and region: consumers' queues with their policies,
// and the gateway's keys on usage plans. Copies of the tables do not bring it along.

export interface RecoveryPorts {
  readonly directory: Directory;
  readonly connections: Pick<Connections, 'ofWorkspace'>;
  readonly principals: Pick<Principals, 'list'>;
  readonly queueAdmin: QueueAdmin;
  readonly guardedQueues: GuardedQueues;
  readonly usagePlans: Pick<UsagePlans, 'assign'>;
  readonly usageKeys: UsageKeys;
}

/** `without roles`: AWS does not know one of them, so that none reads the queue. */
type QueueRecovery = 'made' | 'policy set' | 'without roles' | 'unchanged';

interface Recovery {
  readonly connection: Connection;
  /** Absent: it is a producer. */
  readonly queue?: QueueRecovery;
  readonly key: 'made' | 'unchanged';
}

export type RecoveryResult =
  | Recovery
  | { readonly connection: Connection; readonly error: unknown };

const recoverQueue = async (
  ports: RecoveryPorts,
  connection: Connection,
  queue: string,
): Promise<QueueRecovery> => {
  const registered = await ports.principals.list(connection.workspace);
  const look = await ports.guardedQueues.look(queue, verifiedRolesOf(registered, connection.id));
  if (look?.isGuarded === true) return 'unchanged';

  const isMissing = look === undefined;
  if (isMissing) await ports.queueAdmin.create(queue);
  const result = await repairQueue(ports, connection);
  if (result === 'refused') return 'without roles';
  return isMissing ? 'made' : 'policy set';
};

const recoverConnection = async (
  ports: RecoveryPorts,
  connection: Connection,
  hasKey: boolean,
): Promise<Recovery> => {
  const { id, queue, quota, tier } = connection;
  if (!hasKey) await ports.usagePlans.assign(id, quota ?? tier);

  const recovery: Recovery = { connection, key: hasKey ? 'unchanged' : 'made' };
  if (queue === undefined) return recovery;
  return { ...recovery, queue: await recoverQueue(ports, connection, queue) };
};

/** How many organisations are read at a time. */
const pageSize = 50;

/** Every connection that is not revoked, workspace by workspace. */
async function* keptConnections({
  directory,
  connections,
}: Pick<RecoveryPorts, 'directory' | 'connections'>): AsyncGenerator<Connection> {
  let after: string | undefined;
  do {
    const part = { max: pageSize, ...defined({ after }) };
    const page = await directory.page('organisation', undefined, part);
    for (const organisation of page.entries) {
      for (const workspace of await directory.list('workspace', organisation.id)) {
        const inWorkspace = await connections.ofWorkspace(workspace.id);
        yield* inWorkspace.filter(isKept);
      }
    }
    after = page.next;
  } while (after !== undefined);
}

/** The connections that the gateway refuses, because no key of theirs is on a usage plan. */
export const withoutKeys = async (
  ports: Pick<RecoveryPorts, 'directory' | 'connections' | 'usageKeys'>,
): Promise<{ looked: number; missing: readonly Connection[] }> => {
  const keyed = await ports.usageKeys.connections();
  const missing: Connection[] = [];
  let looked = 0;
  for await (const connection of keptConnections(ports)) {
    looked += 1;
    if (!keyed.has(connection.id)) missing.push(connection);
  }
  return { looked, missing };
};

/**
 * Makes what is missing, one connection after the other: API Gateway changes one usage plan at a
 * time. What is there stays as it is, so that it can be repeated; what fails does not stop the
 * others.
 */
export async function* recoverConnections(ports: RecoveryPorts): AsyncGenerator<RecoveryResult> {
  const keyed = await ports.usageKeys.connections();
  for await (const connection of keptConnections(ports)) {
    const recovery = recoverConnection(ports, connection, keyed.has(connection.id));
    yield await recovery.catch((error: unknown) => ({ connection, error }));
  }
}
