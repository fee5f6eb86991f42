import { batchGet } from '../../lib/aws/many-items.ts';
import { tableAnswering } from '../support/fakes/aws-clients.ts';

interface BatchGet {
  readonly RequestItems: { readonly registry: { readonly Keys: readonly object[] } };
}

const isBatchGet = (input: object): input is BatchGet => 'RequestItems' in input;

/** A table that has every item, and how many keys each call asked for. */
const everyItem = (calls: number[]) =>
  tableAnswering(({ input }) => {
    if (!isBatchGet(input)) throw new Error('Only BatchGetItem was expected.');
    const { Keys } = input.RequestItems.registry;
    calls.push(Keys.length);
    return { Responses: { registry: Keys } };
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
