import { isJsonObject, type JsonObject } from '../../../../lib/platform/json/value.ts';
import { itemKey, itemsOf, localTable, refusalOf, TableName } from './local-table.ts';

const key = itemKey('p', 'a');

/** An item with something in it that can be changed in place, of every type. */
const newItem = () => ({
  ...key,
  g: { S: 'g' },
  n: { N: '1' },
  b: { B: Uint8Array.of(1, 2, 3) },
  list: { L: [{ B: Buffer.from([4, 5]) }, { M: { x: { S: 'x' } } }] },
  map: { M: { b: { B: Uint8Array.of(6) } } },
  ss: { SS: ['a', 'b'] },
});

/** Changes everything in a value that can be changed. */
const spoil = (value: unknown): void => {
  if (value instanceof Uint8Array) value.fill(99);
  else if (Array.isArray(value)) {
    value.forEach(spoil);
    value.push('spoiled');
  } else if (isJsonObject(value)) {
    Object.values(value).forEach(spoil);
    Reflect.set(value, 'spoiled', { S: 'spoiled' });
  }
};

const written = () => {
  const table = localTable();
  table.put(newItem());
  return table;
};

const stored = ({ get }: ReturnType<typeof localTable>) => JSON.stringify(get('p', 'a'));

describe('nobody shares an object with the engine', () => {
  test('what is changed in a request after a call is not changed in the store', () => {
    const table = localTable();
    const item = newItem();
    table.put(item);
    const before = stored(table);
    spoil(item);
    expect(stored(table)).toBe(before);
  });

  const reads: readonly (readonly [string, JsonObject])[] = [
    ['GetItem', { Key: key }],
    [
      'Query',
      { KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': { S: 'p' } } },
    ],
    ['Scan', {}],
  ];
  test.each(reads)('the response of %s belongs to the caller', (operation, input) => {
    const table = written();
    const before = JSON.stringify(table.call(operation, input));
    spoil(table.call(operation, input));
    expect(JSON.stringify(table.call(operation, input))).toBe(before);
  });

  test('the item of a failed condition belongs to the caller', () => {
    const table = written();
    const failing = { Key: key, ConditionExpression: 'attribute_not_exists(pk)' };
    const more = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' };
    const before = stored(table);
    spoil(refusalOf(() => table.call('DeleteItem', { ...failing, ...more })).members);
    spoil(
      refusalOf(() => table.transact([{ Delete: { TableName, ...failing, ...more } }])).members,
    );
    expect(stored(table)).toBe(before);
  });

  test('bytes come back as bytes, whether they came as bytes or as base64', () => {
    const table = localTable();
    table.put({ ...itemKey('p', 'a'), b: { B: Buffer.from('abc') }, l: { L: [{ B: 'YWJj' }] } });
    const [item] = itemsOf(table.call('Scan'));
    const abc = Uint8Array.from(Buffer.from('abc'));
    expect(item).toEqual({ ...itemKey('p', 'a'), b: { B: abc }, l: { L: [{ B: abc }] } });
    expect(Buffer.isBuffer(Reflect.get(Object(item?.['b']), 'B'))).toBe(false);
  });

  test('a lone surrogate is replaced, as it is on the wire', () => {
    const table = localTable();
    table.put({ ...key, text: { S: 'a\ud800b\u{1f600}' } });
    expect(table.get('p', 'a')).toMatchObject({ text: { S: 'a\ufffdb\u{1f600}' } });
  });

  test('an attribute may have any name, and a text any character', () => {
    const table = localTable();
    const item: JsonObject = JSON.parse(
      '{"pk":{"S":"p\\u0000q"},"sk":{"S":"\\u0000"},"__proto__":{"M":{"__proto__":{"S":"\\u0000"}}},"constructor":{"S":"c"},"1":{"N":"1"}}',
    );
    table.put(item);
    expect(JSON.stringify(table.call('Scan')['Items'])).toBe(
      JSON.stringify([{ ...JSON.parse(JSON.stringify(item)) }]).replace('{"1"', '{"1"'),
    );
  });
});
