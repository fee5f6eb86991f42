import { textOf } from '../../../../../lib/platform/json/value.ts';
import type { Call } from './histories.ts';
import { type Response, same } from './responses.ts';

/** A call, and what our engine and DynamoDB Local answered. */
interface Compared {
  readonly call: Call;
  readonly ours: Response;
  readonly theirs: Response;
}

/** Ours refuses for what the other engine does not see. */
const unchecked =
  (message: RegExp) =>
  ({ ours, theirs }: Compared): boolean =>
    theirs.error !== ours.error &&
    ours.error === 'ValidationException' &&
    message.test(ours.message ?? '');

const itemsOf = ({ body }: Response): readonly unknown[] =>
  Array.isArray(body['Items']) ? body['Items'] : [];

/** What differs, who is right by AWS's documentation, and how to tell. */
const known: readonly (readonly [why: string, explains: (compared: Compared) => boolean])[] = [
  [
    'A transaction with a failed condition and a write that cannot be done: ours says only one of them. The adapters read failed conditions only.',
    ({ ours, theirs }) =>
      [ours, theirs].every(
        ({ error }) => error?.startsWith('Validation') || error?.startsWith('Transaction'),
      ),
  ],
  [
    'It lets a ConditionCheck and another action of a transaction have one item. AWS: no two actions can target the same item (API reference, TransactWriteItems).',
    unchecked(/multiple operations on one item/),
  ],
  [
    'It does not check placeholders without an expression. AWS checks them in every call.',
    unchecked(/unused in expressions|must not be empty/),
  ],
  [
    'A page that ends exactly at the end of its range has no LastEvaluatedKey. AWS: a LastEvaluatedKey does not necessarily mean that there is more data (API reference, Query).',
    ({ call, ours, theirs }) => {
      const { pages, ...body } = ours.body;
      const { pages: theirPages, ...theirBody } = theirs.body;
      const isFull = Number(ours.body['ScannedCount']) % Number(call.input['Limit']) === 0;
      return (
        isFull && Number(pages) === Number(theirPages) + 1 && same({ body }, { body: theirBody })
      );
    },
  ],
  [
    'A page of an index ends the query if its last item has the sort key that ends the range, though other items have it too. AWS: without a LastEvaluatedKey, the last page has been processed (API reference, Query).',
    ({ call, ours, theirs }) =>
      call.input['IndexName'] !== undefined &&
      call.input['Limit'] !== undefined &&
      /BETWEEN|[<>]=/.test(textOf(call.input, 'KeyConditionExpression')) &&
      Number(theirs.body['Count']) < Number(ours.body['Count']) &&
      // Nothing says in which order items with equal sort keys come.
      itemsOf(theirs).every(item =>
        itemsOf(ours).some(one => JSON.stringify(one) === JSON.stringify(item)),
      ),
  ],
];

/** Why two responses differ; undefined when no reason is known. */
export const knownDifference = (compared: Compared): string | undefined =>
  known.find(([, explains]) => explains(compared))?.[0];
