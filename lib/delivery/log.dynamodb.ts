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
  const [from, to] = range.map(number => entryKey(log, number));
  const page = await queryPage(table, {
    ConsistentRead: true,
    Limit: limits.entriesPerPage,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':pk': from?.pk, ':from': from?.sk, ':to': to?.sk },
  });
  return page.items.map(readEntry);
};

const acquired = async (
  table: Table,
  log: Correlation,
  facts: { readonly lease: Lease; readonly now: number },
): Promise<Head | undefined> => {
  const update: Update = {
    Key: headKey(log),
    UpdateExpression: 'SET lease_owner = :owner, lease_until = :until',
    ConditionExpression:
      'published < #last AND (attribute_not_exists(lease_owner) OR lease_until <= :over OR (lease_owner = :owner AND lease_until < :until))',
    ExpressionAttributeNames: { '#last': 'last' },
    ExpressionAttributeValues: {
      ':owner': facts.lease.owner,
      ':until': facts.lease.until,
      ':over': takeoverTime(facts.now),
    },
  };
  const changed = retryOnConflict(() => updatedItem(table, update));
  const item = await unlessError(changed, 'ConditionalCheckFailedException');
  return item && readHead(item);
};

/**
 * Updates the head and ends the lease, if exactly this lease is still held. Both its owner and its end are compared: a late
 * release must not end a later lease of the same owner.
 */
const asHolder = (
  table: Table,
  log: Correlation,
  { lease, set, remove = '', only, names, values }: HolderUpdate,
): Promise<boolean> => {
  const update: Update = {
    Key: headKey(log),
    UpdateExpression: `${set} REMOVE lease_owner, lease_until${remove}`,
    ConditionExpression: `lease_owner = :owner AND lease_until = :until${only}`,
    ...(names ? { ExpressionAttributeNames: names } : {}),
    ExpressionAttributeValues: { ':owner': lease.owner, ':until': lease.until, ...values },
  };
  return holds(retryOnConflict(() => updateItem(table, update)));
};

interface HolderUpdate {
  readonly lease: Lease;
  readonly set: string;
  readonly remove?: string;
  readonly only: string;
  readonly names?: Record<string, string>;
  readonly values: Readonly<Record<string, number>>;
}

/** Usually one update. A log that has grown in the meantime, or was not sent to its end, takes a second update and stays pending. */
const release = async (
  table: Table,
  log: Correlation,
  { lease, published, unsentSince, dueAt }: Progress & { readonly lease: Lease },
): Promise<boolean> => {
  const ended = {
    lease,
    set: 'SET published = :published',
    remove: ', pending_work, due_at, unsent_since',
    only: ' AND #last = :published',
    names: { '#last': 'last' },
    values: { ':published': published },
  };
  const left = {
    lease,
    set: 'SET published = :published, due_at = :due, unsent_since = :since',
    only: ' AND published <= :published',
    values: { ':published': published, ':due': dueAt, ':since': unsentSince },
  };
  return (await asHolder(table, log, ended)) || asHolder(table, log, left);
};

/** Never creates the item: an entry that has been deleted in the meantime must not reappear with only this attribute. */
const noteTargets = async (
  table: Table,
  entry: Entry,
  { attribute, connections }: { attribute: 'delivered' | 'skipped'; connections: readonly string[] },
): Promise<void> => {
  const update: Update = {
    Key: entryKey(entry, entry.number),
    UpdateExpression: `ADD ${attribute} :connections`,
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':connections': new Set(connections) },
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
      UpdateExpression: 'ADD expired :number',
      ConditionExpression: 'attribute_exists(pk) AND (attribute_not_exists(expired) OR size(expired) < :max)',
      ExpressionAttributeValues: { ':number': new Set([number]), ':max': limits.lostNumbers },
    };
    await holds(retryOnConflict(() => updateItem(table, update)));
  },

  markDelivered: (entry, connections) => noteTargets(table, entry, { attribute: 'delivered', connections }),

  markSkipped: (entry, connections) => noteTargets(table, entry, { attribute: 'skipped', connections }),
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
      KeyConditionExpression: 'pending_work = :shard AND due_at <= :until',
      ExpressionAttributeValues: { ':shard': shard, ':until': until },
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
      KeyConditionExpression: 'pending_work = :shard',
      ExpressionAttributeValues: { ':shard': shard },
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
