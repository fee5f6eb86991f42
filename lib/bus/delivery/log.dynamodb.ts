import { limits } from '../../contract/limits.ts';
import { attribute, type Expression, expr } from '../../platform/aws/expression.ts';
import { batchGet, holds, retryOnConflict } from '../../platform/aws/many-items.ts';
import {
  getItem,
  type Item,
  itemReader,
  queryAll,
  queryPage,
  type Table,
  type Update,
  unlessError,
  updatedItem,
  updateItem,
} from '../../platform/aws/table.ts';
import { isHeld } from './leased-work.dynamodb.ts';
import {
  entryKey,
  headKey,
  logOf,
  pendingLogs,
  readEntry,
  readHead,
} from './ledger-items.dynamodb.ts';
import {
  type Correlation,
  type Entry,
  type Lease,
  type Log,
  type PendingLog,
  type Progress,
  takeoverTime,
} from './log.ts';
import type { PendingLogs } from './relay.ts';

const changed = (table: Table, update: Update): Promise<boolean> =>
  holds(retryOnConflict(() => updateItem(table, update)));

/**
 * Usually one update. A log that has grown in the meantime, or was not sent to its end, takes a
 * second update and stays pending.
 */
const release = async (
  table: Table,
  { log, lease }: { log: Correlation; lease: Lease },
  { published, unsentSince, dueAt }: Progress,
): Promise<boolean> => {
  const endLease = (UpdateExpression: Expression, only: Expression): Promise<boolean> => {
    const ConditionExpression = expr`${isHeld(lease)} AND ${only}`;
    return changed(table, { Key: headKey(log), UpdateExpression, ConditionExpression });
  };

  const moved = expr`SET published = ${published}`;
  const nothingLeft = expr`lease_owner, lease_until, pending_work, due_at, unsent_since`;
  const isAllSent = expr`#last = ${published}`;
  if (await endLease(expr`${moved} REMOVE ${nothingLeft}`, isAllSent)) return true;

  const stillPending = expr`due_at = ${dueAt}, unsent_since = ${unsentSince}`;
  const neverBack = expr`published <= ${published}`;
  return endLease(expr`${moved}, ${stillPending} REMOVE lease_owner, lease_until`, neverBack);
};

/**
 * Never creates the item: an entry that has been deleted in the meantime must not reappear with
 * only this attribute.
 */
const noteTargets = async (
  table: Table,
  targets: 'delivered' | 'skipped',
  { entry, connections }: { entry: Entry; connections: readonly string[] },
): Promise<void> => {
  await changed(table, {
    Key: entryKey(entry, entry.number),
    UpdateExpression: expr`ADD ${attribute(targets)} ${new Set(connections)}`,
    ConditionExpression: 'attribute_exists(pk)',
  });
};

export const awsLog = (table: Table): Log => ({
  async head(log) {
    return readHead(await getItem(table, { Key: headKey(log), ConsistentRead: true }));
  },

  /** One page; DynamoDB ends it early at 1 MB. */
  async entries(log, from, to) {
    const first = entryKey(log, from);
    const last = entryKey(log, to);
    const page = await queryPage(table, {
      ConsistentRead: true,
      Limit: limits.entriesPerPage,
      KeyConditionExpression: expr`pk = ${first.pk} AND sk BETWEEN ${first.sk} AND ${last.sk}`,
    });
    return page.items.map(readEntry);
  },

  async acquire(log, { owner, until }, now) {
    const isFree = expr`attribute_not_exists(lease_owner) OR lease_until <= ${takeoverTime(now)}`;
    const isOlder = expr`lease_owner = ${owner} AND lease_until < ${until}`;
    const update: Update = {
      Key: headKey(log),
      UpdateExpression: expr`SET lease_owner = ${owner}, lease_until = ${until}`,
      ConditionExpression: expr`published < #last AND (${isFree} OR (${isOlder}))`,
    };
    const taken = retryOnConflict(() => updatedItem(table, update));
    const item = await unlessError(taken, 'ConditionalCheckFailedException');
    return item && readHead(item);
  },

  release: (log, lease, progress) => release(table, { log, lease }, progress),

  /**
   * Written to the head, which outlives the entry; bounded because every publish reads and writes
   * the head.
   */
  async markExpired(log, number) {
    const hasRoom = expr`attribute_not_exists(expired) OR size(expired) < ${limits.lostNumbers}`;
    await changed(table, {
      Key: headKey(log),
      UpdateExpression: expr`ADD expired ${new Set([number])}`,
      ConditionExpression: expr`attribute_exists(pk) AND (${hasRoom})`,
    });
  },

  markDelivered: (entry, connections) => noteTargets(table, 'delivered', { entry, connections }),

  markSkipped: (entry, connections) => noteTargets(table, 'skipped', { entry, connections }),
});

const readPending = (item: Item): PendingLog => {
  const read = itemReader(item);
  return { ...logOf(read.text('pk')), dueAt: read.number('due_at') };
};

const firstDue = async (
  table: Table,
  until: number,
  max: number,
): Promise<readonly PendingLog[]> => {
  const dueIn = (shard: string) => {
    const query = {
      IndexName: 'pending',
      KeyConditionExpression: expr`pending_work = ${shard} AND due_at <= ${until}`,
      Limit: max,
    } as const;
    return queryAll(table, query, max);
  };
  const found = await Promise.all(pendingLogs.map(dueIn));
  const logs = found.flat().map(readPending);
  return logs.sort((one, other) => one.dueAt - other.dueAt).slice(0, max);
};

const countIn = async (table: Table, shard: string): Promise<number> => {
  let count = 0;
  let from: Item | undefined;
  do {
    const page = await queryPage(table, {
      IndexName: 'pending',
      Select: 'COUNT',
      KeyConditionExpression: expr`pending_work = ${shard}`,
      ExclusiveStartKey: from,
    });
    count += page.count;
    from = page.next;
  } while (from);
  return count;
};

/** The backlog: the sparse index of pending heads in DynamoDB. */
export const awsBacklog = (table: Table): PendingLogs => ({
  due: (until, max) => firstDue(table, until, max),

  async unsentSince(max) {
    const logs = await firstDue(table, Number.MAX_SAFE_INTEGER, max);
    const heads = (await batchGet(table, logs.map(headKey))).map(readHead);
    const times = heads.flatMap(({ unsentSince }) => unsentSince ?? []);
    if (times.length === 0) return undefined;
    return Math.min(...times);
  },

  async count() {
    const counts = await Promise.all(pendingLogs.map(shard => countIn(table, shard)));
    return counts.reduce((sum, count) => sum + count, 0);
  },
});
