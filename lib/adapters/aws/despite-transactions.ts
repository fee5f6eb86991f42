import { pause } from './pause.ts';
import { isFault } from './table.ts';

/** With the pauses between them 0.7 s at most, beside the calls: a small part of a lease. */
const mostTries = 10;

/**
 * A write of one item, tried again while a transaction is writing that item. DynamoDB refuses it then, and the SDK does not
 * try it again (AWS: "Amazon DynamoDB Transactions: How it works", Transaction conflict handling).
 */
export const despiteTransactions = async <T>(write: () => Promise<T>): Promise<T> => {
  for (let tries = 0; ; tries += 1) {
    try {
      return await write();
    } catch (fault) {
      if (!isFault(fault, 'TransactionConflictException') || tries + 1 >= mostTries) throw fault;
    }
    await pause(tries);
  }
};
