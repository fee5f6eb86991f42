import { BatchGetItemCommand, BatchWriteItemCommand, type WriteRequest } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { mustStillRead } from './reader.ts';
import type { Item, Table } from './table.ts';
import { pause } from './transactions.ts';

const maxBatches = 4;

/** DynamoDB's maximum. */
const keysPerCall = 100;

/** The items of one call's keys. Keys that a busy table skipped are requested again after a pause. */
const getBatch = async (table: Table, keys: readonly Item[]): Promise<readonly Item[]> => {
  const items: Item[] = [];
  let left = keys.map(key => marshall(key));
  for (let tries = 0; left.length > 0; tries += 1) {
    if (tries >= maxBatches) throw new Error(`The table ${table.name} left reads unprocessed.`);
    if (tries > 0) await pause(tries);
    mustStillRead();
    const request = { [table.name]: { Keys: left, ConsistentRead: true } };
    const response = await table.client.send(new BatchGetItemCommand({ RequestItems: request }));
    items.push(...(response.Responses?.[table.name] ?? []).map(item => unmarshall(item)));
    left = response.UnprocessedKeys?.[table.name]?.Keys ?? [];
  }
  return items;
};

/** The items of some keys, each read consistently, in calls of a hundred keys. */
export const batchGet = async (table: Table, keys: readonly Item[]): Promise<readonly Item[]> => {
  const items: Item[] = [];
  for (let from = 0; from < keys.length; from += keysPerCall)
    items.push(...(await getBatch(table, keys.slice(from, from + keysPerCall))));
  return items;
};

/** DynamoDB's maximum. */
const putsPerCall = 25;

const putBatch = async ({ client, name }: Table, items: readonly Item[]): Promise<void> => {
  let left: WriteRequest[] = items.map(put => ({ PutRequest: { Item: marshall(put) } }));
  for (let tries = 0; left.length > 0; tries += 1) {
    if (tries >= maxBatches) throw new Error(`The table ${name} left writes unprocessed.`);
    if (tries > 0) await pause(tries);
    const response = await client.send(new BatchWriteItemCommand({ RequestItems: { [name]: left } }));
    left = response.UnprocessedItems?.[name] ?? [];
  }
};

/** Writes items, each replacing the one with its key, in parallel calls of 25. */
export const batchPut = async (table: Table, items: readonly Item[]): Promise<void> => {
  const calls = Array.from({ length: Math.ceil(items.length / putsPerCall) }, (_, call) =>
    putBatch(table, items.slice(call * putsPerCall, (call + 1) * putsPerCall)),
  );
  await Promise.all(calls);
};
