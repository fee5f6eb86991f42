import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';

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
