import { batchGet } from '../../lib/aws/many-items.ts';
import { tableAnswering } from '../support/fakes/table.ts';

interface BatchGet {
  readonly RequestItems: { readonly ledger: { readonly Keys: readonly object[] } };
}

const isBatchGet = (input: object): input is BatchGet => 'RequestItems' in input;

/** A table that has every item, and how many keys each call asked for. */
const everyItem = (calls: number[]) =>
  tableAnswering('ledger', input => {
    if (!isBatchGet(input)) throw new Error('Only BatchGetItem was expected.');
    const { Keys } = input.RequestItems.ledger;
    calls.push(Keys.length);
    return { Responses: { ledger: Keys } };
  });

test.each([
  [0, []],
  [3, [3]],
  [100, [100]],
  [250, [100, 100, 50]],
])('%i keys are read in calls of %j, and their items come in the same order', async (count, expected) => {
  const calls: number[] = [];
  const keys = Array.from({ length: count }, (_, index) => ({ pk: `k${index}` }));
  expect(await batchGet(everyItem(calls), keys)).toEqual(keys);
  expect(calls).toEqual(expected);
});
