import { setTimeout } from 'node:timers/promises';
import { TransactionCanceledException, TransactionConflictException } from '@aws-sdk/client-dynamodb';

/** Milliseconds. */
const pauses = { first: 10, max: 100 };

/**
 * The pause before retrying a call that DynamoDB temporarily refused. Its length is random, so that callers that collided do
 * not collide again, and grows with the number of tries, up to 100 ms.
 *
 * @param tries how many pauses there were before
 */
export const pause = (tries: number): Promise<void> =>
  setTimeout(Math.random() * Math.min(pauses.max, pauses.first * 2 ** tries));

/** The code of a write in a cancelled transaction: its condition did not hold. */
export const conditionFailed = 'ConditionalCheckFailed';

/** The code of a write in a cancelled transaction: another request was writing the same item. */
export const transactionConflict = 'TransactionConflict';

/** Why a transaction was cancelled: one code for each write, in order; none for any other error. */
export const cancellationCodes = (error: unknown): readonly string[] =>
  error instanceof TransactionCanceledException
    ? (error.CancellationReasons ?? []).map(({ Code }) => Code ?? 'None')
    : [];

/** The index of the first write whose condition did not hold; -1 if there is none. */
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
