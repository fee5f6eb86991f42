import type { ExpressionReader } from './expression.ts';
import { checkKeyPart, type KeyPart, type KeySchema, sortable } from './keys.ts';
import { invalid } from './requests.ts';

type Bound = string | Uint8Array;

interface SortRange {
  readonly lower?: { readonly key: Bound; readonly included: boolean };
  readonly upper?: { readonly key: Bound; readonly included: boolean };
}

export interface KeyRange {
  readonly partition: Bound;
  readonly sort: SortRange;
}

const afterText = (prefix: string): string | undefined => {
  const points = Array.from(prefix, character => Number(character.codePointAt(0)));
  while (points.at(-1) === 0x10ffff) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  // UTF-8 has no surrogates.
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
};

const prefixRange = (prefix: Bound): SortRange => {
  if (typeof prefix !== 'string')
    throw invalid('Invalid operator used in KeyConditionExpression: begins_with');
  const after = afterText(prefix);
  return {
    lower: { key: prefix, included: true },
    ...(after !== undefined && { upper: { key: after, included: false } }),
  };
};

const takeName = (expression: ExpressionReader, part: KeyPart): void => {
  if (expression.attribute() !== part.name)
    throw invalid(`Query condition missed key schema element: ${part.name}`);
};

const takeKey = (expression: ExpressionReader, part: KeyPart): Bound => {
  const value = expression.requiredValue();
  checkKeyPart(part, value);
  return sortable(value);
};

const readSortRange = (expression: ExpressionReader, part: KeyPart): SortRange => {
  if (expression.call('begins_with')) {
    takeName(expression, part);
    expression.expect(',');
    const range = prefixRange(takeKey(expression, part));
    expression.expect(')');
    return range;
  }
  takeName(expression, part);
  const operator = expression.expect('BETWEEN', '=', '<', '<=', '>', '>=');
  const key = takeKey(expression, part);
  const bound = { key, included: operator.endsWith('=') };
  if (operator === '=') return { lower: bound, upper: bound };
  if (operator !== 'BETWEEN') {
    if (operator.startsWith('<')) return { upper: bound };
    return { lower: bound };
  }
  expression.expect('AND');
  const end = takeKey(expression, part);
  if (Buffer.compare(Buffer.from(key), Buffer.from(end)) > 0)
    throw expression.error(
      'The BETWEEN operator requires upper bound to be greater than or equal to lower bound',
    );
  return { lower: { key, included: true }, upper: { key: end, included: true } };
};

/**
 * The range of keys that a KeyConditionExpression selects: an equality of the partition key, then
 * perhaps a condition on the sort key.
 *
 * @throws AwsError if it is something else
 */
export const readKeyRange = (
  expression: ExpressionReader,
  { partition, sort }: KeySchema,
): KeyRange => {
  takeName(expression, partition);
  expression.expect('=');
  const key = takeKey(expression, partition);
  return { partition: key, sort: expression.take('AND') ? readSortRange(expression, sort) : {} };
};
