/**
 * For what a bound is kept. `guest`: an invited vendor, in one workspace; `guests`: all of them
 * together in one workspace; `ownConnection`: a connection of the workspace's house.
 */
export type BoundScope =
  | 'person'
  | 'guestConnection'
  | 'ownConnection'
  | 'guest'
  | 'guests'
  | 'organisation'
  | 'workspace'
  | 'environment';

interface Bound {
  readonly things: string;
  readonly remedy: string;
  readonly max: Readonly<Partial<Record<BoundScope, number>>>;
}

/** Whoever would make one more gets `limit.reached`; only a further session ends the oldest. */
export const bounds = {
  connections: {
    things: 'connections that are not revoked',
    remedy: 'revoke one that nobody needs',
    // API Gateway has 10,000 keys per account, one for each connection.
    max: { guest: 20, organisation: 500, environment: 9_000 },
  },
  consumers: {
    things: 'consumers that are not revoked',
    remedy: 'revoke one that nobody needs',
    max: { workspace: 300 },
  },
  producers: {
    things: 'producers that are not revoked',
    remedy: 'revoke one that nobody needs',
    max: { workspace: 300 },
  },
  systems: {
    things: 'system_ids that belong to its apps',
    remedy: 'send as one of them',
    max: { guest: 200, workspace: 2_000 },
  },
  apps: { things: 'apps', remedy: 'use one of them', max: { organisation: 600 } },
  workspaces: { things: 'workspaces', remedy: 'use one of them', max: { organisation: 50 } },
  requests: {
    things: 'open requests for an organisation',
    remedy: 'wait until the operator has decided on them',
    max: { person: 3, environment: 1_000 },
  },
  invitations: {
    things: 'open invitations',
    remedy: 'withdraw one that nobody needs',
    max: { organisation: 50, workspace: 50 },
  },
  memberships: { things: 'organisations', remedy: 'leave one', max: { person: 50 } },
  vendors: { things: 'vendors', remedy: 'end the place of one', max: { workspace: 100 } },
  people: { things: 'people', remedy: 'remove somebody', max: { organisation: 200 } },
  issuers: { things: 'identity providers', remedy: 'remove one', max: { organisation: 10 } },
  clients: { things: 'bound clients', remedy: 'unbind one', max: { workspace: 300 } },
  roles: {
    things: 'cloud roles',
    remedy: 'revoke one',
    max: { guestConnection: 5, ownConnection: 20 },
  },
  runs: {
    things: 'test runs that go on',
    remedy: 'wait for the end of one, or stop one',
    max: { guest: 1, guests: 3, organisation: 2, environment: 20 },
  },
  replays: {
    things: 'replays that have not ended',
    remedy: 'wait for the end of one, or cancel one',
    max: { guestConnection: 1, organisation: 20, workspace: 20, environment: 200 },
  },
  instances: {
    things: 'registered skill instances',
    remedy: 'remove one that nobody needs',
    max: { guestConnection: 100, organisation: 2_000 },
  },
  alerts: {
    things: 'alerts',
    remedy: 'delete one that nobody needs',
    max: { guest: 3, organisation: 20 },
  },
  sessions: { things: 'sessions', remedy: 'sign out somewhere', max: { person: 20 } },
} as const satisfies Record<string, Bound>;

export type BoundName = keyof typeof bounds;

export const boundNames = Object.keys(bounds).filter((name): name is BoundName => name in bounds);

/**
 * The most that the operator can allow: a count is one item of a table, with the names of its
 * things.
 */
export const highestMax = 10_000;

export const maxOf = (name: BoundName, scope: BoundScope): number | undefined => {
  const { max }: Bound = bounds[name];
  return max[scope];
};

export interface Slot {
  readonly bound: BoundName;
  readonly scope: BoundScope;
  /**
   * The id of the person, connection, organisation or workspace; of a guest, both; empty for the
   * environment.
   */
  readonly of: string;
  readonly max?: number;
  /** The names of the things in this count, if they have others there. */
  readonly as?: readonly string[];
}

export const guestIn = (workspace: string, organisation: string): string =>
  `${workspace}.${organisation}`;

const owners: Readonly<Record<BoundScope, string>> = {
  person: 'You have',
  guestConnection: 'This connection has',
  ownConnection: 'This connection has',
  guest: 'Your organisation has, as a guest of this workspace,',
  guests: 'The guests of this workspace together have',
  organisation: 'The organisation has',
  workspace: 'The workspace has',
  environment: 'This bus has',
};

export const limitSentence = ({ bound, scope }: Slot, max: number): string => {
  const { things, remedy }: Bound = bounds[bound];
  const only = max === 1 ? 'one of the' : `${max}`;
  const more =
    scope === 'person' || scope.endsWith('Connection') ? '' : ', or ask the operator for more';
  return `${owners[scope]} ${only} ${things}, and no further one is allowed: ${remedy}${more}.`;
};
