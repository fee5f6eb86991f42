import fc from 'fast-check';
import {
  addNumbers,
  canonicalNumber,
  negatedNumber,
  numberBytes,
  numberKey,
} from '../../../../lib/local/engines/dynamodb/numbers.ts';

/** Numbers of up to 15 digits, and safe integers. */
const numbers = fc.oneof(
  fc.maxSafeInteger().map(String),
  fc
    .tuple(fc.integer({ min: -999_999_999, max: 999_999_999 }), fc.integer({ min: -4, max: 9 }))
    .map(([digits, exponent]) => canonicalNumber(`${digits}e${exponent}`))
    .filter(text => text !== '0'),
);

test.each([
  ['1', '1'],
  ['-0', '0'],
  ['+5', '5'],
  ['.5', '0.5'],
  ['5.', '5'],
  ['1.10', '1.1'],
  ['1e3', '1000'],
  ['1E-5', '0.00001'],
  ['-1.50e+2', '-150'],
  ['9007199254740991', '9007199254740991'],
  ['-9007199254740991', '-9007199254740991'],
  ['0.123456789012345', '0.123456789012345'],
  ['1e20', '100000000000000000000'],
  ['0.000001', '0.000001'],
  ['-1e-6', '-0.000001'],
])('%s is kept as %s', (text, canonical) => {
  expect(canonicalNumber(text)).toBe(canonical);
});

test.each([
  ['', 'The parameter cannot be converted to a numeric value'],
  ['abc', 'The parameter cannot be converted to a numeric value: abc'],
  [' 1', 'The parameter cannot be converted to a numeric value:  1'],
  ['.', 'The parameter cannot be converted to a numeric value: .'],
  ['0x10', 'The parameter cannot be converted to a numeric value: 0x10'],
  [
    '9007199254740993',
    'The local DynamoDB engine does not support numbers with more than 15 digits',
  ],
  [
    '0.1234567890123456',
    'The local DynamoDB engine does not support numbers with more than 15 digits',
  ],
  ['1e21', 'The local DynamoDB engine does not support numbers with so large an exponent'],
  ['1e-7', 'The local DynamoDB engine does not support numbers with so large an exponent'],
])('%j is refused', (text, message) => {
  expect(() => canonicalNumber(text)).toThrow(message);
});

test('sums are exact, or refused', () => {
  expect([addNumbers('0.1', '0.2'), addNumbers('1', '-1'), addNumbers('-5', '2')]).toEqual([
    '0.3',
    '0',
    '-3',
  ]);
  expect(addNumbers('9007199254740990', '1')).toBe('9007199254740991');
  expect(() => addNumbers('9007199254740991', '2')).toThrow(
    'does not support numbers of that size',
  );
});

test('a sum may be larger than what is counted one by one', () => {
  expect(addNumbers('10000000000000000', '10000000000000000')).toBe('20000000000000000');
});

test('a number is negated, but for zero', () => {
  expect(['5', '-5', '0', '-0.5'].map(negatedNumber)).toEqual(['-5', '5', '0', '0.5']);
});

// Developer Guide, "DynamoDB item sizes and formats": zeros around the digits do not count.
test.each([
  ['0', 1],
  ['1', 2],
  ['12', 2],
  ['123', 3],
  ['-123', 4],
  ['1200', 2],
  ['0.0012', 2],
  ['100', 2],
])('the number %s has %d bytes', (text, bytes) => {
  expect(numberBytes(text)).toBe(bytes);
});

test('the key of a number has eight bytes, which sort as the numbers do', () => {
  const sorted = ['-1000', '-1', '-0.5', '-0.000001', '0', '0.000001', '0.5', '1', '256', '1000'];
  const keys = sorted.map(numberKey);
  expect(keys.map(key => key.length)).toEqual(sorted.map(() => 8));
  expect([...keys].reverse().sort(Buffer.compare)).toEqual(keys);
  expect(numberKey('0')).toEqual(Uint8Array.of(128, 0, 0, 0, 0, 0, 0, 0));
  // As a double 1 begins with 3f f0, and -1 with bf f0.
  expect(numberKey('1')).toEqual(Uint8Array.of(0xbf, 0xf0, 0, 0, 0, 0, 0, 0));
  expect(numberKey('-1')).toEqual(Uint8Array.of(0x40, 0x0f, 255, 255, 255, 255, 255, 255));
});

test('keys sort as the numbers do', () => {
  fc.assert(
    fc.property(numbers, numbers, (a, b) => {
      expect(Math.sign(Buffer.compare(numberKey(a), numberKey(b)))).toBe(
        Math.sign(Number(a) - Number(b)),
      );
    }),
  );
});

test.each([
  ['0', 1],
  ['5', 2],
  ['-5', 3],
  ['123', 3],
  ['1000', 2],
  ['0.25', 2],
])('%s has %i bytes', (text, bytes) => {
  expect(numberBytes(text)).toBe(bytes);
});
