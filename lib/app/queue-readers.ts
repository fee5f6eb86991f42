import type { Connection } from '../domain/registry/connection.ts';
import type { Principals } from '../ports/principals.ts';
import type { QueueReaders, ReadersSet } from '../ports/queue-readers.ts';

export interface QueueReaderPorts {
  readonly principals: Pick<Principals, 'list'>;
  readonly queueReaders: QueueReaders;
}

type Consumer = Pick<Connection, 'id' | 'workspace' | 'queue'>;

/** Others may change the same registrations meanwhile: nobody does so many times in a row. */
const mostRounds = 10;

const verifiedRoles = async (
  { principals }: QueueReaderPorts,
  { id, workspace }: Consumer,
): Promise<readonly string[]> =>
  (await principals.list(workspace))
    .filter(({ connection, status }) => connection === id && status === 'verified')
    .map(({ roleArn }) => roleArn)
    .sort();

/**
 * Lets a consumer's verified roles read its queue, as the registry has them. SQS knows no conditional write, so whoever
 * sets a policy looks again afterwards: the last one to set it sets what the registry says.
 *
 * @returns `gone` for a connection that has no queue
 */
export const openQueue = async (ports: QueueReaderPorts, connection: Consumer): Promise<ReadersSet> => {
  if (connection.queue === undefined) return 'gone';
  let roles = await verifiedRoles(ports, connection);
  for (let round = 0; round < mostRounds; round += 1) {
    const result = await ports.queueReaders.letRead(connection.queue, roles);
    if (result !== 'set') return result;
    const latest = await verifiedRoles(ports, connection);
    if (JSON.stringify(latest) === JSON.stringify(roles)) return 'set';
    roles = latest;
  }
  throw new Error(`The roles of the connection ${connection.id} change faster than its queue's policy.`);
};

/**
 * Lets a role read a consumer's queue no more, before the registry says so. Where AWS does not know one of the others,
 * nobody reads but the bus: better a role too few than one too many.
 */
export const closeQueueTo = async (
  ports: QueueReaderPorts,
  connection: Consumer,
  isMeant: (roleArn: string) => boolean,
): Promise<void> => {
  if (connection.queue === undefined) return;
  const others = (await verifiedRoles(ports, connection)).filter(roleArn => !isMeant(roleArn));
  const result = await ports.queueReaders.letRead(connection.queue, others);
  if (result === 'refused') await ports.queueReaders.letRead(connection.queue, []);
};
