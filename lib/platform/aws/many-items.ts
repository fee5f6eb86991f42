import { setTimeout } from 'node:timers/promises';
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  TransactionCanceledException,
  TransactionConflictException,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import {
  type Item,
  isAwsError,
  mustStillRead,
  type Table,
  type TableWrite,
  transactWrite,
} from './table.ts';

const maxTries = 4;

/**
 * Calls with so many requests at a time, and again with those that a busy table leaves unprocessed.
 */
const inBatches = async <Request>(
  requests: readonly Request[],
  { max, what }: { max: number; what: string },
  call: (batch: Request[]) => Promise<Request[] | undefined>,
): Promise<void> => {
  for (let from = 0; from < requests.length; from += max) {
    let left = requests.slice(from, from + max);
    for (let tries = 0; left.length > 0; tries += 1) {
      if (tries >= maxTries) throw new Error(`The table ${what} unprocessed.`);
      if (tries > 0) await pause(tries);
      left = (await call(left)) ?? [];
    }
  }
};

/** The items that exist, in any order. */
export const batchGet = async (
  { client, name }: Table,
  keys: readonly Item[],
): Promise<readonly Item[]> => {
  const items: Item[] = [];
  const marshalled = keys.map(key => marshall(key));
  await inBatches(marshalled, { max: 100, what: `${name} left reads` }, async Keys => {
    await mustStillRead();
    const RequestItems = { [name]: { Keys, ConsistentRead: true } };
    const { Responses, UnprocessedKeys } = await client.send(
      new BatchGetItemCommand({ RequestItems }),
    );
    items.push(...(Responses?.[name] ?? []).map(item => unmarshall(item)));
    return UnprocessedKeys?.[name]?.Keys;
  });
  return items;
};

export const batchPut = ({ client, name }: Table, items: readonly Item[]): Promise<void> => {
  const puts: WriteRequest[] = items.map(put => ({ PutRequest: { Item: marshall(put) } }));
  return inBatches(puts, { max: 25, what: `${name} left writes` }, async batch => {
    const call = new BatchWriteItemCommand({ RequestItems: { [name]: batch } });
    return (await client.send(call)).UnprocessedItems?.[name];
  });
};

/**
 * The pause before retrying a call that DynamoDB temporarily refused. Its length is random, so that
 * callers that collided do not collide again, and grows with the number of tries, up to 100 ms.
 */
export const pause = (tries: number): Promise<void> =>
  setTimeout(Math.random() * Math.min(100, 10 * 2 ** tries));

export const conditionFailed = 'ConditionalCheckFailed';

export const transactionConflict = 'TransactionConflict';

/** Why a transaction was cancelled: one code for each write, in order; none for any other error. */
export const cancellationCodes = (error: unknown): readonly string[] => {
  if (error instanceof TransactionCanceledException)
    return (error.CancellationReasons ?? []).map(({ Code }) => Code ?? 'None');
  return [];
};

export const failedWrite = (error: unknown): number =>
  cancellationCodes(error).indexOf(conditionFailed);

/** Their pauses add up to at most 0.7 s: a small part of a lease. */
const maxWrites = 10;

/**
 * Whether a write failed only because of other writers. If a condition failed too, a retry would
 * also fail.
 */
const isConflict = (error: unknown): boolean => {
  const codes = cancellationCodes(error);
  return (
    error instanceof TransactionConflictException ||
    (codes.includes(transactionConflict) && !codes.includes(conditionFailed))
  );
};

/**
 * Retries a write or a transaction while others write the same items: DynamoDB refuses it then, and
 * the SDK does not retry (AWS: "Amazon DynamoDB Transactions: How it works", Transaction conflict
 * handling).
 */
export const retryOnConflict = async <T>(write: () => Promise<T>): Promise<T> => {
  for (let tries = 0; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      if (!isConflict(error) || tries + 1 >= maxWrites) throw error;
    }
    await pause(tries);
  }
};

/**
 * Whether the conditions of a write or transaction held. Throws if it failed for another reason.
 */
export const holds = async (write: Promise<unknown>): Promise<boolean> => {
  try {
    await write;
    return true;
  } catch (error) {
    if (isAwsError(error, 'ConditionalCheckFailedException') || failedWrite(error) >= 0)
      return false;
    throw error;
  }
};

/**
 * Writes all or nothing, again while others write the same items.
 *
 * @returns whether the conditions held
 */
export const transactIf = (table: Table, writes: readonly TableWrite[]): Promise<boolean> =>
  holds(retryOnConflict(() => transactWrite(table, writes)));
