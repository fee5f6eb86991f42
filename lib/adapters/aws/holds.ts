import { failedWrite } from './cancellation-codes.ts';
import { isFault } from './table.ts';

const failedCondition = (fault: unknown): boolean =>
  isFault(fault, 'ConditionalCheckFailedException') || failedWrite(fault) >= 0;

/** Whether a conditional write, or a transaction of such, went through; what failed for another reason is a fault. */
export const holds = async (write: Promise<unknown>): Promise<boolean> => {
  try {
    await write;
    return true;
  } catch (fault) {
    if (failedCondition(fault)) return false;
    throw fault;
  }
};
