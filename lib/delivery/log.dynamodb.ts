import { attribute, type Expression, expr } from '../aws/expression.ts';
import { batchGet, holds, retryOnConflict } from '../aws/many-items.ts';
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
} from '../aws/table.ts';
import { limits } from '../contract/limits.ts';
import { entryKey, headKey, logOf, pendingLogs, readEntry, readHead } from './ledger-items.dynamodb.ts';
import {
  type Correlation,
  type Entry,
  type Head,
  type Lease,
  type Log,
  type PendingLog,
  type Progress,
  takeoverTime,
} from './log.ts';
import type { Backlog } from './relay.ts';

/** One page; DynamoDB ends it early at 1 MB. */
const entries = async (
  table: Table,
  log: Correlation,
  range: readonly [number, number],
): Promise<readonly Entry[]> => {
  const [from, to] = range.map(number => entryKey(log, number).sk);
  const page = await queryPage(table, {
    ConsistentRead: true,
    Limit: limits.entriesPerPage,
    KeyConditionExpression: expr`pk = ${entryKey(log, 0).pk} AND sk BETWEEN ${from} AND ${to}`,
  });
  return page.items.map(readEntry);
};

const acquired = async (
  table: Table,
  log: Correlation,
  { lease: { owner, until }, now }: { readonly lease: Lease; readonly now: number },
): Promise<Head | undefined> => {
  const isFree = expr`attribute_not_exists(lease_owner) OR lease_until <= ${takeoverTime(now)}`;
  const isOlder = expr`lease_owner = ${owner} AND lease_until < ${until}`;
  const update: Update = {
    Key: headKey(log),
    UpdateExpression: expr`SET lease_owner = ${owner}, lease_until = ${until}`,
    ConditionExpression: expr`published < #last AND (${isFree} OR (${isOlder}))`,
  };
  const changed = retryOnConflict(() => updatedItem(table, update));
  const item = await unlessError(changed, 'ConditionalCheckFailedException');
  return item && readHead(item);
};

/** Usually one update. A log that has grown in the meantime, or was not sent to its end, takes a second update and stays pending. */
const release = async (
  table: Table,
  log: Correlation,
  { lease, published, unsentSince, dueAt }: Progress & { readonly lease: Lease },
): Promise<boolean> => {
  const set = expr`SET published = ${published}`;
  const given = expr`REMOVE lease_owner, lease_until`;
  /** Both the owner and the end are compared: a late release must not end a later lease of the same owner. */
  const endLease = (change: Expression, only: Expression): Promise<boolean> => {
    const ConditionExpression = expr`lease_owner = ${lease.owner} AND lease_until = ${lease.until} AND ${only}`;
    const update = { Key: headKey(log), UpdateExpression: change, ConditionExpression };
    return holds(retryOnConflict(() => updateItem(table, update)));
  };
  const ended = expr`${set} ${given}, pending_work, due_at, unsent_since`;
  const left = expr`${set}, due_at = ${dueAt}, unsent_since = ${unsentSince} ${given}`;
  return (
    (await endLease(ended, expr`#last = ${published}`)) || endLease(left, expr`published <= ${published}`)
  );
};

/** Never creates the item: an entry that has been deleted in the meantime must not reappear with only this attribute. */
const noteTargets = async (
  table: Table,
  entry: Entry,
  { targets, connections }: { targets: 'delivered' | 'skipped'; connections: readonly string[] },
): Promise<void> => {
  const update: Update = {
    Key: entryKey(entry, entry.number),
    UpdateExpression: expr`ADD ${attribute(targets)} ${new Set(connections)}`,
    ConditionExpression: 'attribute_exists(pk)',
  };
  await holds(retryOnConflict(() => updateItem(table, update)));
};

export const awsLog = (table: Table): Log => ({
  async head(log) {
    return readHead(await getItem(table, { Key: headKey(log), ConsistentRead: true }));
  },

  entries: (log, from, to) => entries(table, log, [from, to]),

  acquire: (log, lease, now) => acquired(table, log, { lease, now }),

  release: (log, lease, progress) => release(table, log, { lease, ...progress }),

  /** Written to the head, which outlives the entry; bounded because every publish reads and writes the head. */
  async markExpired(log, number) {
    const update: Update = {
      Key: headKey(log),
      UpdateExpression: expr`ADD expired ${new Set([number])}`,
      ConditionExpression: expr`attribute_exists(pk) AND (attribute_not_exists(expired) OR size(expired) < ${limits.lostNumbers})`,
    };
    await holds(retryOnConflict(() => updateItem(table, update)));
  },

  markDelivered: (entry, connections) => noteTargets(table, entry, { targets: 'delivered', connections }),

  markSkipped: (entry, connections) => noteTargets(table, entry, { targets: 'skipped', connections }),
});

const index = 'pending';

const readPending = (item: Item): PendingLog => {
  const read = itemReader(item);
  return { ...logOf(read.text('pk')), dueAt: read.number('due_at') };
};

const dueIn = async (
  table: Table,
  shard: string,
  { until, max }: { readonly until: number; readonly max: number },
): Promise<readonly PendingLog[]> => {
  const items = await queryAll(
    table,
    {
      IndexName: index,
      KeyConditionExpression: expr`pending_work = ${shard} AND due_at <= ${until}`,
      Limit: max,
    },
    max,
  );
  return items.map(readPending);
};

const firstDue = async (
  table: Table,
  range: { readonly until: number; readonly max: number },
): Promise<readonly PendingLog[]> => {
  const found = await Promise.all(pendingLogs.map(shard => dueIn(table, shard, range)));
  return found
    .flat()
    .sort((one, other) => one.dueAt - other.dueAt)
    .slice(0, range.max);
};

const countIn = async (table: Table, shard: string): Promise<number> => {
  let count = 0;
  let from: Item | undefined;
  do {
    const page = await queryPage(table, {
      IndexName: index,
      Select: 'COUNT',
      KeyConditionExpression: expr`pending_work = ${shard}`,
      ...(from ? { ExclusiveStartKey: from } : {}),
    });
    count += page.count;
    from = page.next;
  } while (from);
  return count;
};

/** The backlog: the sparse index of pending heads in DynamoDB. */
export const awsBacklog = (table: Table): Backlog => ({
  due: (until, max) => firstDue(table, { until, max }),

  async unsentSince(max) {
    const logs = await firstDue(table, { until: Number.MAX_SAFE_INTEGER, max });
    const heads = (await batchGet(table, logs.map(headKey))).map(readHead);
    const times = heads.flatMap(({ unsentSince }) => unsentSince ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  },

  async count() {
    const counts = await Promise.all(pendingLogs.map(shard => countIn(table, shard)));
    return counts.reduce((sum, count) => sum + count, 0);
  },
});
