import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from './table.ts';

type Item = Readonly<Record<string, unknown>>;

const unprocessedTries = 3;

/**
 * The items of some keys (100 at most), each read consistently; keys that a busy table skipped are asked for
 * again.
 */
export const batchGet = async (table: Table, keys: readonly Item[]): Promise<readonly Item[]> => {
  const items: Item[] = [];
  let left: readonly Item[] = keys;
  for (let tries = 0; left.length > 0; tries += 1) {
    if (tries >= unprocessedTries) throw new Error(`The table ${table.name} left reads unprocessed.`);
    const request = { [table.name]: { Keys: [...left], ConsistentRead: true } };
    const answer = await table.client.send(new BatchGetCommand({ RequestItems: request }));
    items.push(...(answer.Responses?.[table.name] ?? []));
    left = answer.UnprocessedKeys?.[table.name]?.Keys ?? [];
  }
  return items;
};
