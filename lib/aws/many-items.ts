import { setTimeout } from 'node:timers/promises';
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  TransactionCanceledException,
  TransactionConflictException,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { type Item, isAwsError, mustStillRead, type Table, type TableWrite, transactWrite } from './table.ts';

const maxBatches = 4;

/** DynamoDB's maximum. */
const keysPerCall = 100;

const getBatch = async (table: Table, keys: readonly Item[]): Promise<readonly Item[]> => {
  const items: Item[] = [];
  let left = keys.map(key => marshall(key));
  for (let tries = 0; left.length > 0; tries += 1) {
    if (tries >= maxBatches) throw new Error(`The table ${table.name} left reads unprocessed.`);
    if (tries > 0) await pause(tries);
    await mustStillRead();
    const request = { [table.name]: { Keys: left, ConsistentRead: true } };
    const response = await table.client.send(new BatchGetItemCommand({ RequestItems: request }));
    items.push(...(response.Responses?.[table.name] ?? []).map(item => unmarshall(item)));
    left = response.UnprocessedKeys?.[table.name]?.Keys ?? [];
  }
  return items;
};

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

export const batchPut = async (table: Table, items: readonly Item[]): Promise<void> => {
  const calls = Array.from({ length: Math.ceil(items.length / putsPerCall) }, (_, call) =>
    putBatch(table, items.slice(call * putsPerCall, (call + 1) * putsPerCall)),
  );
  await Promise.all(calls);
};

const pauses = { first: 10, max: 100 };

/**
 * The pause before retrying a call that DynamoDB temporarily refused. Its length is random, so that callers that collided do
 * not collide again, and grows with the number of tries, up to 100 ms.
 */
export const pause = (tries: number): Promise<void> =>
  setTimeout(Math.random() * Math.min(pauses.max, pauses.first * 2 ** tries));

export const conditionFailed = 'ConditionalCheckFailed';

export const transactionConflict = 'TransactionConflict';

/** Why a transaction was cancelled: one code for each write, in order; none for any other error. */
export const cancellationCodes = (error: unknown): readonly string[] =>
  error instanceof TransactionCanceledException
    ? (error.CancellationReasons ?? []).map(({ Code }) => Code ?? 'None')
    : [];

export const failedWrite = (error: unknown): number => cancellationCodes(error).indexOf(conditionFailed);

/** Their pauses add up to at most 0.7 s: a small part of a lease. */
const maxTries = 10;

/** Whether a write failed only because of other writers. If a condition failed too, a retry would also fail. */
const isConflict = (error: unknown): boolean => {
  const codes = cancellationCodes(error);
  return (
    error instanceof TransactionConflictException ||
    (codes.includes(transactionConflict) && !codes.includes(conditionFailed))
  );
};

/**
 * Retries a write or a transaction while others write the same items: DynamoDB refuses it then, and the SDK does not retry
 * (AWS: "Amazon DynamoDB Transactions: How it works", Transaction conflict handling).
 */
export const retryOnConflict = async <T>(write: () => Promise<T>): Promise<T> => {
  for (let tries = 0; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      if (!isConflict(error) || tries + 1 >= maxTries) throw error;
    }
    await pause(tries);
  }
};

const failedCondition = (error: unknown): boolean =>
  isAwsError(error, 'ConditionalCheckFailedException') || failedWrite(error) >= 0;

/** Whether the conditions of a write or transaction held. Throws if it failed for another reason. */
export const holds = async (write: Promise<unknown>): Promise<boolean> => {
  try {
    await write;
    return true;
  } catch (error) {
    if (failedCondition(error)) return false;
    throw error;
  }
};

/** Writes all or nothing, again while others write the same items. @returns whether the conditions held */
export const transactIf = (table: Table, writes: readonly TableWrite[]): Promise<boolean> =>
  holds(retryOnConflict(() => transactWrite(table, writes)));
