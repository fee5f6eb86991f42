import {
  type Attributes,
  attributeOf,
  compareValues,
  differenceOf,
  itemBytes,
  readAttributes,
  readValue,
  sameValues,
  setAttribute,
  unionOf,
  type Value,
} from '../../../../lib/local/engines/dynamodb/values.ts';
import { refusalOf } from './local-table.ts';

const strange = (value: Value): Attributes => Object.fromEntries([['__proto__', value]]);

describe('an attribute of any name', () => {
  test('is read only if it is there', () => {
    expect(attributeOf({ a: { S: 'x' } }, 'a')).toEqual({ S: 'x' });
    for (const name of ['b', 'constructor', '__proto__'])
      expect(attributeOf({ a: { S: 'x' } }, name)).toBeUndefined();
    expect(attributeOf(strange({ S: 'x' }), '__proto__')).toEqual({ S: 'x' });
  });

  test('is set as a member like others, that can be changed and deleted', () => {
    const attributes: Record<string, Value> = {};
    for (const name of ['a', '__proto__']) {
      setAttribute(attributes, name, { S: 'old' });
      expect(Object.getOwnPropertyDescriptor(attributes, name)).toEqual({
        value: { S: 'old' },
        configurable: true,
        enumerable: true,
        writable: true,
      });
    }
    expect(Object.getPrototypeOf(attributes)).toBe(Object.prototype);
  });
});

describe('a value of a request', () => {
  test.each<[unknown, Value]>([
    [{ S: 'é' }, { S: 'é' }],
    [{ S: 'a\ud800b\udc00' }, { S: 'a\ufffdb\ufffd' }],
    [{ N: '01.50' }, { N: '1.5' }],
    [{ B: 'AQI=' }, { B: Uint8Array.of(1, 2) }],
    [{ BOOL: true }, { BOOL: true }],
    [{ BOOL: false }, { BOOL: false }],
    [{ NULL: true }, { NULL: true }],
    [{ SS: ['b', 'a'] }, { SS: ['b', 'a'] }],
    [{ NS: ['1.0', '2'] }, { NS: ['1', '2'] }],
    [{ L: [{ N: '1.0' }, { L: [] }] }, { L: [{ N: '1' }, { L: [] }] }],
    [{ M: { a: { N: '1.0' } } }, { M: { a: { N: '1' } } }],
    [{ S: undefined, N: null, BOOL: true }, { BOOL: true }],
  ])('%j is made canonical', (given, value) => {
    expect(readValue(given)).toStrictEqual(value);
  });

  test.each<[unknown, string, string]>([
    [{ S: 1 }, 'SerializationException', 'An attribute value of type S or N must be a string'],
    [{ N: 1 }, 'SerializationException', 'An attribute value of type S or N must be a string'],
    [
      { SS: 'a' },
      'SerializationException',
      'An attribute value of type L or of a set must be a list',
    ],
    [
      { L: {} },
      'SerializationException',
      'An attribute value of type L or of a set must be a list',
    ],
    [{ M: [] }, 'SerializationException', 'A map of attributes must be an object'],
    ['x', 'SerializationException', 'An attribute value must be an object'],
    [
      {},
      'ValidationException',
      'The local DynamoDB engine does not support attribute values without a type, or of another ' +
        'than those of the bus',
    ],
  ])('%j is refused', (given, name, message) => {
    expect(refusalOf(() => readValue(given))).toMatchObject({ name, message });
  });

  test('that is bytes is not copied, whatever kind of bytes it is', () => {
    const plain = Uint8Array.of(1, 2);
    expect(Reflect.get(readValue({ B: plain }), 'B')).toBe(plain);
    const memory = Buffer.from([9, 1, 2, 9]);
    const read = readValue({ B: memory.subarray(1, 3) });
    expect(read).toStrictEqual({ B: Uint8Array.of(1, 2) });
    memory[1] = 7;
    expect(read).toStrictEqual({ B: Uint8Array.of(7, 2) });
  });

  test('that is a map may have a member of any name', () => {
    const given = JSON.parse('{"__proto__": {"N": "1.0"}, "a": {"S": "x"}}');
    expect(Object.entries(readAttributes(given))).toEqual([
      ['__proto__', { N: '1' }],
      ['a', { S: 'x' }],
    ]);
  });
});

// Developer Guide, "DynamoDB item sizes and formats": a name of one byte, and its value.
test.each<[string, Value, number]>([
  ['a text has its bytes', { S: 'é€' }, 5],
  ['an empty text has none', { S: '' }, 0],
  ['two digits have a byte, and a number one more', { N: '1234' }, 3],
  ['bytes have themselves', { B: new Uint8Array(7) }, 7],
  ['true has one', { BOOL: true }, 1],
  ['null has one', { NULL: true }, 1],
  ['texts have theirs', { SS: ['ab', 'é'] }, 4],
  ['numbers have theirs', { NS: ['1', '22', '-333'] }, 8],
  ['an empty list has three', { L: [] }, 3],
  ['a list has one more for each member', { L: [{ S: 'ab' }, { BOOL: true }] }, 3 + 3 + 2],
  ['an empty map has three', { M: {} }, 3],
  ['a map has names, too', { M: { ab: { S: 'x' }, c: { NULL: true } } }, 3 + 4 + 3],
])('%s', (_, value, size) => {
  expect(itemBytes({ a: value })).toBe(1 + size);
  expect(itemBytes({ é: value, bc: { S: 'x' } })).toBe(2 + size + 3);
});

describe('two values', () => {
  const ofEachType: readonly Value[] = [
    { S: '1' },
    { N: '1' },
    { B: Buffer.from('1') },
    { BOOL: true },
    { NULL: true },
    { SS: ['1'] },
    { NS: ['1'] },
    { L: [{ S: '1' }] },
    { M: { a: { S: '1' } } },
  ];

  test('of one ordered type have an order: of bytes, and of numbers', () => {
    const order = (a: Value, b: Value) => Math.sign(compareValues(a, b) ?? Number.NaN);
    expect([order({ S: 'a' }, { S: 'b' }), order({ S: 'b' }, { S: 'a' })]).toEqual([-1, 1]);
    expect(order({ S: 'a' }, { S: 'a' })).toBe(0);
    expect(order({ S: '\uffff' }, { S: '\u{10000}' })).toBe(-1);
    expect([order({ N: '9' }, { N: '10' }), order({ N: '10' }, { N: '9' })]).toEqual([-1, 1]);
    expect(order({ B: Uint8Array.of(1, 2) }, { B: Uint8Array.of(2) })).toBe(-1);
  });

  test('of different types have no order, are not the same, and have no union', () => {
    const pairs = ofEachType.flatMap(a =>
      ofEachType.filter(b => b !== a).map(b => [a, b] as const),
    );
    expect(pairs).toHaveLength(72);
    for (const [a, b] of pairs) {
      expect(compareValues(a, b)).toBeUndefined();
      expect(sameValues(a, b)).toBe(false);
      expect(unionOf(a, b)).toBeUndefined();
      expect(differenceOf(a, b)).toBeUndefined();
    }
  });

  test('of one type are the same if all of them is', () => {
    for (const value of ofEachType) expect(sameValues(value, structuredClone(value))).toBe(true);
    const same: readonly (readonly [Value, Value])[] = [
      [{ SS: ['a', 'b'] }, { SS: ['b', 'a'] }],
      [{ NS: ['1', '2'] }, { NS: ['2', '1'] }],
      [{ M: { a: { S: 'x' }, b: { N: '1' } } }, { M: { b: { N: '1' }, a: { S: 'x' } } }],
      [{ M: strange({ S: 'x' }) }, { M: strange({ S: 'x' }) }],
    ];
    for (const [a, b] of same) expect([sameValues(a, b), sameValues(b, a)]).toEqual([true, true]);
    const others: readonly (readonly [Value, Value])[] = [
      [{ S: 'a' }, { S: 'b' }],
      [{ N: '1' }, { N: '2' }],
      [{ B: Uint8Array.of(1) }, { B: Uint8Array.of(2) }],
      [{ BOOL: true }, { BOOL: false }],
      [{ SS: ['a'] }, { SS: ['a', 'b'] }],
      [{ SS: ['a', 'c'] }, { SS: ['a', 'b'] }],
      [{ NS: ['1'] }, { NS: ['1', '2'] }],
      [{ NS: ['1', '3'] }, { NS: ['1', '2'] }],
      [{ L: [{ S: 'a' }] }, { L: [{ S: 'a' }, { S: 'b' }] }],
      [{ L: [{ S: 'a' }, { S: 'c' }] }, { L: [{ S: 'a' }, { S: 'b' }] }],
      [{ L: [{ S: '1' }] }, { L: [{ N: '1' }] }],
      [{ M: { a: { S: 'x' } } }, { M: { a: { S: 'x' }, b: { S: 'y' } } }],
      [{ M: { a: { S: 'x' } } }, { M: { b: { S: 'x' } } }],
      [{ M: { a: { S: 'x' } } }, { M: { a: { S: 'y' } } }],
    ];
    for (const [a, b] of others)
      expect([sameValues(a, b), sameValues(b, a)]).toEqual([false, false]);
  });

  test('that are sets have a union and a difference', () => {
    expect(unionOf({ SS: ['a', 'b'] }, { SS: ['b', 'c'] })).toEqual({ SS: ['a', 'b', 'c'] });
    expect(unionOf({ NS: ['1', '2'] }, { NS: ['2', '3'] })).toEqual({ NS: ['1', '2', '3'] });
    expect(differenceOf({ SS: ['a', 'b', 'c'] }, { SS: ['b', 'x'] })).toEqual({ SS: ['a', 'c'] });
    expect(differenceOf({ NS: ['1', '2', '3'] }, { NS: ['2', '9'] })).toEqual({ NS: ['1', '3'] });
    expect(differenceOf({ SS: ['a', 'b'] }, { SS: ['b', 'a'] })).toBe('empty');
    expect(differenceOf({ NS: ['1'] }, { NS: ['1', '2'] })).toBe('empty');
    expect(differenceOf({ SS: ['a', 'b'] }, { SS: ['a'] })).toEqual({ SS: ['b'] });
    expect(differenceOf({ NS: ['1', '2'] }, { NS: ['1'] })).toEqual({ NS: ['2'] });
  });
});
