import { BatchWriteItemCommand, type WriteRequest } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { batchGet, holds, type Item, itemReader, type Table, updateItem } from '../aws/table.ts';
import { pause } from '../aws/transactions.ts';
import type { Clock } from '../contract/outside.ts';
import type { ReceiptGroup, Receipts } from './receipts.ts';

const sk = 'RECEIPTS';
const prefix = (connection: string): string => `RECEIPTS#${connection}#`;
const key = (connection: string, group: string) => ({ pk: prefix(connection) + group, sk });

const groupItem = (connection: string, { id, handles, takenAt, until }: ReceiptGroup): Item => ({
  ...key(connection, id),
  queue_handles: handles,
  taken_at: takenAt,
  hidden_until: until,
  expires_at: Math.ceil(until / 1000),
});

const readGroup = (connection: string, stored: Item): ReceiptGroup => {
  const read = itemReader(stored);
  return {
    id: read.text('pk').slice(prefix(connection).length),
    handles: read.texts('queue_handles'),
    takenAt: read.number('taken_at'),
    until: read.number('hidden_until'),
    ...(read.has('blocked_from_position') ? { blockedFrom: read.number('blocked_from_position') } : {}),
  };
};

const maxTries = 4;

const write = async ({ client, name }: Table, items: readonly Item[]): Promise<void> => {
  let left: WriteRequest[] = items.map(put => ({ PutRequest: { Item: marshall(put) } }));
  for (let tries = 0; left.length > 0; tries += 1) {
    if (tries >= maxTries) throw new Error('The ledger table left writes unprocessed.');
    if (tries > 0) await pause(tries);
    const answer = await client.send(new BatchWriteItemCommand({ RequestItems: { [name]: left } }));
    left = answer.UnprocessedItems?.[name] ?? [];
  }
};

/** Receipts in the ledger's table. A group belongs to one connection: handles of other connections are unknown. */
export const awsReceipts = (table: Table, clock: Clock): Receipts => ({
  save: (connection, groups) =>
    write(
      table,
      groups.map(group => groupItem(connection, group)),
    ),

  async find(connection, groups) {
    if (groups.length === 0) return [];
    const found = await batchGet(
      table,
      groups.map(group => key(connection, group)),
    );
    return found.map(stored => readGroup(connection, stored)).filter(({ until }) => until > clock.now());
  },

  async block(connection, group, from) {
    const blocked = updateItem(table, {
      Key: key(connection, group),
      UpdateExpression: 'SET blocked_from_position = :from',
      ConditionExpression:
        'attribute_exists(pk) AND (attribute_not_exists(blocked_from_position) OR blocked_from_position > :from)',
      ExpressionAttributeValues: { ':from': from },
    });
    await holds(blocked);
  },
});
