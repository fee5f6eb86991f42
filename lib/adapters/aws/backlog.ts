import type { PendingLog } from '../../domain/delivery/log.ts';
import type { Backlog } from '../../ports/backlog.ts';
import { batchGet } from './batch-get.ts';
import { type Item, queryPage } from './item-calls.ts';
import { itemReader } from './item-reader.ts';
import { headKey, logOf, pendingPartition, readHead } from './ledger-items.ts';
import { queryAll } from './query-all.ts';
import type { Table } from './table.ts';

const index = 'pending';

const readPending = (item: Item): PendingLog => {
  const read = itemReader(item);
  return { ...logOf(read.text('pk')), nextTry: read.number('pending_since') };
};

/** The first of the pending logs: those whose turn comes at `until` or before. */
const pendingLogs = async (
  table: Table,
  { until, most }: { readonly until: number; readonly most: number },
): Promise<readonly PendingLog[]> => {
  const items = await queryAll(
    table,
    {
      IndexName: index,
      KeyConditionExpression: 'pending = :pending AND pending_since <= :until',
      ExpressionAttributeValues: { ':pending': pendingPartition, ':until': until },
      Limit: most,
    },
    most,
  );
  return items.map(readPending);
};

/** The sparse index of pending heads in DynamoDB. */
export const awsBacklog = (table: Table): Backlog => ({
  due: (until, most) => pendingLogs(table, { until, most }),

  async unsentSince(most) {
    const logs = await pendingLogs(table, { until: Number.MAX_SAFE_INTEGER, most });
    const heads = (await batchGet(table, logs.map(headKey))).map(readHead);
    const times = heads.flatMap(({ unsentSince }) => unsentSince ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  },

  async count() {
    let count = 0;
    let from: Item | undefined;
    do {
      const page = await queryPage(table, {
        IndexName: index,
        Select: 'COUNT',
        KeyConditionExpression: 'pending = :pending',
        ExpressionAttributeValues: { ':pending': pendingPartition },
        ...(from ? { ExclusiveStartKey: from } : {}),
      });
      count += page.count;
      from = page.next;
    } while (from);
    return count;
  },
});
