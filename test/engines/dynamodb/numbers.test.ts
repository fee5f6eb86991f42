import fc from 'fast-check';
import {
  addNumbers,
  canonicalNumber,
  compareNumbers,
  numberBytes,
  numberKey,
} from '../../../lib/engines/dynamodb/numbers.ts';

/** A number as a whole number of units of 10^-130. */
const units = (canonical: string): bigint => {
  const [whole = '', fraction = ''] = canonical.replace('-', '').split('.');
  const magnitude = BigInt(whole + fraction.padEnd(130, '0'));
  return canonical.startsWith('-') ? -magnitude : magnitude;
};

const digits = fc.stringMatching(/^\d{1,38}$/);

const decimals = fc
  .tuple(fc.constantFrom('', '-'), digits, fc.integer({ min: -130, max: 125 }))
  .map(([sign, text, exponent]) => {
    const trimmed = text.replace(/^0+/, '');
    // The first digit is at the exponent: every such number is in range.
    return trimmed === '' ? '0' : `${sign}${trimmed[0]}.${trimmed.slice(1) || '0'}e${exponent}`;
  })
  .filter(text => Number(text.split('e')[1] ?? 0) >= -92)
  .map(canonicalNumber);

const signOf = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

describe('numbers', () => {
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
    ['1234567890123456789012345678901234567800', '1234567890123456789012345678901234567800'],
    ['12345678901234567890123456789012345678', '12345678901234567890123456789012345678'],
    ['1e125', `1${'0'.repeat(125)}`],
    ['1e-130', `0.${'0'.repeat(129)}1`],
    ['0e999', '0'],
  ])('%s is kept as %s', (text, canonical) => {
    expect(canonicalNumber(text)).toBe(canonical);
  });

  test.each([
    ['', 'The parameter cannot be converted to a numeric value'],
    ['abc', 'The parameter cannot be converted to a numeric value: abc'],
    [' 1', 'The parameter cannot be converted to a numeric value:  1'],
    ['.', 'The parameter cannot be converted to a numeric value: .'],
    ['1e126', 'Number overflow. Attempting to store a number with magnitude larger than supported range'],
    ['1e-131', 'Number underflow. Attempting to store a number with magnitude smaller than supported range'],
    [
      '123456789012345678901234567890123456789',
      'Attempting to store more than 38 significant digits in a Number',
    ],
  ])('%j is refused', (text, message) => {
    expect(() => canonicalNumber(text)).toThrow(message);
  });

  test('the order of numbers, and of their keys as bytes, is that of their values', () => {
    fc.assert(
      fc.property(decimals, decimals, (a, b) => {
        const expected = signOf(units(a), units(b));
        expect(Math.sign(compareNumbers(a, b)) + 0).toBe(expected);
        expect(Buffer.compare(numberKey(a), numberKey(b))).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  test('numbers with the same first digits sort by the rest', () => {
    const sorted = [
      '-1e20',
      '-123',
      '-12.5',
      '-12.25',
      '-12',
      '-1',
      '-0.1',
      '0',
      '1e-5',
      '0.1',
      '1',
      '12',
      '12.25',
      '12.5',
      '123',
    ];
    const keys = sorted.map(text => Buffer.from(numberKey(canonicalNumber(text))));
    expect([...keys].reverse().sort(Buffer.compare)).toEqual(keys);
  });

  test('a sum is exact, or refused when it has more than 38 digits', () => {
    fc.assert(
      fc.property(decimals, decimals, (a, b) => {
        const exact = units(a) + units(b);
        const significant = String(exact).replace('-', '').replace(/0+$/, '').length;
        if (significant > 38) expect(() => addNumbers(a, b)).toThrow('38 significant digits');
        else if (String(exact).replace('-', '').length <= 256) expect(units(addNumbers(a, b))).toBe(exact);
      }),
      { numRuns: 2_000 },
    );
  });

  test('a sum that no number can hold is refused', () => {
    const large = canonicalNumber('9e125');
    expect(() => addNumbers(large, large)).toThrow('Number overflow');
  });

  test.each([
    ['0', 1],
    ['1', 2],
    ['-1', 3],
    ['12', 2],
    ['123', 3],
    ['12345678901234567890123456789012345678', 20],
  ])('%s takes %i bytes of an item', (text, size) => {
    expect(numberBytes(text)).toBe(size);
  });
});

test('a number with a million zeros inside is read in one pass', () => {
  const text = `1${'0'.repeat(1_000_000)}1`;
  expect(() => canonicalNumber(text)).toThrow('magnitude larger than supported range');
  expect(canonicalNumber(`0.${'0'.repeat(1_000_000)}`)).toBe('0');
  expect(canonicalNumber(`1.${'0'.repeat(1_000_000)}`)).toBe('1');
});
