import { BatchWriteItemCommand, type WriteRequest } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { type ItemReader, itemReader } from '../aws/item-reader.ts';
import { batchGet, holds, type Item, type Table, updateItem } from '../aws/table.ts';
import { pause } from '../aws/transactions.ts';
import { limits } from '../contract/limits.ts';
import type { Clock } from '../contract/outside.ts';
import type { ReceiptGroup, Receipts } from './receipts.ts';

const sk = 'RECEIPTS';
const prefix = (connection: string): string => `RECEIPTS#${connection}#`;
const key = (connection: string, group: string) => ({ pk: prefix(connection) + group, sk });

const item = (connection: string, { id, handles, takenAt, until }: ReceiptGroup): Item => ({
  ...key(connection, id),
  handles,
  taken_at: takenAt,
  until,
  expires_at: Math.ceil(until / 1000),
});

/** Groups of the version before do not say when they were taken: as early as can be, so that no delay of theirs is too long. */
const takenAt = (read: ItemReader): number =>
  read.has('taken_at')
    ? read.number('taken_at')
    : read.number('until') - limits.pullVisibilitySeconds.max * 1000;

const readGroup = (connection: string, stored: Item): ReceiptGroup => {
  const read = itemReader(stored);
  return {
    id: read.text('pk').slice(prefix(connection).length),
    handles: read.texts('handles'),
    takenAt: takenAt(read),
    until: read.number('until'),
    ...(read.has('blocked_from') ? { blockedFrom: read.number('blocked_from') } : {}),
  };
};

const mostTries = 4;

const write = async ({ client, name }: Table, items: readonly Item[]): Promise<void> => {
  let left: WriteRequest[] = items.map(put => ({ PutRequest: { Item: marshall(put) } }));
  for (let tries = 0; left.length > 0; tries += 1) {
    if (tries >= mostTries) throw new Error('The ledger table left writes unprocessed.');
    if (tries > 0) await pause(tries);
    const answer = await client.send(new BatchWriteItemCommand({ RequestItems: { [name]: left } }));
    left = answer.UnprocessedItems?.[name] ?? [];
  }
};

/** Receipts in the ledger's table. Every group is a connection's own: another one's handles are unknown. */
export const awsReceipts = (table: Table, clock: Clock): Receipts => ({
  save: (connection, groups) =>
    write(
      table,
      groups.map(group => item(connection, group)),
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
      UpdateExpression: 'SET blocked_from = :from',
      ConditionExpression:
        'attribute_exists(pk) AND (attribute_not_exists(blocked_from) OR blocked_from > :from)',
      ExpressionAttributeValues: { ':from': from },
    });
    await holds(blocked);
  },
});
