import { isFault } from './table.ts';

/** Whether a conditional write went through. */
export const holds = async (write: Promise<unknown>): Promise<boolean> => {
  try {
    await write;
    return true;
  } catch (fault) {
    if (isFault(fault, 'ConditionalCheckFailedException', 'TransactionCanceledException')) return false;
    throw fault;
  }
};
