import { newId } from '../../contract/identifiers.ts';
import type { Tier } from '../../contract/limits.ts';
import { timestamp } from '../../contract/outside.ts';
import { reasonCharacters } from '../../contract/portal/portal.ts';
import { isKept } from '../registry/connection.ts';
import { type Declined, declined, isDeclined } from '../registry/declined.ts';
import { isName, nameRule } from '../registry/permissions.ts';
import type { RegistryPorts } from '../registry/ports.ts';
import { openQueue } from '../trust/queue-access.ts';
import { addMember, type NamedPerson } from './members.ts';
import type {
  Organisation,
  OrganisationStatus,
  OrganisationType,
  PartyPorts,
} from './organisations.ts';

/** One or several lines, whose characters all show. */
const isReason = (text: string): boolean => {
  const oneLine = text.replaceAll(/[\n\r\t]/g, ' ');
  const hasHidden = /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u.test(oneLine);
  return text.length <= reasonCharacters && !hasHidden;
};

const reasonRule =
  `The reason may have at most ${reasonCharacters} characters, and no control characters but ` +
  'line breaks.';

/** Asks for an organisation: it can do nothing until the operator approves it. */
export const requestOrganisation = async (
  ports: PartyPorts,
  wanted: {
    name: string;
    type: OrganisationType;
    requestedBy: NamedPerson;
    reason?: string;
  },
): Promise<Organisation | Declined> => {
  const name = wanted.name.trim();
  if (!isName(name)) return declined(nameRule);
  const { reason: given = '', ...facts } = wanted;
  const reason = given.trim();
  if (!isReason(reason)) return declined(reasonRule);

  const organisation: Organisation = {
    kind: 'organisation',
    id: newId(ports, 'o'),
    status: 'requested',
    tier: 'minimal',
    createdAt: timestamp(ports),
    ...facts,
    name,
    ...(reason !== '' && { reason }),
  };
  return (await ports.directory.add(organisation)) ?? organisation;
};

interface Move {
  readonly from: OrganisationStatus;
  readonly to: OrganisationStatus;
  readonly tier?: Tier;
  /** Done before the status changes. */
  readonly first?: (organisation: Organisation) => Promise<Declined | undefined>;
}

const move = async (
  { directory }: RegistryPorts,
  id: string,
  { first, ...change }: Move,
): Promise<Organisation | Declined> => {
  const gone = declined(`There is no ${change.from} organisation ${id}: look again.`);
  const found = await directory.find('organisation', id);
  if (found?.kind !== 'organisation' || found.status !== change.from) return gone;

  const obstacle = await first?.(found);
  if (obstacle) return obstacle;

  const { to: status, tier = found.tier } = change;
  if (await directory.setStatus(id, change)) return { ...found, status, tier };
  return gone;
};

export const approveOrganisation = (
  ports: RegistryPorts,
  id: string,
  tier: Tier,
): Promise<Organisation | Declined> =>
  move(ports, id, {
    from: 'requested',
    to: 'active',
    tier,
    // First the owner: an approved organisation that nobody can enter would help nobody.
    async first({ requestedBy }) {
      if (!requestedBy) return undefined;
      const owner = await addMember(ports, { ...requestedBy, organisation: id, role: 'owner' });
      return isDeclined(owner) ? owner : undefined;
    },
  });

export const declineOrganisation = (
  ports: RegistryPorts,
  id: string,
): Promise<Organisation | Declined> => move(ports, id, { from: 'requested', to: 'declined' });

const connectionsBelow = async ({ directory, connections }: RegistryPorts, id: string) => {
  const [apps, workspaces] = await Promise.all([
    directory.list('app', id),
    directory.list('workspace', id),
  ]);
  const lists = await Promise.all([
    ...apps.map(app => connections.ofApp(app.id)),
    ...workspaces.map(workspace => connections.ofWorkspace(workspace.id)),
  ]);
  return new Set(lists.flat().map(connection => connection.id));
};

/**
 * Closes the queue of a connection that counts as revoked to the roles that read it with SQS's own
 * calls; opens it to them otherwise.
 */
const guardQueue = async (ports: RegistryPorts, id: string): Promise<void> => {
  const connection = (await ports.connections.find(id))?.connection;
  if (connection?.queue === undefined || !isKept(connection)) return;
  if (connection.isSuspended) await ports.queueAdmin.letRead(connection.queue, []);
  else await openQueue(ports, connection);
};

/** For all connections of an organisation, and all in its workspaces. Never declined. */
const setSuspended = async (
  ports: RegistryPorts,
  id: string,
  isSuspended: boolean,
): Promise<undefined> => {
  for (const connection of await connectionsBelow(ports, id)) {
    await ports.connections.setSuspended(connection, id, isSuspended);
    await guardQueue(ports, connection);
  }
};

/**
 * Suspends an organisation: while that lasts, its connections count as revoked, and those in its
 * workspaces. Queues and what is in them stay, but nobody can read them. The organisation comes
 * first, so that nothing new joins it; repeat an interrupted call to finish it.
 */
export const suspendOrganisation = async (
  ports: RegistryPorts,
  id: string,
): Promise<Organisation | Declined> => {
  const begun = await move(ports, id, { from: 'active', to: 'suspended' });
  // If it is suspended already, an interrupted call is repeated.
  const suspended = isDeclined(begun)
    ? await move(ports, id, { from: 'suspended', to: 'suspended' })
    : begun;
  if (isDeclined(suspended)) return begun;

  await setSuspended(ports, id, true);
  return suspended;
};

/** Ends a suspension. The connections come first: repeat an interrupted call to finish it. */
export const resumeOrganisation = (
  ports: RegistryPorts,
  id: string,
): Promise<Organisation | Declined> =>
  move(ports, id, { from: 'suspended', to: 'active', first: () => setSuspended(ports, id, false) });
