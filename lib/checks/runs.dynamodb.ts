import {
  deleteItem,
  getItem,
  holds,
  type Item,
  isFault,
  itemReader,
  putItem,
  queryAll,
  type Table,
  type Update,
  updatedItem,
  updateItem,
} from '../aws/table.ts';
import type { RunStatus } from '../contract/checks.ts';
import { type Lease, takeoverTime } from '../delivery/log.ts';
import type { Sighting } from '../registry/test-runs.ts';
import type { CheckRuns, Run, RunFacts, RunState, RunSummary, Seen } from './run.ts';
import {
  expiryOf,
  faultItem,
  faultKey,
  packed,
  partition,
  runKey,
  seenPrefix,
  unpacked,
} from './test-runs.dynamodb.ts';

const index = 'pending';
const pendingRuns = 'check';
const listed = 50;
const statuses: readonly RunStatus[] = ['running', 'finished', 'aborted'];

const factsOf = ({
  id,
  kind,
  workspace,
  connections,
  consumer,
  producer,
  options,
  busVersion,
  createdAt,
}: Run): RunFacts => ({
  id,
  kind,
  workspace,
  connections,
  ...(consumer === undefined ? {} : { consumer }),
  ...(producer === undefined ? {} : { producer }),
  options,
  busVersion,
  createdAt,
});

const runItem = (run: Run): Item => ({
  ...runKey(run.id),
  workspace: run.workspace,
  ...(run.consumer === undefined ? {} : { consumer: run.consumer }),
  facts: packed(factsOf(run)),
  state: packed(run.state),
  status: run.status,
  pending_work: pendingRuns,
  due_at: run.createdAt,
  expires_at: expiryOf(run.createdAt),
});

const readRun = (item: Item): Run => {
  const read = itemReader(item);
  return {
    ...(unpacked(read.bytes('facts')) as RunFacts), // what `runItem` packed
    state: unpacked(read.bytes('state')) as RunState, // what `runItem` or `save` packed
    status: read.oneOf('status', statuses),
    ...(read.has('reason') ? { reason: read.text('reason') } : {}),
    ...(read.has('stop') ? { stop: read.text('stop') } : {}),
    ...(read.has('ended_at') ? { endedAt: read.number('ended_at') } : {}),
    ...(read.has('lease_owner')
      ? { lease: { owner: read.text('lease_owner'), until: read.number('lease_until') } }
      : {}),
  };
};

const summaryOf = ({ id, kind, status, reason, connections, createdAt, endedAt }: Run): RunSummary => ({
  id,
  kind,
  status,
  ...(reason === undefined ? {} : { reason }),
  connections,
  createdAt,
  ...(endedAt === undefined ? {} : { endedAt }),
});

/** Whose lists have a run: its workspace's, and those of its connections. */
const ownersOf = ({ workspace, connections }: RunFacts): readonly string[] => [
  workspace,
  ...connections.map(({ connection_id }) => connection_id),
];

const listItem = (owner: string, { id, createdAt }: RunFacts): Item => ({
  pk: `CHECKS#${owner}`,
  sk: `${new Date(createdAt).toISOString()}#${id}`,
  expires_at: expiryOf(createdAt),
});

const find = async (table: Table, id: string): Promise<Run | undefined> => {
  const item = await getItem(table, { Key: runKey(id), ConsistentRead: true });
  return item && readRun(item);
};

/** An update of a run while it is running. `update` and `condition` may use `#status`. */
const whileRunning = (
  id: string,
  change: { readonly update: string; readonly condition?: string; readonly values: Item },
): Update => ({
  Key: runKey(id),
  UpdateExpression: change.update,
  ConditionExpression: `#status = :running${change.condition ?? ''}`,
  ExpressionAttributeNames: {
    '#status': 'status',
    ...(change.update.includes('#state') ? { '#state': 'state' } : {}),
  },
  ExpressionAttributeValues: { ':running': 'running', ...change.values },
});

const acquire = async (table: Table, id: string, { lease, now }: { lease: Lease; now: number }) => {
  const change = whileRunning(id, {
    update: 'SET lease_owner = :owner, lease_until = :until',
    condition: ' AND (attribute_not_exists(lease_owner) OR lease_until <= :over)',
    values: { ':owner': lease.owner, ':until': lease.until, ':over': takeoverTime(now) },
  });
  try {
    return readRun(await updatedItem(table, change));
  } catch (fault) {
    if (isFault(fault, 'ConditionalCheckFailedException')) return undefined;
    throw fault;
  }
};

const listOf = async (table: Table, owner: string): Promise<readonly RunSummary[]> => {
  const items = await queryAll(
    table,
    {
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': `CHECKS#${owner}` },
      ConsistentRead: true,
      ScanIndexForward: false,
      Limit: listed,
    },
    listed,
  );
  const ids = items.map(item => itemReader(item).text('sk').split('#')[1] ?? '');
  const runs = await Promise.all(ids.map(id => find(table, id)));
  return runs.flatMap(run => (run ? [summaryOf(run)] : []));
};

const seen = async (table: Table, id: string, after: string): Promise<readonly Seen[]> => {
  const items = await queryAll(table, {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :after AND :end',
    ExpressionAttributeValues: { ':pk': partition(id), ':after': after, ':end': `${seenPrefix}~` },
  });
  return items.flatMap(item => {
    const read = itemReader(item);
    const position = read.text('sk');
    if (position === after) return [];
    return [{ position, sighting: unpacked(read.bytes('sighting')) as Sighting }]; // what `note` packed
  });
};

const end = async (
  table: Table,
  ...[id, owner, { status, reason, at }]: Parameters<CheckRuns['end']>
): Promise<boolean> => {
  const why = reason === undefined ? '' : ', reason = :reason';
  const change = whileRunning(id, {
    update: `SET #status = :status, ended_at = :at${why} REMOVE pending_work, due_at, lease_owner, lease_until, stop`,
    condition: ' AND lease_owner = :owner',
    values: {
      ':status': status,
      ':at': at,
      ':owner': owner,
      ...(reason === undefined ? {} : { ':reason': reason }),
    },
  });
  const ended = await holds(updateItem(table, change));
  if (ended) await deleteItem(table, { Key: faultKey(id) });
  return ended;
};

/** Runs of checks in the ledger's table. */
export const awsCheckRuns = (table: Table): CheckRuns => ({
  async add(run) {
    // Listed first: whoever reads a list leaves out what is not there.
    for (const owner of ownersOf(run)) await putItem(table, { Item: listItem(owner, run) });
    await putItem(table, { Item: runItem(run), ConditionExpression: 'attribute_not_exists(pk)' });
  },

  find: id => find(table, id),

  async running() {
    const items = await queryAll(table, {
      IndexName: index,
      KeyConditionExpression: 'pending_work = :check',
      ExpressionAttributeValues: { ':check': pendingRuns },
    });
    return items.map(item => itemReader(item).text('pk').slice(partition('').length));
  },

  listOf: owner => listOf(table, owner),

  acquire: (id, lease, now) => acquire(table, id, { lease, now }),

  save(id, lease, state) {
    const change = whileRunning(id, {
      update: 'SET #state = :state, lease_until = :until',
      condition: ' AND lease_owner = :owner',
      values: { ':state': packed(state), ':until': lease.until, ':owner': lease.owner },
    });
    return holds(updateItem(table, change));
  },

  async release(id, owner) {
    const change = whileRunning(id, {
      update: 'REMOVE lease_owner, lease_until',
      condition: ' AND lease_owner = :owner',
      values: { ':owner': owner },
    });
    await holds(updateItem(table, change));
  },

  stop(id, reason) {
    const change = whileRunning(id, {
      update: 'SET stop = if_not_exists(stop, :reason)',
      values: { ':reason': reason },
    });
    return holds(updateItem(table, change));
  },

  end: (...call) => end(table, ...call),

  setFaults: (id, faults) => putItem(table, { Item: faultItem(id, faults) }),

  seen: (id, after = seenPrefix) => seen(table, id, after),
});
