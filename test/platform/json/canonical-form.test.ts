import canonicalize from 'canonicalize';
import fc from 'fast-check';
import {
  canonicalForm,
  duplicateItems,
  exactNumberAt,
  isSameContent,
  measure,
} from '../../../lib/platform/json/canonical-form.ts';

const reference = (value: unknown) => canonicalize(value);

test('the example of RFC 8785 section 3.2.2 has the form the RFC gives', () => {
  const text = String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`;
  expect(canonicalForm(JSON.parse(text))).toBe(
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  );
});

test('members are sorted by UTF-16 code units (RFC 8785 section 3.2.3)', () => {
  const names = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude02', '\u0080', '\u00f6'];
  const value = Object.fromEntries(names.map(name => [name, 0]));
  const sorted = Object.keys(JSON.parse(canonicalForm(value).replace('"1":0', '"\u0031x":0')));
  expect(sorted).toEqual(['\r', '1x', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude02', '\ufb33']);
});

test('any JSON value has the form that the canonicalize package gives it', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), value => {
      const parsed: unknown = JSON.parse(JSON.stringify(value));
      expect(canonicalForm(parsed)).toBe(reference(parsed));
    }),
    { numRuns: 5000 },
  );
});

test('objects with the same members in a different order have the same form', () => {
  const objects = [
    { b: 1, a: 2 },
    { a: 2, b: 1 },
    { a: 1, c: 2 },
    { a: 1, b: 2, c: 3 },
    {},
    { '10': 1, '9': 2 },
  ];
  expect(canonicalForm([...objects, ...objects])).toBe(reference([...objects, ...objects]));
});

test('it counts members, and detects infinite numbers and nesting beyond 64', () => {
  expect(measure([{ a: { b: 1 } }, { c: [{}] }])).toMatchObject({ members: 3, sound: true });
  expect(measure({ a: [Number.POSITIVE_INFINITY] }).sound).toBe(false);
  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
  expect([measure(nested(64)).sound, measure(nested(65)).sound]).toEqual([true, false]);
});

test('no JSON text of a value is shorter than its lower bound', () => {
  const forms: [string, unknown][] = [
    ['-0', -0],
    ['"\\n\u007f"', '\n\u007f'],
    ['"\\u0001"', '\u0001'],
    ['{"a":[1e5,1]}', { a: [100000, 1] }],
  ];
  for (const [text, value] of forms) {
    expect([text, JSON.parse(text)]).toEqual([text, value]);
    expect([text, measure(value).shortest <= text.length]).toEqual([text, true]);
  }
  expect(measure({ a: 'b', c: [1, 2.5, null] }).shortest).toBe('{"a":"b","c":[1,2.5,null]}'.length);
  const exponent = fc.tuple(
    fc.integer({ min: -9999, max: 9999 }),
    fc.integer({ min: -30, max: 30 }),
  );
  fc.assert(
    fc.property(exponent, ([digits, power]) => {
      const text = `${digits}e${power}`;
      expect(measure(JSON.parse(text)).shortest).toBeLessThanOrEqual(text.length);
    }),
    { numRuns: 5000 },
  );
});

test('equal items are found in any order of their members', () => {
  expect(duplicateItems([{ a: 1 }, { a: 1, b: 2 }, 3, { b: 2, a: 1 }])).toEqual({ i: 3, j: 1 });
  expect(duplicateItems([1, '1', true, null, [], {}, [[]], 'true'])).toBeUndefined();
  expect(duplicateItems([0, -0])).toEqual({ i: 1, j: 0 });
});

describe('the same content', () => {
  const same = (a: string, b: string): boolean =>
    isSameContent(Buffer.from(`{"n":[${a}]}`), Buffer.from(`{"n":[${b}]}`));

  test.each([
    ['0.1', '0.10'],
    ['0.1', '1e-1'],
    ['1000', '1E+3'],
    ['-0', '0'],
    ['0', '0e999999999999'],
    ['9007199254740993', '9007199254740993.000'],
    ['9007199254740993', '0.9007199254740993e16'],
    ['123456789012345678901234567890', '12345678901234567890123456789e1'],
    ['1e-400', '10e-401'],
    ['"\\u00e9"', '"é"'],
    ['{"a":1,"b":2}', '{ "b": 2.0, "a": 1 }'],
  ])('%s and %s say the same', (a, b) => {
    expect(same(a, b)).toBe(true);
    expect(same(b, a)).toBe(true);
  });

  test.each([
    ['0.1', '0.10000000000000000001'],
    ['9007199254740993', '9007199254740992'],
    ['1', '1.00000000000000000001'],
    ['1e23', '99999999999999991611392'],
    ['0', '1e-400'],
    ['1e-400', '-1e-400'],
    ['5e-324', '4e-324'],
    ['9007199254740993', '"9007199254740993"'],
    ['9007199254740993', '"9007199254740993e0"'],
    ['"0.10000000000000000001"', '"0.1"'],
    ['1', '"1"'],
  ])('%s and %s do not say the same', (a, b) => {
    expect(same(a, b)).toBe(false);
    expect(same(b, a)).toBe(false);
  });

  test('numbers say the same when they are the same decimal', () => {
    const scale = 60n;
    const number = fc.record({
      digits: fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
      power: fc.integer({ min: -20, max: 20 }),
    });
    const value = ({ digits, power }: { digits: bigint; power: number }) =>
      digits * 10n ** (scale + BigInt(power));
    const variant = fc.tuple(number, fc.integer({ min: -1, max: 1 }), fc.nat(3));
    fc.assert(
      fc.property(variant, ([one, difference, zeros]) => {
        const other = {
          digits: one.digits * 10n ** BigInt(zeros) + BigInt(difference),
          power: one.power - zeros,
        };
        const [a, b] = [one, other].map(({ digits, power }) => `${digits}e${power}`) as [
          string,
          string,
        ];
        expect([a, b, same(a, b)]).toEqual([a, b, value(one) === value(other)]);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('the number at a pointer, if a double cannot hold it', () => {
  const long = '12345678901234567890123';
  /** The form in which decimals are compared: digits, and a power of ten. */
  const found = `${long}e0`;

  test.each([
    [`{"n":${long}}`, '/n', found],
    [`{"payload":{"other":1,"n":${long}}}`, '/payload/n', found],
    [`{"payload":{"\\u006e":${long}}}`, '/payload/n', found],
    [`{"n":1,"payload":{"n":${long}}}`, '/payload/n', found],
    [`{"n":${long},"payload":{"n":1}}`, '/payload/n', undefined],
    ['{"payload":{"n":9007199254740991}}', '/payload/n', undefined],
    ['{"payload":{"n":9007199254740993}}', '/payload/n', '9007199254740993e0'],
    [`{"payload":{"other":${long},"n":7}}`, '/payload/n', undefined],
    [`{"payload":{"n":"${long}"}}`, '/payload/n', undefined],
  ])('of %s at %s', (text, pointer, exact) => {
    expect(exactNumberAt(text, pointer)).toBe(exact);
  });
});
