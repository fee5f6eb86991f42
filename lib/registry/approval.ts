import type { Tier } from '../contract/limits.ts';
import type { Clock, Ids } from '../contract/outside.ts';
import { type Connections, isKept } from './connection.ts';
import { addMember, type Members, type NamedPerson } from './members.ts';
import { type Declined, declined, newId, timestamp } from './operator.ts';
import type { Directory, Organisation, OrganisationStatus, OrganisationType } from './organisations.ts';
import { isName, nameRule } from './permissions.ts';
import type { Principals } from './principals.ts';
import { openQueue, type QueueReaders } from './queue-access.ts';

export interface RequestPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly directory: Pick<Directory, 'add'>;
}

export interface ApprovalPorts {
  readonly clock: Clock;
  readonly directory: Pick<Directory, 'find' | 'list' | 'setStatus'>;
  readonly members: Pick<Members, 'put'>;
  readonly connections: Pick<Connections, 'find' | 'ofApp' | 'ofWorkspace' | 'setSuspended'>;
  readonly principals: Pick<Principals, 'list'>;
  readonly queueAdmin: QueueReaders;
}

/** Asks for an organisation: it can do nothing until the operator approves it. */
export const requestOrganisation = async (
  ports: RequestPorts,
  wanted: { readonly name: string; readonly type: OrganisationType; readonly requestedBy: NamedPerson },
): Promise<Organisation | Declined> => {
  const name = wanted.name.trim();
  if (!isName(name)) return declined(nameRule);
  const organisation: Organisation = {
    kind: 'organisation',
    id: newId(ports, 'o'),
    status: 'requested',
    tier: 'minimal',
    createdAt: timestamp(ports),
    ...wanted,
    name,
  };
  return (await ports.directory.add(organisation)) ?? organisation;
};

const notIn = (id: string, ...statuses: readonly OrganisationStatus[]): Declined =>
  declined(`There is no ${statuses.join(' or ')} organisation ${id}: look again.`);

const organisationOf = async (
  { directory }: ApprovalPorts,
  id: string,
): Promise<Organisation | undefined> => {
  const found = await directory.find('organisation', id);
  return found?.kind === 'organisation' ? found : undefined;
};

/** Approves a requested organisation with a tier; who asked for it becomes its owner. */
export const approveOrganisation = async (
  ports: ApprovalPorts,
  id: string,
  tier: Tier,
): Promise<Organisation | Declined> => {
  const requested = await organisationOf(ports, id);
  if (requested?.status !== 'requested') return notIn(id, 'requested');
  const { requestedBy } = requested;
  // First the owner: an approved organisation that nobody can enter would help nobody.
  if (requestedBy) await addMember(ports, { ...requestedBy, organisation: id, role: 'owner' });
  const approved = await ports.directory.setStatus(id, { from: 'requested', to: 'active', tier });
  return approved ? { ...requested, status: 'active', tier } : notIn(id, 'requested');
};

export const declineOrganisation = async (
  ports: ApprovalPorts,
  id: string,
): Promise<Organisation | Declined> => {
  const requested = await organisationOf(ports, id);
  const isDone = await ports.directory.setStatus(id, { from: 'requested', to: 'declined' });
  return requested && isDone ? { ...requested, status: 'declined' } : notIn(id, 'requested');
};

const connectionsBelow = async ({ directory, connections }: ApprovalPorts, id: string) => {
  const [apps, workspaces] = await Promise.all([directory.list('app', id), directory.list('workspace', id)]);
  const lists = await Promise.all([
    ...apps.map(app => connections.ofApp(app.id)),
    ...workspaces.map(workspace => connections.ofWorkspace(workspace.id)),
  ]);
  return new Set(lists.flat().map(connection => connection.id));
};

/** Closes the queue of a connection that counts as revoked to the roles that read it with SQS's own calls; opens it to them otherwise. */
const guardQueue = async (ports: ApprovalPorts, id: string): Promise<void> => {
  const connection = (await ports.connections.find(id))?.connection;
  if (connection?.queue === undefined || !isKept(connection)) return;
  if (connection.isSuspended) await ports.queueAdmin.letRead(connection.queue, []);
  else await openQueue({ principals: ports.principals, queueReaders: ports.queueAdmin }, connection);
};

const setSuspended = async (ports: ApprovalPorts, id: string, isSuspended: boolean): Promise<void> => {
  for (const connection of await connectionsBelow(ports, id)) {
    await ports.connections.setSuspended(connection, id, isSuspended);
    await guardQueue(ports, connection);
  }
};

/**
 * Suspends an organisation: while that lasts, its connections count as revoked, and those in its workspaces. Queues and what is in
 * them stay, but nobody can read them. The organisation comes first, so that nothing new joins it; repeat an interrupted call to finish it.
 */
export const suspendOrganisation = async (
  ports: ApprovalPorts,
  id: string,
): Promise<Organisation | Declined> => {
  const found = await organisationOf(ports, id);
  if (found?.status !== 'active' && found?.status !== 'suspended') return notIn(id, 'active');
  if (
    found.status === 'active' &&
    !(await ports.directory.setStatus(id, { from: 'active', to: 'suspended' }))
  )
    return notIn(id, 'active');
  await setSuspended(ports, id, true);
  return { ...found, status: 'suspended' };
};

/** Ends a suspension. The connections come first: repeat an interrupted call to finish it. */
export const resumeOrganisation = async (
  ports: ApprovalPorts,
  id: string,
): Promise<Organisation | Declined> => {
  const found = await organisationOf(ports, id);
  if (found?.status !== 'suspended') return notIn(id, 'suspended');
  await setSuspended(ports, id, false);
  const resumed = await ports.directory.setStatus(id, { from: 'suspended', to: 'active' });
  return resumed ? { ...found, status: 'active' } : notIn(id, 'suspended');
};
