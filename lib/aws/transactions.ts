import { setTimeout } from 'node:timers/promises';
import { BatchGetItemCommand, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { type Item, isFault, type Table } from './table.ts';

const first = 10;
const longest = 100;

/**
 * Waits before a further try of a call that DynamoDB put off, 0 being the first such pause: of random length, so that those
 * who collided do not collide again, and longer the more tries there were, up to 100 ms.
 */
export const pause = (tries: number): Promise<void> =>
  setTimeout(Math.random() * Math.min(longest, first * 2 ** tries));

/** What a write of a cancelled transaction says whose condition does not hold. */
export const conditionFailed = 'ConditionalCheckFailed';

/** What a write of a cancelled transaction says whose item another transaction or write is at. */
export const transactionConflict = 'TransactionConflict';

/** Why a transaction was cancelled: a code for each of its writes, in their order; none where the fault is something else. */
export const cancellationCodes = (fault: unknown): readonly string[] =>
  fault instanceof TransactionCanceledException
    ? (fault.CancellationReasons ?? []).map(({ Code }) => Code ?? 'None')
    : [];

/** The place of the first write whose condition does not hold; -1 when a transaction failed for another reason. */
export const failedWrite = (fault: unknown): number => cancellationCodes(fault).indexOf(conditionFailed);

/** With the pauses between them 0.7 s at most, beside the calls: a small part of a lease. */
const mostTries = 10;

/** Where a condition does not hold either, another try would find the same. */
const metTransaction = (fault: unknown): boolean => {
  const codes = cancellationCodes(fault);
  return (
    isFault(fault, 'TransactionConflictException') ||
    (codes.includes(transactionConflict) && !codes.includes(conditionFailed))
  );
};

/**
 * A write of one item, or a transaction, tried again while others are writing the same. DynamoDB refuses it then, and the SDK
 * does not try it again (AWS: "Amazon DynamoDB Transactions: How it works", Transaction conflict handling).
 */
export const retryOnConflict = async <T>(write: () => Promise<T>): Promise<T> => {
  for (let tries = 0; ; tries += 1) {
    try {
      return await write();
    } catch (fault) {
      if (!metTransaction(fault) || tries + 1 >= mostTries) throw fault;
    }
    await pause(tries);
  }
};

const mostBatches = 4;

/** DynamoDB takes this many keys in one call. */
const keysPerCall = 100;

/** The items of so many keys as fit one call; keys that a busy table skipped are asked for again after a pause. */
const getBatch = async (table: Table, keys: readonly Item[]): Promise<readonly Item[]> => {
  const items: Item[] = [];
  let left = keys.map(key => marshall(key));
  for (let tries = 0; left.length > 0; tries += 1) {
    if (tries >= mostBatches) throw new Error(`The table ${table.name} left reads unprocessed.`);
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
