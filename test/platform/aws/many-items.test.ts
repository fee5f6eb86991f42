import {
  type BatchGetItemCommandInput,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { batchGet, pause, retryOnConflict } from '../../../lib/platform/aws/many-items.ts';
import { tableAnswering } from '../../support/fakes/aws-clients.ts';

/** The milliseconds that somebody would have waited for. */
const mockWaits: number[] = [];
jest.mock('node:timers/promises', () => {
  const wait = async (milliseconds: number) => void mockWaits.push(milliseconds);
  return new Proxy({}, { get: () => wait });
});

beforeEach(() => {
  mockWaits.length = 0;
  jest.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => jest.restoreAllMocks());

test('a pause doubles with each try, up to 100 ms, and its length is random below that', async () => {
  for (let tries = 0; tries < 6; tries += 1) await pause(tries);
  expect(mockWaits).toEqual([5, 10, 20, 40, 50, 50]);
});

test('a write that conflicts with others is tried ten times, with a pause between two', async () => {
  const conflict = new TransactionConflictException({ $metadata: {}, message: 'busy' });
  const write = jest.fn(() => Promise.reject(conflict));
  await expect(retryOnConflict(write)).rejects.toBe(conflict);
  expect(write).toHaveBeenCalledTimes(10);
  expect(mockWaits).toEqual([5, 10, 20, 40, 50, 50, 50, 50, 50]);
});

/** A table that skips the first key of its first calls; and how many keys each call asked for. */
const answering = (calls: number[], busyCalls: number) =>
  tableAnswering(({ input }) => {
    const [first, ...others] =
      (input as BatchGetItemCommandInput).RequestItems?.['registry']?.Keys ?? [];
    calls.push(first ? others.length + 1 : 0);
    if (!first || calls.length > busyCalls)
      return { Responses: { registry: first ? [first, ...others] : [] } };
    return { Responses: { registry: others }, UnprocessedKeys: { registry: { Keys: [first] } } };
  });

test('keys that a table skips are asked for four times in all, with a pause before each repetition', async () => {
  const calls: number[] = [];
  const keys = [{ pk: 'a' }, { pk: 'b' }];
  expect(await batchGet(answering(calls, 3), keys)).toEqual(keys.toReversed());
  expect([calls, mockWaits]).toEqual([
    [2, 1, 1, 1],
    [10, 20, 40],
  ]);
  await expect(batchGet(answering([], 4), keys)).rejects.toThrow('left reads unprocessed');
});

test.each([
  [0, []],
  [3, [3]],
  [100, [100]],
  [250, [100, 100, 50]],
])(
  '%i keys are read in calls of %j, and their items come in the same order',
  async (count, expected) => {
    const calls: number[] = [];
    const keys = Array.from({ length: count }, (_, index) => ({ pk: `k${index}` }));
    expect(await batchGet(answering(calls, 0), keys)).toEqual(keys);
    expect(calls).toEqual(expected);
  },
);
