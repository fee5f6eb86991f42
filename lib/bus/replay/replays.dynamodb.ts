import { unlessFull } from '../../access/registry/declined.ts';
import { defined } from '../../contract/outside.ts';
import { countedIn, endCounted, writeWithin } from '../../platform/aws/bounded.ts';
import { assignments, expr } from '../../platform/aws/expression.ts';
import { batchGet } from '../../platform/aws/many-items.ts';
import { findItem, type Item, itemReader, type Table } from '../../platform/aws/table.ts';
import {
  acquireLease,
  changeAsHolder,
  expiryOf,
  leaseIn,
  listedWork,
  partListed,
  runningWork,
  whileRunning,
} from '../delivery/leased-work.dynamodb.ts';
import { pendingReplays } from '../delivery/ledger-items.dynamodb.ts';
import type { Replay, ReplayList, Replays, WaitingLog } from './replay.ts';

const statuses: readonly Replay['status'][] = ['running', 'finished', 'cancelled', 'failed'];

const prefix = 'REPLAY#';

const key = (id: string) => ({ pk: prefix + id, sk: 'REPLAY' });

const listKey = (connection: string): string => `REPLAYS#${connection}`;

const listItem = (replay: Replay): Item => ({
  ...listedWork(listKey(replay.connection), replay),
  expires_at: expiryOf(replay.createdAt),
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

const replayItem = (replay: Replay): Item =>
  defined({
    ...key(replay.id),
    id: replay.id,
    connection: replay.connection,
    workspace: replay.workspace,
    from: replay.from,
    to: replay.to,
    type: replay.type,
    correlation_id: replay.correlationId,
    message_id: replay.messageId,
    status: replay.status,
    reached: replay.reached,
    sent: replay.sent,
    next: replay.next,
    waiting: waitingItems(replay.waiting),
    pending_work: pendingReplays,
    due_at: replay.createdAt,
    created_at: replay.createdAt,
    expires_at: expiryOf(replay.createdAt),
  });

const readReplay = (item: Item): Replay => {
  const read = itemReader(item);
  return defined({
    id: read.text('id'),
    connection: read.text('connection'),
    workspace: read.text('workspace'),
    from: read.number('from'),
    to: read.number('to'),
    status: read.oneOf('status', statuses),
    createdAt: read.number('created_at'),
    next: read.number('next'),
    reached: read.number('reached'),
    sent: read.number('sent'),
    waiting: readWaiting(item['waiting']),
    type: read.optionalText('type'),
    correlationId: read.optionalText('correlation_id'),
    messageId: read.optionalText('message_id'),
    reason: read.optionalText('reason'),
    position: read.optionalText('position'),
    problem: read.optionalText('problem'),
    ...leaseIn(read),
  });
};

const noteProgress =
  (table: Table): Replays['progress'] =>
  (id, lease, { sent, position, next, reached, waiting }) => {
    const changes: Item = defined({
      lease_until: lease.until,
      sent,
      next,
      reached,
      waiting: waitingItems(waiting),
      position,
    });
    return changeAsHolder(table, key(id), lease.owner, expr`SET ${assignments(changes)}`);
  };

export const awsReplays = (table: Table): Replays => ({
  async add(replay, slots) {
    const holding = { slots, holders: [replay.id] };
    const Item = { ...replayItem(replay), ...countedIn(holding) };
    const puts = [
      { Put: { Item, ConditionExpression: 'attribute_not_exists(pk)' } },
      { Put: { Item: listItem(replay) } },
    ];
    return unlessFull(writeWithin(table, puts, holding));
  },

  find: id => findItem(table, key(id), readReplay),

  async findAll(ids) {
    if (ids.length === 0) return [];
    const items = await batchGet(table, ids.map(key));
    const found = new Map(items.map(item => [item['id'], readReplay(item)]));
    return ids.map(id => found.get(id)).filter(one => one !== undefined);
  },

  running: () => runningWork(table, pendingReplays, prefix),

  async acquire(id, lease, now) {
    const item = await acquireLease(table, key(id), { lease, now });
    return item && readReplay(item);
  },

  progress: noteProgress(table),

  async release(id, owner, problem) {
    const given = expr`REMOVE lease_owner, lease_until`;
    const change =
      problem === undefined ? expr`${given}, problem` : expr`SET problem = ${problem} ${given}`;
    await changeAsHolder(table, key(id), owner, change);
  },

  async end(id, { status, reason }) {
    const set = assignments(defined({ status, waiting: [], reason }));
    const left = expr`pending_work, due_at, lease_owner, lease_until, problem`;
    return endCounted(table, { Update: whileRunning(key(id), expr`SET ${set} REMOVE ${left}`) });
  },
});

export const awsReplayList = (table: Table): ReplayList => ({
  ofConnection: (connection, part) => partListed(table, [listKey(connection)], part),
});
