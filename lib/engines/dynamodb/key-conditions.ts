import type { Comparison } from './condition-parser.ts';
import { type BoundCondition, boundCondition } from './conditions.ts';
import { type KeyPart, type KeySchema, type StoredKey, sortable } from './keys.ts';
import type { Placeholders } from './placeholders.ts';
import { invalid, invalidParameter } from './requests.ts';
import { typeOf, type Value } from './values.ts';

type Bound = string | Uint8Array;

interface SortRange {
  readonly lower?: { readonly key: Bound; readonly included: boolean };
  readonly upper?: { readonly key: Bound; readonly included: boolean };
}

export interface KeyRange {
  readonly partition: Bound;
  readonly sort: SortRange;
}

const compareBounds = (a: Bound, b: Bound): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

export const rangeHolds = ({ partition, sort: { lower, upper } }: KeyRange, key: StoredKey): boolean => {
  if (compareBounds(partition, key[0]) !== 0) return false;
  const fromLower = lower ? compareBounds(key[1], lower.key) : 1;
  const toUpper = upper ? compareBounds(upper.key, key[1]) : 1;
  return (
    (fromLower > 0 || (fromLower === 0 && lower?.included === true)) &&
    (toUpper > 0 || (toUpper === 0 && upper?.included === true))
  );
};

const kind = 'KeyConditionExpression';

const conjuncts = (condition: BoundCondition): readonly Comparison<Value>[] => {
  if ('operator' in condition) return [condition];
  if ('joint' in condition && condition.joint === 'AND') return condition.conditions.flatMap(conjuncts);
  throw invalid('Invalid operator used in KeyConditionExpression: only AND may join conditions');
};

interface KeyTest {
  readonly name: string;
  readonly operator: Comparison<Value>['operator'];
  readonly values: readonly Value[];
}

const unsupportedOperators: readonly string[] = [
  '<>',
  'IN',
  'attribute_exists',
  'attribute_not_exists',
  'contains',
];

const keyTest = ({ operator, operands }: Comparison<Value>): KeyTest => {
  if (unsupportedOperators.includes(operator))
    throw invalid(`Invalid operator used in KeyConditionExpression: ${operator}`);
  const [first, ...others] = operands;
  if (first === undefined || !('attribute' in first))
    throw invalid('Invalid condition in KeyConditionExpression: No key attribute specified');
  const values = others.map(operand => {
    if ('value' in operand) return operand.value;
    throw invalid('Invalid condition in KeyConditionExpression: a key is compared with values');
  });
  return { name: first.attribute, operator, values };
};

const checkType = (part: KeyPart, { values }: KeyTest): void => {
  if (values.some(value => typeOf(value) !== part.type))
    throw invalidParameter('Condition parameter type does not match schema type');
  if (values.some(value => 'S' in value && value.S === ''))
    throw invalid(
      `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: ${part.name}`,
    );
};

const afterText = (prefix: string): string | undefined => {
  const points = Array.from(prefix, character => character.codePointAt(0) ?? 0);
  while (points.at(-1) === 0x10ffff) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  // UTF-8 has no surrogates.
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
};

const prefixRange = (prefix: string): SortRange => {
  const after = afterText(prefix);
  return {
    lower: { key: prefix, included: true },
    ...(after === undefined ? {} : { upper: { key: after, included: false } }),
  };
};

const sortRange = ({ operator, values }: KeyTest): SortRange => {
  const [first, second] = values.map(sortable);
  if (first === undefined) throw new Error('A comparison has no value.');
  if (operator === '=')
    return { lower: { key: first, included: true }, upper: { key: first, included: true } };
  if (operator === 'begins_with' && typeof first === 'string') return prefixRange(first);
  if (operator === 'BETWEEN' && second !== undefined)
    return { lower: { key: first, included: true }, upper: { key: second, included: true } };
  const bound = { key: first, included: operator.endsWith('=') };
  return operator.startsWith('<') ? { upper: bound } : { lower: bound };
};

const missedKey = (name: string) => invalid(`Query condition missed key schema element: ${name}`);

/**
 * The range of keys that a key condition selects.
 *
 * @throws AwsError if it is not an equality of the partition key, with at most one condition on the sort key
 */
export const keyRange = (schema: KeySchema, text: string, placeholders: Placeholders): KeyRange => {
  const tests = conjuncts(boundCondition(kind, text, placeholders)).map(keyTest);
  const names = tests.map(({ name }) => name);
  if (new Set(names).size < names.length)
    throw invalid('KeyConditionExpressions must only contain one condition per key');
  if (tests.length > 2) throw invalid('Conditions can be of length 1 or 2 only');
  const partition = tests.find(({ name }) => name === schema.partition.name);
  if (partition === undefined) throw missedKey(schema.partition.name);
  if (partition.operator !== '=') throw invalid('Query key condition not supported');
  const sort = tests.find(({ name }) => name === schema.sort?.name);
  if (tests.length > 1 && sort === undefined) throw missedKey(schema.sort?.name ?? schema.partition.name);
  checkType(schema.partition, partition);
  if (sort && schema.sort) checkType(schema.sort, sort);
  const [value] = partition.values;
  if (value === undefined) throw missedKey(schema.partition.name);
  return { partition: sortable(value), sort: sort ? sortRange(sort) : {} };
};
