import { Placeholders } from '../../../../lib/local/engines/dynamodb/expression.ts';
import { readKeyRange } from '../../../../lib/local/engines/dynamodb/key-conditions.ts';
import type { KeySchema } from '../../../../lib/local/engines/dynamodb/keys.ts';
import { numberKey } from '../../../../lib/local/engines/dynamodb/numbers.ts';
import type { JsonObject } from '../../../../lib/platform/json/value.ts';
import { refusalOf } from './local-table.ts';

const partition = { name: 'p', type: 'S' } as const;
const texts: KeySchema = { partition, sort: { name: 's', type: 'S' } };
const numbers: KeySchema = { partition, sort: { name: 'n', type: 'N' } };

const values: JsonObject = {
  ':p': { S: 'part' },
  ':a': { S: 'a' },
  ':b': { S: 'b' },
  ':1': { N: '1' },
  ':2': { N: '2' },
};

const rangeOf = (KeyConditionExpression: string, schema = texts, more: JsonObject = {}) =>
  new Placeholders({
    KeyConditionExpression,
    ExpressionAttributeNames: { '#s': 's' },
    ExpressionAttributeValues: { ...values, ...more },
  }).read('KeyConditionExpression', expression => readKeyRange(expression, schema));

const bound = (key: string | Uint8Array, included: boolean) => ({ key, included });

test.each([
  ['p = :p', {}],
  ['p = :p AND s = :a', { lower: bound('a', true), upper: bound('a', true) }],
  ['p = :p and #s < :a', { upper: bound('a', false) }],
  ['p = :p AND s <= :a', { upper: bound('a', true) }],
  ['p = :p AND s > :a', { lower: bound('a', false) }],
  ['p = :p AND s >= :a', { lower: bound('a', true) }],
  ['p = :p AND s BETWEEN :a AND :b', { lower: bound('a', true), upper: bound('b', true) }],
  ['p = :p AND s BETWEEN :a AND :a', { lower: bound('a', true), upper: bound('a', true) }],
  ['p = :p AND begins_with(s, :a)', { lower: bound('a', true), upper: bound('b', false) }],
])('%s selects a range', (condition, sort) => {
  expect(rangeOf(condition)).toEqual({ partition: 'part', sort });
});

test('numbers are compared as numbers', () => {
  const [one, two] = [numberKey('1'), numberKey('2')];
  expect(rangeOf('p = :p AND n BETWEEN :1 AND :2', numbers)).toEqual({
    partition: 'part',
    sort: { lower: bound(one, true), upper: bound(two, true) },
  });
  expect(() => rangeOf('p = :p AND n BETWEEN :2 AND :1', numbers)).toThrow(
    'Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be greater than ' +
      'or equal to lower bound',
  );
});

// UTF-8 has no surrogates (U+D800 to U+DFFF), and ends with U+10FFFF.
test.each([
  ['ab', 'ac'],
  ['a\u{1f600}', 'a\u{1f601}'],
  ['a\ud7ff', 'a\ue000'],
  ['a\uffff', 'a\u{10000}'],
  ['a\u{10ffff}', 'b'],
  ['a\u{10ffff}\u{10ffff}', 'b'],
  ['a\u{10fffe}', 'a\u{10ffff}'],
  ['\u{10ffff}', undefined],
])('what begins with %j ends before %j', (prefix, after) => {
  const { sort } = rangeOf('p = :p AND begins_with(s, :x)', texts, { ':x': { S: prefix } }) ?? {};
  expect(sort).toEqual({
    lower: bound(prefix, true),
    ...(after !== undefined && { upper: bound(after, false) }),
  });
});

test.each([
  ['s = :p', 'Query condition missed key schema element: p'],
  ['p = :p AND p = :a', 'Query condition missed key schema element: s'],
  ['p = :p AND begins_with(p, :a)', 'Query condition missed key schema element: s'],
  ['p = :1', expect.stringContaining('Type mismatch for key, expected: S actual: N. Key: p')],
  [
    'p = :p AND s BETWEEN :b AND :a',
    'Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be greater than ' +
      'or equal to lower bound',
  ],
  ['p < :p', expect.stringContaining('Syntax error; token: "<"')],
  ['p = :p AND s <> :a', expect.stringContaining('Syntax error; token: "<>"')],
  ['p = :p AND s BETWEEN :a :b', expect.stringContaining('Syntax error; token: ":b"')],
  ['p = :p AND begins_with(s :a)', expect.stringContaining('Syntax error; token: ":a"')],
  ['p = :p AND begins_with(s, :a', expect.stringContaining('Syntax error; token: "<EOF>"')],
  ['p = :p AND s = :a AND s = :b', expect.stringContaining('Syntax error; token: "AND"')],
])('%s is refused', (condition, message) => {
  expect(refusalOf(() => rangeOf(condition))).toMatchObject({
    name: 'ValidationException',
    message,
  });
});

test('a number does not begin with another', () => {
  expect(refusalOf(() => rangeOf('p = :p AND begins_with(n, :1)', numbers)).message).toBe(
    'Invalid operator used in KeyConditionExpression: begins_with',
  );
});
