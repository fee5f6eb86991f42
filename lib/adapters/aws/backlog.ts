import type { PendingLog } from '../../domain/delivery/log.ts';
import type { Backlog } from '../../ports/backlog.ts';
import { type Item, queryPage } from './item-calls.ts';
import { itemReader } from './item-reader.ts';
import { logOf, pendingPartition } from './ledger-items.ts';
import { queryAll } from './query-all.ts';
import type { Table } from './table.ts';

const index = 'pending';

const readPending = (item: Item): PendingLog => {
  const read = itemReader(item);
  return { ...logOf(read.text('pk')), since: read.number('pending_since') };
};

/** The sparse index of pending heads in DynamoDB. */
export const awsBacklog = (table: Table): Backlog => ({
  async oldest(until, most) {
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
