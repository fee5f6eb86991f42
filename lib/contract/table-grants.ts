import type { PortAccess } from './functions.ts';
import type { IndexName, TableName } from './tables.ts';

type ItemAction =
  | `${'Get' | 'BatchGet' | 'Put' | 'Update' | 'Delete' | 'BatchWrite' | 'ConditionCheck'}Item`
  | 'Query';

/** Some actions on some items of a table. */
export interface TableGrant {
  readonly table: TableName;
  readonly actions: readonly ItemAction[];
  /** What the partition keys of the items look like; absent: an index is read. */
  readonly keys?: readonly string[];
  /** The only attributes that an update may name, beside the key. */
  readonly attributes?: readonly string[];
  readonly index?: IndexName;
}

const reads: readonly ItemAction[] = ['GetItem', 'BatchGetItem', 'Query'];

export const isRead = ({ actions }: TableGrant): boolean =>
  actions.every(action => reads.includes(action));

const partsOf = (table: TableName) => ({
  items: (keys: string | readonly string[], ...actions: readonly ItemAction[]): TableGrant => ({
    table,
    actions,
    keys: [keys].flat(),
  }),
  updates: (key: string, ...attributes: readonly string[]): TableGrant => ({
    table,
    actions: ['UpdateItem'],
    keys: [key],
    attributes,
  }),
  index: (index: IndexName): TableGrant => ({ table, actions: ['Query'], index }),
});

type PartsOf = ReturnType<typeof partsOf>;
type GrantsOfAccesses = Partial<Readonly<Record<PortAccess, readonly TableGrant[]>>>;

const registry = partsOf('registry');
const ledger = partsOf('ledger');
const activity = partsOf('activity');
const sessions = partsOf('sessions');

const [connection, workspace] = ['CONNECTION#*', 'WORKSPACE#*'];
const memberships = ['ORGANISATION#*', 'PERSON#*'];
const places = ['ORGANISATION#*', 'WORKSPACE#*', 'APP#*'];

/**
 * Takes part in counts of things, of which there may be only so many
 * (`lib/platform/aws/bounded.ts`).
 */
const counting = (table: PartsOf, name = ''): TableGrant =>
  table.items(`BOUND#${name}*`, 'GetItem', 'UpdateItem');

/**
 * Who exists and what they may do. The first part of an item's key says what it is
 * (`lib/access/registry/items.dynamodb.ts`).
 */
const registryGrants = {
  'registry.connection': [registry.items(connection, 'GetItem')],
  'registry.consumers': [registry.index('children')],
  'registry.roles': [registry.items([workspace, 'OPERATOR'], 'Query')],
  'registry.providers': [registry.items([workspace, 'OPERATOR'], 'GetItem')],
  // Whoever needs the first sealing key makes it.
  seals: [registry.updates('SEALS', 'version', 'seal_keys'), registry.items('SEALS', 'GetItem')],
  marks: [registry.updates(connection, 'status', 'under_test', 'tested_in', 'tested_until')],
  'skills.read': [registry.items('SKILLS#*', 'Query')],
  'skills.change': [
    registry.items('SKILLS#*', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'),
    counting(registry, 'instances#'),
  ],
  'principals.verify': [
    registry.items(workspace, 'Query'),
    registry.updates(workspace, 'status', 'verified_at', 'challenge_hash', 'challenge_valid_until'),
  ],
  'credentials.check': [
    registry.items(connection, 'Query'),
    registry.updates(
      connection,
      ...['current_hash', 'current_used_at', 'previous_hash', 'previous_used_at'],
    ),
  ],
  'tokenRequests.count': [
    registry.updates('TOKENS#*', 'requested_at', 'last_at', 'expires_at', 'version'),
  ],
  // The ring in the registry says which keys there are, and which one signs.
  'signer.keys': [registry.items('KEYS', 'GetItem')],
  'consumers.list': [registry.index('children')],
} satisfies GrantsOfAccesses;

/**
 * What people see and change in the portal. One function serves all of its calls, so these name
 * items, not attributes: who may call what is decided by the table of calls
 * (`lib/contract/portal/portal.ts`).
 */
const portalGrants = {
  sessions: [
    sessions.items('SESSION#*', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'),
    counting(sessions),
  ],
  // What the other ports make is counted as well.
  bounds: [counting(registry), counting(ledger)],
  members: [
    registry.items([...memberships, workspace], 'Query'),
    registry.items(memberships, 'PutItem', 'DeleteItem', 'ConditionCheckItem'),
  ],
  directory: [
    registry.items(places, 'GetItem', 'PutItem', 'UpdateItem'),
    registry.index('children'),
  ],
  invitations: [
    registry.items(['INVITATION#*', workspace], 'GetItem', 'PutItem', 'DeleteItem'),
    registry.items(workspace, 'UpdateItem'),
    registry.items(memberships, 'PutItem', 'DeleteItem', 'ConditionCheckItem'),
    registry.index('children'),
  ],
  'connections.find': [registry.items(connection, 'Query')],
  'connections.manage': [
    registry.items(
      [connection, 'APP#*'],
      'Query',
      'GetItem',
      'BatchGetItem',
      'PutItem',
      'UpdateItem',
    ),
    registry.items(workspace, 'GetItem', 'BatchGetItem', 'PutItem', 'DeleteItem'),
    registry.index('children'),
  ],
  'principals.manage': [registry.items(workspace, 'Query', 'PutItem', 'DeleteItem')],
  identityProviders: [registry.items(workspace, 'Query', 'GetItem', 'PutItem', 'DeleteItem')],
} satisfies GrantsOfAccesses;

/** Alerts, and what is looked at for them in the registry. */
const alertGrants = {
  'alerts.manage': [
    registry.items('ALERTS', 'Query', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'),
  ],
  'alerts.watch': [
    registry.items('ALERTS', 'Query', 'GetItem', 'UpdateItem', 'DeleteItem'),
    counting(registry, 'alerts#'),
  ],
  'members.affiliation': [registry.items('PERSON#*', 'Query')],
  'directory.find': [registry.items(places, 'GetItem')],
  'invitations.guest': [registry.items(workspace, 'GetItem')],
  'connections.list': [registry.items(connection, 'BatchGetItem'), registry.index('children')],
  'principals.list': [registry.items(workspace, 'Query')],
} satisfies GrantsOfAccesses;

/** Test runs (`lib/checks/runs.dynamodb.ts`, `lib/checks/test-runs.dynamodb.ts`). */
const checkGrants = {
  'testRuns.ask': [ledger.items('CHECK#*', 'GetItem')],
  'testRuns.faults': [ledger.items('CHECK#*', 'GetItem', 'UpdateItem')],
  'testRuns.note': [ledger.items('CHECK#*', 'PutItem', 'UpdateItem')],
  'checkRuns.start': [
    counting(ledger, 'runs#'),
    ledger.items('CHECK#*', 'PutItem', 'GetItem'),
    ledger.items('CHECKS#*', 'PutItem'),
  ],
  'checkRuns.list': [ledger.items('CHECKS#*', 'Query'), ledger.items('CHECK#*', 'GetItem')],
  'checkRuns.read': [ledger.items('CHECK#*', 'GetItem', 'Query')],
  'checkRuns.evidence': [ledger.items('CHECK#*', 'GetItem')],
  'checkRuns.stop': [ledger.items('CHECK#*', 'GetItem', 'UpdateItem')],
  'checkRuns.drive': [
    ledger.index('pending'),
    counting(ledger, 'runs#'),
    ledger.items('CHECK#*', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'),
  ],
} satisfies GrantsOfAccesses;

const messages = ['ID#*', 'STORY#*', 'LOG#*'];
const archive = [ledger.index('archive'), ledger.items('LOG#*', 'BatchGetItem')];

/** What was accepted, and what became of it (`lib/bus/delivery/ledger-items.dynamodb.ts`). */
const ledgerGrants = {
  'ledger.read': [ledger.items(messages, 'BatchGetItem')],
  'ledger.commit': [ledger.items(messages, 'PutItem'), ledger.items('LOG#*', 'UpdateItem')],
  'log.read': [ledger.items('LOG#*', 'GetItem', 'Query')],
  'log.update': [ledger.items('LOG#*', 'UpdateItem')],
  'receipts.save': [ledger.items('RECEIPTS#*', 'BatchWriteItem')],
  'receipts.find': [ledger.items('RECEIPTS#*', 'BatchGetItem')],
  'receipts.settle': [ledger.items('RECEIPTS#*', 'UpdateItem')],
  'polls.wait': [ledger.items('POLLS#*', 'UpdateItem')],
  'acceptances.find': [
    ledger.items(['ID#*', 'STORY#*'], 'GetItem'),
    ledger.items('LOG#*', 'BatchGetItem'),
  ],
  'stories.startOver': [ledger.items('STORY#*', 'UpdateItem')],
  'backlog.read': [ledger.index('pending'), ledger.items('LOG#*', 'BatchGetItem')],
  'archive.read': archive,
  'archiveTail.read': archive,
  'replays.manage': [
    ledger.items(['REPLAY#*', 'REPLAYS#*'], 'PutItem', 'GetItem', 'UpdateItem'),
    ledger.items('REPLAY#*', 'BatchGetItem'),
  ],
  'replays.find': [ledger.items('REPLAY#*', 'BatchGetItem')],
  replayList: [ledger.items('REPLAYS#*', 'Query')],
  'replays.run': [
    ledger.index('pending'),
    counting(ledger, 'replays#'),
    ledger.items('REPLAY#*', 'GetItem', 'UpdateItem'),
  ],
} satisfies GrantsOfAccesses;

/** What happened to messages, and who changed what (`lib/bus/activity/records.dynamodb.ts`). */
const activityGrants = {
  'recorder.receives': [
    activity.items(['FEED#*', 'HANDLED#*'], 'BatchWriteItem'),
    activity.items('COUNTS#*', 'UpdateItem'),
  ],
  'recorder.attempts': [
    // One statement: AWS allows a batch only if a single statement names all of its keys.
    activity.items(['FEED#*', 'MESSAGE#*', 'TEXT#*'], 'BatchWriteItem'),
    activity.items('KEEPS#*', 'GetItem'),
    activity.items(['FEED#*', 'COUNTS#*'], 'UpdateItem'),
    activity.items('TITLES#*', 'PutItem'),
  ],
  'recorder.limited': [activity.items(['FEED#*', 'COUNTS#*', 'LINES#*'], 'UpdateItem')],
  identityRefusals: [activity.items('FEED#*', 'UpdateItem')],
  'recorder.tokens': [activity.items('FEED#*', 'BatchWriteItem', 'UpdateItem')],
  'history.message': [activity.items(['MESSAGE#*', 'HANDLED#*'], 'Query')],
  'history.copies': [activity.items('HANDLED#*', 'Query')],
  'history.feed': [activity.items('FEED#*', 'Query')],
  'history.inFlight': [activity.index('in_flight')],
  'history.titles': [activity.items('TITLES#*', 'Query')],
  counts: [activity.items(['COUNTS#*', 'ROLLS#*'], 'Query'), activity.items('ROLLS#*', 'PutItem')],
  refusedTexts: [
    activity.items(['TEXT#*', 'KEEPS#*'], 'GetItem'),
    activity.items('KEEPS#*', 'PutItem', 'DeleteItem'),
  ],
  changes: [activity.items('CHANGES#*', 'PutItem', 'Query')],
} satisfies GrantsOfAccesses;

/**
 * What each access in the tables of routes and jobs lets a function do with the tables. The
 * functions' roles are made of it (`lib/infra/port-grants.ts`), and a restore stops what writes.
 */
export const tableGrants = {
  ...registryGrants,
  ...portalGrants,
  ...alertGrants,
  ...checkGrants,
  ...ledgerGrants,
  ...activityGrants,
} as const satisfies GrantsOfAccesses;

export const tableGrantsOf = (access: PortAccess): readonly TableGrant[] =>
  access in tableGrants ? tableGrants[access as keyof typeof tableGrants] : [];
