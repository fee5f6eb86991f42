import {
  checkIndexKeys,
  checkKeyPart,
  keyAttributes,
  keyInIndex,
  keyNames,
  keyOfItem,
  keyText,
  projectedByIndex,
  requestedKey,
  sameKey,
  sortable,
  type TableSchema,
} from '../../../../lib/local/engines/dynamodb/keys.ts';
import { numberKey } from '../../../../lib/local/engines/dynamodb/numbers.ts';
import type { Value } from '../../../../lib/local/engines/dynamodb/values.ts';
import { refusalOf } from './local-table.ts';

const [p, s, g, n] = [
  { name: 'p', type: 'S' },
  { name: 's', type: 'S' },
  { name: 'g', type: 'S' },
  { name: 'n', type: 'N' },
] as const;
const ofKeys = {
  name: 'keys',
  number: 0,
  key: { partition: g, sort: n },
  projected: 'KEYS_ONLY',
} as const;
const ofAll = { ...ofKeys, name: 'all', number: 1, projected: 'ALL' } as const;
const table: TableSchema = {
  id: 1,
  name: 't',
  key: { partition: p, sort: s },
  indexes: [ofKeys, ofAll],
};
const item = { p: { S: 'a' }, s: { S: 'b' }, g: { S: 'c' }, n: { N: '7' }, x: { S: 'y' } };

const invalid = (what: string) => `One or more parameter values were invalid: ${what}`;

test('a text is sorted by itself, a number by bytes, and nothing else has an order', () => {
  expect(sortable({ S: 'a' })).toBe('a');
  expect(sortable({ N: '7' })).toEqual(numberKey('7'));
  expect(() => sortable({ BOOL: true })).toThrow('A key has a type that has no order.');
});

test.each<[string, Value, string]>([
  ['another type', { N: '1' }, 'Type mismatch for key, expected: S actual: N. Key: p'],
  [
    'an empty text',
    { S: '' },
    'The AttributeValue for a key attribute cannot contain an empty string value. Key: p',
  ],
  [
    'a text of 2049 bytes',
    { S: `${'é'.repeat(1024)}x` },
    'The size of a key has exceeded the limit of 2048 bytes. Key: p',
  ],
])('%s is no partition key', (_, value, what) => {
  expect(refusalOf(() => checkKeyPart(p, value))).toMatchObject({
    name: 'ValidationException',
    message: invalid(what),
  });
});

test('a partition key has up to 2048 bytes, and a sort key 1024', () => {
  const key = (partition: number, sort: number) => ({
    p: { S: 'x'.repeat(partition) },
    s: { S: 'y'.repeat(sort) },
  });
  expect(keyOfItem(table.key, key(2048, 1024))).toEqual(['x'.repeat(2048), 'y'.repeat(1024)]);
  for (const [partition, sort, what] of [
    [2049, 1, 'limit of 2048 bytes. Key: p'],
    [1, 1025, 'limit of 1024 bytes. Key: s'],
  ] as const) {
    const { message } = refusalOf(() => keyOfItem(table.key, key(partition, sort)));
    expect(message).toBe(invalid(`The size of a key has exceeded the ${what}`));
  }
  expect(() => checkKeyPart(p, { S: 'x'.repeat(2048) })).not.toThrow();
  expect(() => checkKeyPart(n, { N: '1' })).not.toThrow();
});

test('an item has both parts of its key', () => {
  expect(keyOfItem(table.key, item)).toEqual(['a', 'b']);
  for (const incomplete of [{ p: item.p }, { s: item.s }, {}])
    expect(refusalOf(() => keyOfItem(table.key, incomplete)).message).toBe(
      invalid('Missing the key in the item'),
    );
});

test('a requested key has its two parts and nothing else', () => {
  expect(requestedKey(table.key, { p: item.p, s: item.s })).toEqual(['a', 'b']);
  for (const other of [{ p: item.p }, item])
    expect(refusalOf(() => requestedKey(table.key, other)).message).toBe(
      'The provided key element does not match the schema',
    );
});

test('an item is in an index if it has both of its keys, which must be possible ones', () => {
  expect(keyInIndex(ofKeys, item)).toEqual(['c', numberKey('7')]);
  const { g: _, ...without } = item;
  expect(keyInIndex(ofKeys, without)).toBeUndefined();
  expect(() => checkIndexKeys(table, item)).not.toThrow();
  expect(() => checkIndexKeys(table, without)).not.toThrow();
  expect(refusalOf(() => checkIndexKeys(table, { ...item, n: { S: 'x' } })).message).toBe(
    invalid('Type mismatch for key, expected: N actual: S. Key: n'),
  );
});

test('where a page ended is told by the keys of the table, and of the index that was read', () => {
  expect(keyNames(table.key)).toEqual(['p', 's']);
  expect(keyAttributes(table, undefined, item)).toStrictEqual({ p: item.p, s: item.s });
  const { x: _, ...keys } = item;
  expect(keyAttributes(table, ofAll, item)).toStrictEqual(keys);
  expect(keyAttributes(table, ofAll, { p: item.p })).toStrictEqual({ p: item.p });
  expect(projectedByIndex(table, ofKeys, item)).toStrictEqual(keys);
  expect(projectedByIndex(table, ofAll, item)).toBe(item);
});

test('keys are the same if both of their parts are', () => {
  const [one, seven] = [numberKey('1'), numberKey('7')];
  expect(sameKey(['a', one], ['a', numberKey('1')])).toBe(true);
  expect(sameKey(['a', 'b'], ['a', 'b'])).toBe(true);
  expect(sameKey(undefined, undefined)).toBe(true);
  expect(sameKey(['a', one], ['a', seven])).toBe(false);
  expect(sameKey(['a', 'b'], ['ab', ''])).toBe(false);
  expect(sameKey(['a', 'b'], undefined)).toBe(false);
  expect(sameKey(undefined, ['a', 'b'])).toBe(false);
  expect(new Set([keyText(['a b', 'c']), keyText(['a', 'b c'])]).size).toBe(2);
});
