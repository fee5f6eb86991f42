import type { BatchGetItemCommand } from '@aws-sdk/client-dynamodb';
import type { Table } from '../../lib/aws/table.ts';
import { batchGet } from '../../lib/aws/transactions.ts';

/** A table that has every item, and how many keys each call asked for. */
const tableOf = (calls: number[]): Table =>
  ({
    name: 'ledger',
    client: {
      send: async ({ input }: BatchGetItemCommand) => {
        const { Keys = [] } = input.RequestItems?.['ledger'] ?? {};
        calls.push(Keys.length);
        return { Responses: { ledger: Keys } };
      },
    },
  }) as unknown as Table;

test.each([
  [0, []],
  [3, [3]],
  [100, [100]],
  [250, [100, 100, 50]],
])('%i keys are asked for in calls of %j, in their order', async (count, expected) => {
  const calls: number[] = [];
  const keys = Array.from({ length: count }, (_, index) => ({ pk: `k${index}` }));
  expect(await batchGet(tableOf(calls), keys)).toEqual(keys);
  expect(calls).toEqual(expected);
});
