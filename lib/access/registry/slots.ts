import { guestIn, type Slot } from '../../contract/bounds.ts';
import { limits } from '../../contract/limits.ts';
import { type Identity, personKey } from '../people/members.ts';
import type { Connection } from './connection.ts';

type Placed = Pick<Connection, 'id' | 'kind' | 'workspace' | 'organisation' | 'guestSince'>;

const ofGuest = (
  bound: 'connections' | 'runs',
  { workspace, organisation, guestSince }: Placed,
): readonly Slot[] => {
  if (guestSince === undefined) return [];
  return [{ bound, scope: 'guest', of: guestIn(workspace, organisation) }];
};

const ofGuestConnection = (
  bound: 'replays' | 'instances',
  { id, guestSince }: Placed,
): readonly Slot[] =>
  guestSince === undefined ? [] : [{ bound, scope: 'guestConnection', of: id }];

export const connectionSlots = (connection: Placed): readonly Slot[] => [
  ...ofGuest('connections', connection),
  { bound: 'connections', scope: 'organisation', of: connection.organisation },
  { bound: `${connection.kind}s`, scope: 'workspace', of: connection.workspace },
  { bound: 'connections', scope: 'environment', of: '' },
];

/**
 * The system_ids of a house and of each guest are counted apart: no guest takes those that the
 * house may have.
 */
export const systemSlot = ({ workspace, organisation, guestSince }: Placed): Slot => {
  if (guestSince === undefined) return { bound: 'systems', scope: 'workspace', of: workspace };
  return { bound: 'systems', scope: 'guest', of: guestIn(workspace, organisation) };
};

/**
 * The runs of guests and those of the house are counted apart: neither takes a place of the other,
 * whoever starts first.
 */
export const runSlots = (connection: Placed): readonly Slot[] => {
  const { organisation, workspace, guestSince } = connection;
  const ofGuests: readonly Slot[] =
    guestSince === undefined ? [] : [{ bound: 'runs', scope: 'guests', of: workspace }];
  return [
    ...ofGuest('runs', connection),
    ...ofGuests,
    { bound: 'runs', scope: 'organisation', of: organisation },
    { bound: 'runs', scope: 'environment', of: '' },
  ];
};

export const replaySlots = (connection: Placed): readonly Slot[] => [
  ...ofGuestConnection('replays', connection),
  { bound: 'replays', scope: 'organisation', of: connection.organisation },
  { bound: 'replays', scope: 'workspace', of: connection.workspace },
  { bound: 'replays', scope: 'environment', of: '' },
];

export const instanceSlots = (connection: Placed): readonly Slot[] => [
  ...ofGuestConnection('instances', connection),
  { bound: 'instances', scope: 'organisation', of: connection.organisation },
];

/** The policy of a consumer's queue has room for few roles, whoever it belongs to. */
export const roleSlots = ({ id, kind, guestSince }: Placed): readonly Slot[] => [
  {
    bound: 'roles',
    scope: guestSince === undefined ? 'ownConnection' : 'guestConnection',
    of: id,
    ...(kind === 'consumer' && { max: limits.rolesPerConsumer }),
  },
];

export const requestSlots = (person: Identity): readonly Slot[] => [
  { bound: 'requests', scope: 'person', of: personKey(person) },
  { bound: 'requests', scope: 'environment', of: '' },
];
