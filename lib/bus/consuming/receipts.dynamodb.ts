import { limits } from '../../contract/limits.ts';
import { type Clock, defined } from '../../contract/outside.ts';
import { type Expression, expr, joined } from '../../platform/aws/expression.ts';
import { batchGet, batchPut, holds } from '../../platform/aws/many-items.ts';
import { type Item, itemReader, type Table, updateItem } from '../../platform/aws/table.ts';
import { type ReceiptGroup, type Receipts, readReceiveFacts, receiveFacts } from './receipts.ts';

const prefix = (connection: string): string => `RECEIPTS#${connection}#`;
const key = (connection: string, group: string) => ({
  pk: prefix(connection) + group,
  sk: 'RECEIPTS',
});

const keptMilliseconds = limits.receiptsKeptSeconds * 1000;

const groupItem = (connection: string, group: ReceiptGroup): Item =>
  defined({
    ...key(connection, group.id),
    queue_handles: group.handles,
    receives: group.receives?.map(one => (one ? receiveFacts(one, group.takenAt) : [])),
    taken_at: group.takenAt,
    hidden_until: group.until,
    expires_at: Math.ceil((group.until + keptMilliseconds) / 1000),
    blocked_from_position: group.blockedFrom,
    // DynamoDB keeps no empty sets.
    returned_positions: group.returned?.length ? new Set(group.returned) : undefined,
  });

const readPositions = (item: Item, name: string): readonly number[] => {
  const stored = item[name];
  if (stored instanceof Set) return [...stored].map(Number);
  return [];
};

const readGroup = (connection: string, stored: Item): ReceiptGroup => {
  const read = itemReader(stored);
  const takenAt = read.number('taken_at');
  const { receives } = stored;
  return defined({
    id: read.text('pk').slice(prefix(connection).length),
    handles: read.texts('queue_handles'),
    receives: Array.isArray(receives)
      ? receives.map(facts => readReceiveFacts(facts, takenAt) ?? null)
      : undefined,
    takenAt,
    until: read.number('hidden_until'),
    acknowledged: readPositions(stored, 'acknowledged_positions'),
    returned: readPositions(stored, 'returned_positions'),
    blockedFrom: read.optionalNumber('blocked_from_position'),
  });
};

const freeUpTo = (position: number): Expression => {
  const isUnblocked = expr`attribute_not_exists(blocked_from_position)`;
  const isBefore = expr`blocked_from_position > ${position}`;
  return expr`attribute_exists(pk) AND (${isUnblocked} OR ${isBefore})`;
};

const claimForAck = (table: Table, Key: Item, claimed: readonly number[]): Promise<void> =>
  updateItem(table, {
    Key,
    UpdateExpression: expr`ADD acknowledged_positions ${new Set(claimed)}`,
    ConditionExpression: freeUpTo(Math.max(...claimed)),
  });

const claimForNack = (table: Table, Key: Item, claimed: readonly number[]): Promise<void> => {
  const first = Math.min(...claimed);
  const unclaimed = claimed.map(
    position => expr`NOT contains(acknowledged_positions, ${position})`,
  );
  return updateItem(table, {
    Key,
    UpdateExpression: expr`SET blocked_from_position = ${first}`,
    ConditionExpression: joined([freeUpTo(first), ...unclaimed], ' AND '),
  });
};

/**
 * Receipts in the ledger's table. A group belongs to one connection: handles of other connections
 * are unknown.
 */
export const awsReceipts = (table: Table, clock: Clock): Receipts => ({
  save: (connection, groups) =>
    batchPut(
      table,
      groups.map(group => groupItem(connection, group)),
    ),

  async find(connection, groups) {
    const keys = groups.map(group => key(connection, group));
    const found = (await batchGet(table, keys)).map(stored => readGroup(connection, stored));
    return found.filter(({ until }) => until + keptMilliseconds > clock.now());
  },

  acknowledge: (connection, group, positions) =>
    holds(claimForAck(table, key(connection, group), positions)),

  block: (connection, group, positions) =>
    holds(claimForNack(table, key(connection, group), positions)),

  markReturned: (connection, group, positions) =>
    updateItem(table, {
      Key: key(connection, group),
      UpdateExpression: expr`ADD returned_positions ${new Set(positions)}`,
    }),
});
