import table from './bounds.json';

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

export type BoundName = keyof typeof table;

/**
 * Whoever would make one more gets `limit.reached`; only a further session ends the oldest. Of
 * connections, API Gateway has 10,000 keys per account, one for each.
 */
export const bounds = table satisfies Record<string, Bound>;

export const boundNames = Object.keys(bounds) as readonly BoundName[];

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
