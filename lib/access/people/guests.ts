import { type Connection, isKept } from '../registry/connection.ts';
import {
  type ConnectionRequest,
  changePermissions,
  createConnection,
  type WantedPermissions,
} from '../registry/connections.ts';
import { type Declined, declined } from '../registry/declined.ts';
import { matches } from '../registry/patterns.ts';
import type { RegistryPorts } from '../registry/ports.ts';
import { revokeConnection } from '../registry/revoking.ts';
import type { IssuedConnection } from '../registry/secrets.ts';
import type { Guest, GuestTerms } from './invitations.ts';

const noPlace = ({
  organisation,
  workspace,
}: Pick<Guest, 'organisation' | 'workspace'>): Declined =>
  declined(`The organisation ${organisation} has no place in the workspace ${workspace}.`);

/**
 * Ends a vendor's place in a workspace: its connections there are revoked. Repeat an interrupted
 * call to finish it.
 */
export const endGuest = async (
  ports: RegistryPorts,
  workspace: string,
  organisation: string,
): Promise<{ revoked: number } | Declined> => {
  const revokeOwn = async (): Promise<number> => {
    const all = await ports.connections.ofWorkspace(workspace);
    // Suspended ones too: they would come back with their organisation.
    const own = all.filter(one => one.organisation === organisation && isKept(one));
    for (const { id } of own) await revokeConnection(ports, id);
    return own.length;
  };

  const revoked = await revokeOwn();
  // Not before: who has no place any more is on no list, and an interrupted call could not be
  // repeated.
  const known = await ports.invitations.removeGuest(workspace, organisation);
  const madeMeanwhile = await revokeOwn();

  const sum = revoked + madeMeanwhile;
  if (known || sum > 0) return { revoked: sum };
  return noPlace({ organisation, workspace });
};

type Asked = Pick<Connection, 'kind' | 'grants' | 'receives'>;

/** The types that count for a connection of a kind. */
const typesFor = (
  kind: Connection['kind'],
  { grants, receives }: Pick<GuestTerms, 'grants' | 'receives'>,
): readonly string[] => (kind === 'producer' ? grants : receives);

const beyondTypes = (allowed: readonly string[], wanted: Asked): Declined | undefined => {
  const types = typesFor(wanted.kind, wanted);
  const beyond = types.find(pattern => !allowed.some(one => matches(one, pattern)));
  if (beyond === undefined) return undefined;
  const list = allowed.join(', ') || 'nothing';
  return declined(`This workspace did not invite you for ${beyond}: it allows ${list}.`);
};

export const createGuestConnection = async (
  ports: RegistryPorts,
  request: ConnectionRequest & { organisation: string },
): Promise<IssuedConnection | Declined> => {
  const guest = await ports.invitations.guestOf(request.workspace, request.organisation);
  if (!guest) return noPlace(request);
  const { terms, since } = guest;
  if (!terms.kinds.includes(request.kind))
    return declined(`This workspace invited you to connect ${terms.kinds.join('s and ')}s only.`);

  const guestTypes = typesFor(request.kind, terms);
  const beyond = beyondTypes(guestTypes, request);
  return beyond ?? createConnection(ports, { ...request, guestSince: since, guestTypes });
};

/**
 * What the invitation allowed under which the connection was made still counts for it, whatever
 * another one says.
 */
export const changeGuestPermissions = async (
  ports: RegistryPorts,
  connection: Connection,
  wanted: WantedPermissions,
): Promise<Connection | Declined> => {
  const guest = await ports.invitations.guestOf(connection.workspace, connection.organisation);
  if (!guest) return noPlace(connection);
  const allowed = connection.guestTypes ?? typesFor(connection.kind, guest.terms);
  const beyond = beyondTypes(allowed, { ...connection, ...wanted });
  return beyond ?? changePermissions(ports, connection.id, wanted);
};
