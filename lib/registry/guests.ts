import { type Connection, isKept } from './connection.ts';
import {
  type ConnectionRequest,
  changePermissions,
  createConnection,
  type WantedPermissions,
} from './connections.ts';
import type { Guest, GuestTerms } from './invitations.ts';
import { type Declined, declined } from './operator.ts';
import { matches } from './patterns.ts';
import type { RegistryPorts } from './ports.ts';
import { revokeConnection } from './revoking.ts';
import type { IssuedConnection } from './secrets.ts';

const noPlace = ({ organisation, workspace }: Pick<Guest, 'organisation' | 'workspace'>): Declined =>
  declined(`The organisation ${organisation} has no place in the workspace ${workspace}.`);

/** Ends a vendor's place in a workspace: its connections there are revoked. Repeat an interrupted call to finish it. */
export const endGuest = async (
  ports: RegistryPorts,
  workspace: string,
  organisation: string,
): Promise<{ readonly revoked: number } | Declined> => {
  const revokeOwn = async (): Promise<number> => {
    const all = await ports.connections.ofWorkspace(workspace);
    // Suspended ones too: they would come back with their organisation.
    const own = all.filter(one => one.organisation === organisation && isKept(one));
    for (const { id } of own) await revokeConnection(ports, id);
    return own.length;
  };
  const revoked = await revokeOwn();
  // Not before: who has no place any more is on no list, and an interrupted call could not be repeated.
  const known = await ports.invitations.removeGuest(workspace, organisation);
  const madeMeanwhile = await revokeOwn();
  const sum = revoked + madeMeanwhile;
  return known || sum > 0 ? { revoked: sum } : noPlace({ organisation, workspace });
};

const beyondTerms = (
  { kinds, grants, receives }: GuestTerms,
  wanted: Pick<Connection, 'kind' | 'grants' | 'receives'>,
): string | undefined => {
  if (!kinds.includes(wanted.kind))
    return `This workspace invited you to connect ${kinds.join('s and ')}s only.`;
  const [allowed, asked] = wanted.kind === 'producer' ? [grants, wanted.grants] : [receives, wanted.receives];
  const [beyond] = asked.filter(pattern => !allowed.some(one => matches(one, pattern)));
  return beyond === undefined
    ? undefined
    : `This workspace did not invite you for ${beyond}: it allows ${allowed.join(', ') || 'nothing'}.`;
};

export const createGuestConnection = async (
  ports: RegistryPorts,
  request: ConnectionRequest & { readonly organisation: string },
): Promise<IssuedConnection | Declined> => {
  const guest = await ports.invitations.guestOf(request.workspace, request.organisation);
  if (!guest) return noPlace(request);
  const beyond = beyondTerms(guest.terms, request);
  return beyond === undefined
    ? createConnection(ports, { ...request, guestSince: guest.since })
    : declined(beyond);
};

export const changeGuestPermissions = async (
  ports: RegistryPorts,
  connection: Connection,
  wanted: WantedPermissions,
): Promise<Connection | Declined> => {
  const guest = await ports.invitations.guestOf(connection.workspace, connection.organisation);
  if (!guest) return noPlace(connection);
  const beyond = beyondTerms(guest.terms, { ...connection, ...wanted });
  return beyond === undefined ? changePermissions(ports, connection.id, wanted) : declined(beyond);
};
