import { cancellationCodes, conditionFailed, transactionConflict } from './cancellation-codes.ts';
import { pause } from './pause.ts';
import { isFault } from './table.ts';

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
export const despiteTransactions = async <T>(write: () => Promise<T>): Promise<T> => {
  for (let tries = 0; ; tries += 1) {
    try {
      return await write();
    } catch (fault) {
      if (!metTransaction(fault) || tries + 1 >= mostTries) throw fault;
    }
    await pause(tries);
  }
};
