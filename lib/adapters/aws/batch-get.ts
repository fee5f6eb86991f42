import { BatchGetItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { Item } from './item-calls.ts';
import { pause } from './pause.ts';
import type { Table } from './table.ts';

const mostTries = 4;

/** DynamoDB takes this many keys in one call. */
const keysPerCall = 100;

/** The items of so many keys as fit one call; keys that a busy table skipped are asked for again after a pause. */
const getBatch = async (table: Table, keys: readonly Item[]): Promise<readonly Item[]> => {
  const items: Item[] = [];
  let left = keys.map(key => marshall(key));
  for (let tries = 0; left.length > 0; tries += 1) {
    if (tries >= mostTries) throw new Error(`The table ${table.name} left reads unprocessed.`);
    if (tries > 0) await pause(tries);
    const request = { [table.name]: { Keys: left, ConsistentRead: true } };
    const answer = await table.client.send(new BatchGetItemCommand({ RequestItems: request }));
    items.push(...(answer.Responses?.[table.name] ?? []).map(item => unmarshall(item)));
    left = answer.UnprocessedKeys?.[table.name]?.Keys ?? [];
  }
  return items;
};

/** The items of some keys, each read consistently; a hundred keys take one call. */
export const batchGet = async (table: Table, keys: readonly Item[]): Promise<readonly Item[]> => {
  const items: Item[] = [];
  for (let from = 0; from < keys.length; from += keysPerCall)
    items.push(...(await getBatch(table, keys.slice(from, from + keysPerCall))));
  return items;
};
