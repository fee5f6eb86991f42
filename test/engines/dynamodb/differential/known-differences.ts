import { isJsonObject, type JsonObject, textOf } from '../../../../lib/json/value.ts';
import type { Call } from './generate.ts';
import { refusalKind, refusalMessages } from './refusals.ts';
import { plainNumbers, type Response } from './responses.ts';

/** A call, and what our engine and DynamoDB Local answered. */
interface Compared {
  readonly call: Call;
  readonly ours: Response;
  readonly theirs: Response;
}

interface KnownDifference {
  /** What differs, and who is right by AWS's documentation. */
  readonly why: string;
  explains(compared: Compared): boolean;
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const plainBody = (body: JsonObject): JsonObject => {
  const plain = plainNumbers(body);
  return isJsonObject(plain) ? plain : body;
};

const withoutUnits = ({ body: { ConsumedCapacity: _, ...body }, ...response }: Response): Response => ({
  ...response,
  body,
});

const asks = ({ input }: Call): boolean => 'ReturnConsumedCapacity' in input;

const codes = ({ body }: Response): readonly string[] => {
  const reasons = body['CancellationReasons'];
  return Array.isArray(reasons) ? reasons.map(reason => textOf(reason, 'Code')) : [];
};

const kindsOf = (response: Response): readonly (string | undefined)[] =>
  refusalMessages(response).map(refusalKind);

const refuses = (response: Response): boolean => refusalMessages(response).length > 0;

/** Ours refuses for one of some kinds; the other engine does not see it. */
const unchecked =
  (...kinds: readonly string[]) =>
  ({ ours, theirs }: Compared): boolean =>
    !refuses(theirs) && refuses(ours) && kindsOf(ours).every(kind => kinds.includes(kind ?? ''));

const itemsOf = ({ body }: Response): readonly unknown[] =>
  Array.isArray(body['Items']) ? body['Items'] : [];

const known: readonly KnownDifference[] = [
  {
    why: 'Other words for the same refusal. Ours are in the table of single errors (errors.test.ts), with their source.',
    explains: ({ ours, theirs }) => {
      const [a, b] = [kindsOf(ours), kindsOf(theirs)];
      return (
        ours.error === theirs.error &&
        a.length > 0 &&
        !a.includes(undefined) &&
        same(a, b) &&
        same(codes(ours), codes(theirs))
      );
    },
  },
  {
    why: 'A request with several errors is refused for another one of them. AWS does not document the order.',
    explains: ({ ours, theirs }) => {
      const [a, b] = [kindsOf(ours), kindsOf(theirs)];
      return a.length > 0 && b.length > 0 && !a.includes(undefined) && !b.includes(undefined);
    },
  },
  {
    why: 'Beside a failed condition, ours has no reason for a write that cannot be done. The adapters read failed conditions only.',
    explains: ({ ours, theirs }) =>
      ours.error === 'TransactionCanceledException' &&
      refuses(theirs) &&
      !kindsOf(theirs).includes(undefined) &&
      (theirs.error !== ours.error ||
        same(
          codes(ours),
          codes(theirs).map(code => code.replace('ValidationError', 'None')),
        )),
  },
  {
    why: 'It returns ConsumedCapacity for a DeleteItem that did not ask for it. AWS: only with ReturnConsumedCapacity.',
    explains: ({ call, ours, theirs }) => !asks(call) && same(ours, withoutUnits(theirs)),
  },
  {
    why: 'Numbers inside lists and maps come back with an exponent. AWS returns every number in plain notation.',
    explains: ({ ours, theirs }) => same(ours, plainNumbers(theirs)),
  },
  {
    why: 'A reason ends with a full stop. AWS: "The conditional request failed" (API reference, TransactionCanceledException).',
    explains: ({ ours, theirs }) =>
      same(ours, plainNumbers(JSON.parse(JSON.stringify(theirs).replaceAll('failed."', 'failed"')))),
  },
  {
    why: 'It lets a ConditionCheck and another action of a transaction have one item. AWS: no two actions can target the same item (API reference, TransactWriteItems).',
    explains: unchecked('sameItem'),
  },
  {
    why: 'It does not check placeholders without an expression. AWS checks them in every call.',
    explains: unchecked('unused'),
  },
  {
    why: 'A page that ends exactly at the end of its range has no LastEvaluatedKey. AWS: a LastEvaluatedKey does not necessarily mean that there is more data (API reference, Query).',
    explains: ({ call, ours, theirs }) => {
      const { LastEvaluatedKey, pages, ...body } = ours.body;
      const { pages: theirPages, ...theirBody } = theirs.body;
      const hasOneMore = LastEvaluatedKey !== undefined || Number(pages) === Number(theirPages) + 1;
      const isFull = Number(ours.body['ScannedCount']) % Number(call.input['Limit']) === 0;
      return hasOneMore && isFull && same({ ...ours, body }, { ...theirs, body: theirBody });
    },
  },
  {
    why: 'A page of an index ends the query if its last item has the sort key that ends the range, though other items have it too. AWS: without a LastEvaluatedKey, the last page has been processed (API reference, Query).',
    explains: ({ call, ours, theirs }) =>
      call.input['IndexName'] !== undefined &&
      call.input['Limit'] !== undefined &&
      /BETWEEN|[<>]=/.test(textOf(call.input, 'KeyConditionExpression')) &&
      Number(theirs.body['Count']) < Number(ours.body['Count']) &&
      theirs.body['LastEvaluatedKey'] === undefined &&
      // Nothing says in which order items with equal sort keys come.
      itemsOf(theirs).every(item => itemsOf(ours).some(one => same(one, item))),
  },
];

/** Why two responses differ; undefined when no reason is known. */
export const knownDifference = (compared: Compared): string | undefined => {
  const found = known.find(({ explains }) => explains(compared));
  if (found) return found.why;
  // Numbers in documents may differ beside anything else.
  const { error, message, body } = compared.theirs;
  const theirs: Response = {
    ...(error === undefined ? {} : { error, message: message ?? '' }),
    body: plainBody(body),
  };
  return known.find(({ explains }) => explains({ ...compared, theirs }))?.why;
};
