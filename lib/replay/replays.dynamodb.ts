import {
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
import { daySeconds } from '../contract/limits.ts';
import { pendingReplays } from '../delivery/ledger-items.dynamodb.ts';
import { takeoverTime } from '../delivery/log.ts';
import type { Replay, ReplayList, Replays, WaitingLog } from './replay.ts';

const index = 'pending';
const keptDays = 90;
const statuses: readonly Replay['status'][] = ['running', 'finished', 'cancelled', 'failed'];

const key = (id: string) => ({ pk: `REPLAY#${id}`, sk: 'REPLAY' });

const listKey = (connection: string): string => `REPLAYS#${connection}`;

const expiryOf = ({ createdAt }: Replay): number => Math.floor(createdAt / 1000) + keptDays * daySeconds;

/** A replay's entry in the list of its connection: times of one length sort as text. */
const listItem = (replay: Replay): Item => ({
  pk: listKey(replay.connection),
  sk: `${new Date(replay.createdAt).toISOString()}#${replay.id}`,
  expires_at: expiryOf(replay),
});

const waitingItems = (logs: readonly WaitingLog[]): readonly Item[] =>
  logs.map(({ correlationId, next, last }) => ({ correlation_id: correlationId, next, last }));

const readWaiting = (items: unknown): readonly WaitingLog[] => {
  if (!Array.isArray(items)) throw new Error('A stored replay has no list of the logs that wait.');
  return items.map((item: Item) => {
    const read = itemReader(item);
    return {
      correlationId: read.text('correlation_id'),
      next: read.number('next'),
      last: read.number('last'),
    };
  });
};

const replayItem = (replay: Replay): Item => ({
  ...key(replay.id),
  id: replay.id,
  connection: replay.connection,
  workspace: replay.workspace,
  from: replay.from,
  to: replay.to,
  ...(replay.type === undefined ? {} : { type: replay.type }),
  ...(replay.correlationId === undefined ? {} : { correlation_id: replay.correlationId }),
  status: replay.status,
  reached: replay.reached,
  sent: replay.sent,
  next: replay.next,
  waiting: waitingItems(replay.waiting),
  pending_work: pendingReplays,
  due_at: replay.createdAt,
  created_at: replay.createdAt,
  expires_at: expiryOf(replay),
});

const readReplay = (item: Item): Replay => {
  const read = itemReader(item);
  return {
    id: read.text('id'),
    connection: read.text('connection'),
    workspace: read.text('workspace'),
    from: read.number('from'),
    to: read.number('to'),
    ...(read.has('type') ? { type: read.text('type') } : {}),
    ...(read.has('correlation_id') ? { correlationId: read.text('correlation_id') } : {}),
    status: read.oneOf('status', statuses),
    ...(read.has('reason') ? { reason: read.text('reason') } : {}),
    createdAt: read.number('created_at'),
    ...(read.has('position') ? { position: read.text('position') } : {}),
    next: read.number('next'),
    reached: read.number('reached'),
    sent: read.number('sent'),
    waiting: readWaiting(item['waiting']),
    ...(read.has('problem') ? { problem: read.text('problem') } : {}),
    ...(read.has('lease_owner')
      ? { lease: { owner: read.text('lease_owner'), until: read.number('lease_until') } }
      : {}),
  };
};

/** An update of a replay while it is running. `update` and `condition` may use `#status`. */
const whileRunning = (
  id: string,
  change: { readonly update: string; readonly condition?: string; readonly values: Item },
): Update => ({
  Key: key(id),
  UpdateExpression: change.update,
  ConditionExpression: `#status = :running${change.condition ?? ''}`,
  ExpressionAttributeNames: { '#status': 'status' },
  ExpressionAttributeValues: { ':running': 'running', ...change.values },
});

const find = async (table: Table, id: string): Promise<Replay | undefined> => {
  const item = await getItem(table, { Key: key(id), ConsistentRead: true });
  return item && readReplay(item);
};

const acquire = async (table: Table, ...[id, lease, now]: Parameters<Replays['acquire']>) => {
  const change = whileRunning(id, {
    update: 'SET lease_owner = :owner, lease_until = :until',
    condition: ' AND (attribute_not_exists(lease_owner) OR lease_until <= :over)',
    values: { ':owner': lease.owner, ':until': lease.until, ':over': takeoverTime(now) },
  });
  try {
    return readReplay(await updatedItem(table, change));
  } catch (fault) {
    if (isFault(fault, 'ConditionalCheckFailedException')) return undefined;
    throw fault;
  }
};

const progress = (
  table: Table,
  ...[id, lease, { sent, position, next, reached, waiting }]: Parameters<Replays['progress']>
) => {
  const changes: Item = {
    lease_until: lease.until,
    sent,
    next,
    reached,
    waiting: waitingItems(waiting),
    ...(position === undefined ? {} : { position }),
  };
  const names = Object.keys(changes);
  const change = whileRunning(id, {
    update: `SET ${names.map(name => `#${name} = :${name}`).join(', ')}`,
    condition: ' AND lease_owner = :owner',
    values: { ':owner': lease.owner, ...Object.fromEntries(names.map(name => [`:${name}`, changes[name]])) },
  });
  const ExpressionAttributeNames = {
    '#status': 'status',
    ...Object.fromEntries(names.map(name => [`#${name}`, name])),
  };
  return holds(updateItem(table, { ...change, ExpressionAttributeNames }));
};

/** Replay jobs in the ledger's table. */
export const awsReplays = (table: Table): Replays => ({
  async add(replay) {
    // Listed first: whoever reads the list leaves out what is not there.
    await putItem(table, { Item: listItem(replay) });
    await putItem(table, { Item: replayItem(replay), ConditionExpression: 'attribute_not_exists(pk)' });
  },

  find: id => find(table, id),

  async running() {
    const items = await queryAll(table, {
      IndexName: index,
      KeyConditionExpression: 'pending_work = :replay',
      ExpressionAttributeValues: { ':replay': pendingReplays },
    });
    return items.map(item => itemReader(item).text('pk').slice('REPLAY#'.length));
  },

  acquire: (...call) => acquire(table, ...call),

  progress: (...call) => progress(table, ...call),

  async release(id, owner, problem) {
    const given = 'REMOVE lease_owner, lease_until';
    const change = whileRunning(id, {
      update: problem === undefined ? `${given}, problem` : `SET problem = :problem ${given}`,
      condition: ' AND lease_owner = :owner',
      values: { ':owner': owner, ...(problem === undefined ? {} : { ':problem': problem }) },
    });
    await holds(updateItem(table, change));
  },

  end(id, { status, reason }) {
    const change = whileRunning(id, {
      update: `SET #status = :status, waiting = :none${reason === undefined ? '' : ', reason = :reason'} REMOVE pending_work, due_at, lease_owner, lease_until, problem`,
      values: { ':status': status, ':none': [], ...(reason === undefined ? {} : { ':reason': reason }) },
    });
    return holds(updateItem(table, change));
  },
});

/** The lists of replays in the ledger's table. */
export const awsReplayList = (table: Table): ReplayList => ({
  async ofConnection(connection) {
    const items = await queryAll(table, {
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': listKey(connection) },
      ConsistentRead: true,
      ScanIndexForward: false,
    });
    return items.map(item => itemReader(item).text('sk').split('#')[1] ?? '');
  },
});
