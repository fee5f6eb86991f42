import { type Expression, expr, joined } from '../aws/expression.ts';
import { batchGet, batchPut, holds } from '../aws/many-items.ts';
import { type Item, itemReader, type Table, updateItem } from '../aws/table.ts';
import { limits } from '../contract/limits.ts';
import type { Clock } from '../contract/outside.ts';
import { type ReceiptGroup, type Receipts, readReceiveFacts, receiveFacts } from './receipts.ts';

const sk = 'RECEIPTS';
const prefix = (connection: string): string => `RECEIPTS#${connection}#`;
const key = (connection: string, group: string) => ({ pk: prefix(connection) + group, sk });

const keptMilliseconds = limits.receiptsKeptSeconds * 1000;

/** DynamoDB keeps no empty sets. */
const positions = (name: string, of: readonly number[] = []): Item =>
  of.length > 0 ? { [name]: new Set(of) } : {};

const groupItem = (connection: string, group: ReceiptGroup): Item => ({
  ...key(connection, group.id),
  queue_handles: group.handles,
  ...(group.receives
    ? { receives: group.receives.map(one => (one ? receiveFacts(one, group.takenAt) : [])) }
    : {}),
  taken_at: group.takenAt,
  hidden_until: group.until,
  expires_at: Math.ceil((group.until + keptMilliseconds) / 1000),
  ...(group.blockedFrom === undefined ? {} : { blocked_from_position: group.blockedFrom }),
  ...positions('returned_positions', group.returned),
});

const readPositions = (item: Item, name: string): readonly number[] => {
  const stored = item[name];
  return stored instanceof Set ? [...stored].map(Number) : [];
};

const readReceives = (item: Item, takenAt: number): Pick<ReceiptGroup, 'receives'> => {
  const stored = item['receives'];
  return Array.isArray(stored)
    ? { receives: stored.map(facts => readReceiveFacts(facts, takenAt) ?? null) }
    : {};
};

const readGroup = (connection: string, stored: Item): ReceiptGroup => {
  const read = itemReader(stored);
  return {
    id: read.text('pk').slice(prefix(connection).length),
    handles: read.texts('queue_handles'),
    ...readReceives(stored, read.number('taken_at')),
    takenAt: read.number('taken_at'),
    until: read.number('hidden_until'),
    acknowledged: readPositions(stored, 'acknowledged_positions'),
    returned: readPositions(stored, 'returned_positions'),
    ...(read.has('blocked_from_position') ? { blockedFrom: read.number('blocked_from_position') } : {}),
  };
};

const freeUpTo = (position: number): Expression =>
  expr`attribute_exists(pk) AND (attribute_not_exists(blocked_from_position) OR blocked_from_position > ${position})`;

const claimForAck = (table: Table, Key: Item, claimed: readonly number[]): Promise<void> =>
  updateItem(table, {
    Key,
    UpdateExpression: expr`ADD acknowledged_positions ${new Set(claimed)}`,
    ConditionExpression: freeUpTo(Math.max(...claimed)),
  });

const claimForNack = (table: Table, Key: Item, claimed: readonly number[]): Promise<void> => {
  const first = Math.min(...claimed);
  const unclaimed = claimed.map(position => expr`NOT contains(acknowledged_positions, ${position})`);
  return updateItem(table, {
    Key,
    UpdateExpression: expr`SET blocked_from_position = ${first}`,
    ConditionExpression: joined([freeUpTo(first), ...unclaimed], ' AND '),
  });
};

/** Receipts in the ledger's table. A group belongs to one connection: handles of other connections are unknown. */
export const awsReceipts = (table: Table, clock: Clock): Receipts => ({
  save: (connection, groups) =>
    batchPut(
      table,
      groups.map(group => groupItem(connection, group)),
    ),

  async find(connection, groups) {
    if (groups.length === 0) return [];
    const keys = groups.map(group => key(connection, group));
    const found = (await batchGet(table, keys)).map(stored => readGroup(connection, stored));
    return found.filter(({ until }) => until + keptMilliseconds > clock.now());
  },

  acknowledge: (connection, group, positions) => holds(claimForAck(table, key(connection, group), positions)),

  block: (connection, group, positions) => holds(claimForNack(table, key(connection, group), positions)),

  markReturned: (connection, group, positions) =>
    updateItem(table, {
      Key: key(connection, group),
      UpdateExpression: expr`ADD returned_positions ${new Set(positions)}`,
    }),
});
