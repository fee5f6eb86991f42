import {
  decodeAttributes,
  decodeItem,
  encodeAttributes,
  Items,
  sized,
} from '../../../../lib/local/engines/dynamodb/items.ts';
import { keyOfItem } from '../../../../lib/local/engines/dynamodb/keys.ts';
import type { Attributes, Value } from '../../../../lib/local/engines/dynamodb/values.ts';
import { openStore } from '../../../../lib/local/engines/store.ts';

const own = (name: string, value: Value): Attributes => Object.fromEntries([[name, value]]);

describe('the stored form of attributes', () => {
  test.each<[string, Value, string]>([
    ['a text', { S: 'é' }, '"é"'],
    ['an empty text', { S: '' }, '""'],
    ['a number', { N: '-1.5' }, '-1.5'],
    [
      'a number of 38 digits',
      { N: '12345678901234567890123456789012345678' },
      '{"N":"12345678901234567890123456789012345678"}',
    ],
    ['a number that JavaScript writes otherwise', { N: '1E+30' }, '{"N":"1E+30"}'],
    ['true', { BOOL: true }, 'true'],
    ['false', { BOOL: false }, 'false'],
    ['null', { NULL: true }, 'null'],
    ['texts', { SS: ['b', 'a'] }, '{"SS":["b","a"]}'],
    ['numbers', { NS: ['1', '2'] }, '{"NS":["1","2"]}'],
    ['a list', { L: [{ S: 'a' }, { L: [] }, { NULL: true }] }, '["a",[],null]'],
    ['a map', { M: { N: { N: '1' }, M: { M: {} } } }, '{"M":{"N":1,"M":{"M":{}}}}'],
    ['a map with a strange name', { M: own('__proto__', { S: 'a' }) }, '{"M":{"__proto__":"a"}}'],
  ])('%s', (_, value, stored) => {
    const { text, bytes } = encodeAttributes({ a: value });
    expect([text, bytes]).toEqual([`{"a":${stored}}`, null]);
    expect(decodeAttributes(text, bytes)).toEqual({ a: value });
  });

  test('has bytes one after another, and gives each in memory of its own', () => {
    const [one, two, none] = [Uint8Array.of(1, 2), Uint8Array.of(3), Uint8Array.of()];
    const attributes: Attributes = {
      a: { B: one },
      b: { L: [{ B: two }, { B: none }] },
      c: { S: 'x' },
    };
    const { text, bytes } = encodeAttributes(attributes);
    expect([...(bytes ?? [])]).toEqual([1, 2, 3]);
    const decoded = decodeAttributes(text, bytes);
    expect(decoded).toEqual(attributes);
    bytes?.fill(9);
    expect(decoded).toEqual(attributes);
  });
});

describe('a key', () => {
  const schema = {
    id: 1,
    name: 't',
    key: { partition: { name: 'p', type: 'S' }, sort: { name: '__proto__', type: 'S' } },
    indexes: [],
  } as const;
  const itemWith = (key: string): Attributes => ({
    p: { S: key },
    ...own('__proto__', { S: key }),
    x: { N: '1' },
  });

  test.each([
    ['a text', 'é#1', '{"x":1}'],
    ['a text with a zero character', 'a\0b', '{"p":"a\\u0000b","__proto__":"a\\u0000b","x":1}'],
  ])('that is %s is read as it was written', (_, key, text) => {
    const store = openStore();
    const item = itemWith(key);
    new Items(store).write(
      sized({ table: schema, key: keyOfItem(schema.key, item), before: undefined, after: item }),
    );
    const row = store
      .sql<{ pk: string; sk: string; item: string; bytes: null }>(
        'SELECT pk, sk, item, bytes FROM dynamodb_items',
      )
      .get();
    expect(row?.item).toBe(text);
    expect(row && decodeItem(schema, row)).toEqual(item);
  });
});
