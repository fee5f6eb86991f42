import {
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import {
  batchGet,
  batchPut,
  cancellationCodes,
  failedWrite,
  holds,
  retryOnConflict,
  transactIf,
} from '../../../lib/platform/aws/many-items.ts';
import { tableInTurn } from '../../support/fakes/aws-clients.ts';

const $metadata = {};
const cancelled = (...codes: (string | undefined)[]) =>
  new TransactionCanceledException({
    $metadata,
    message: 'cancelled',
    CancellationReasons: codes.map(Code => (Code === undefined ? {} : { Code })),
  });
const failed = 'ConditionalCheckFailed';
const conflict = 'TransactionConflict';
const busy = new TransactionConflictException({ $metadata, message: 'busy' });
const named = (name: string) => Object.assign(new Error(name), { name });
const without = new TransactionCanceledException({ $metadata, message: 'cancelled' });

/** No pause takes any time. */
beforeEach(() => jest.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => jest.restoreAllMocks());

test('a cancelled transaction says of each write why; other errors say nothing', () => {
  const error = cancelled(undefined, failed, conflict, failed);
  expect(cancellationCodes(error)).toEqual(['None', failed, conflict, failed]);
  expect(failedWrite(error)).toBe(1);
  expect(failedWrite(cancelled(failed))).toBe(0);
  expect(failedWrite(cancelled(conflict))).toBe(-1);
  expect([cancellationCodes(without), cancellationCodes(busy)]).toEqual([[], []]);
  expect(cancellationCodes(undefined)).toEqual([]);
});

test.each([
  ['a write that others disturb', busy, 2],
  ['a transaction that others disturb', cancelled(undefined, conflict), 2],
  ['a transaction of which a condition failed too', cancelled(conflict, failed), 1],
  ['a transaction of which a condition failed', cancelled(failed), 1],
  ['a transaction that gives no reason', without, 1],
  ['any other error', named('Other'), 1],
])('%s: tried so often', async (_, error, tries) => {
  let calls = 0;
  const result = retryOnConflict(async () => {
    calls += 1;
    if (calls === 1) throw error;
    return 'written';
  });
  if (tries === 1) await expect(result).rejects.toBe(error);
  else expect(await result).toBe('written');
  expect(calls).toBe(tries);
});

test('conditions hold if the write is made, do not if one failed, and else the error is thrown', async () => {
  expect(await holds(Promise.resolve())).toBe(true);
  for (const error of [named('ConditionalCheckFailedException'), cancelled(failed)])
    expect(await holds(Promise.reject(error))).toBe(false);
  for (const error of [cancelled(conflict), busy, named('Other')])
    await expect(holds(Promise.reject(error))).rejects.toBe(error);
});

test('a transaction is written again after a conflict, and says whether its conditions held', async () => {
  const Key = { pk: 'p', sk: 's' };
  const { table, asked } = tableInTurn(cancelled(conflict), {});
  expect(await transactIf(table, [{ Delete: { Key } }])).toBe(true);
  const input = { TransactItems: [{ Delete: { TableName: 'registry', Key: marshall(Key) } }] };
  expect(asked).toEqual(Array(2).fill(['TransactWriteItemsCommand', input]));
  expect(await transactIf(tableInTurn(cancelled(failed)).table, [{ Delete: { Key } }])).toBe(false);
});

const items = (count: number) => Array.from({ length: count }, (_, n) => ({ pk: `p${n}` }));
const puts = (from: number, to: number) =>
  items(to)
    .slice(from)
    .map(item => ({ PutRequest: { Item: marshall(item) } }));
const put = (from: number, to: number) => [
  'BatchWriteItemCommand',
  { RequestItems: { registry: puts(from, to) } },
];

test('items are put 25 at a time, and those again that a busy table leaves', async () => {
  const left = { UnprocessedItems: { registry: puts(24, 25), other: puts(0, 1) } };
  const { table, asked } = tableInTurn(left, {}, {});
  await batchPut(table, []);
  expect(asked).toEqual([]);
  await batchPut(table, items(26));
  expect(asked).toEqual([put(0, 25), put(24, 25), put(25, 26)]);
});

test('items that a table leaves four times are an error', async () => {
  const left = { UnprocessedItems: { registry: puts(0, 1) } };
  const { table, asked } = tableInTurn(left, left, left, left);
  await expect(batchPut(table, items(1))).rejects.toThrow(
    'The table registry left writes unprocessed.',
  );
  expect(asked).toHaveLength(4);
  const fifth = tableInTurn(left, left, left);
  await batchPut(fifth.table, items(1));
  expect(fifth.asked).toHaveLength(4);
});

test('keys are read consistently, and what the table does not know is left out', async () => {
  const { table, asked } = tableInTurn({ Responses: { other: [marshall({ pk: 'p0' })] } });
  expect(await batchGet(table, items(1))).toEqual([]);
  const RequestItems = { registry: { Keys: [marshall({ pk: 'p0' })], ConsistentRead: true } };
  expect(asked).toEqual([['BatchGetItemCommand', { RequestItems }]]);
  const left = { UnprocessedKeys: { registry: { Keys: [marshall({ pk: 'p0' })] } } };
  await expect(batchGet(tableInTurn(left, left, left, left).table, items(1))).rejects.toThrow(
    'The table registry left reads unprocessed.',
  );
});
