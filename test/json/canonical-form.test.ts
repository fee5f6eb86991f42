import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { canonicalForm, duplicateItems } from '../../lib/json/canonical-form.ts';

const reference = (value: unknown) => canonicalize(value);

test('the example of RFC 8785 section 3.2.2 has the form the RFC gives', () => {
  const text = String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`;
  expect(canonicalForm(JSON.parse(text)).text).toBe(
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  );
});

test('members are sorted by UTF-16 code units (RFC 8785 section 3.2.3)', () => {
  const names = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude02', '\u0080', '\u00f6'];
  const value = Object.fromEntries(names.map(name => [name, 0]));
  const sorted = Object.keys(JSON.parse(canonicalForm(value).text.replace('"1":0', '"\u0031x":0')));
  expect(sorted).toEqual(['\r', '1x', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude02', '\ufb33']);
});

test('any JSON value has the form that the canonicalize package gives it', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), value => {
      const parsed: unknown = JSON.parse(JSON.stringify(value));
      const text = JSON.stringify(parsed);
      expect(canonicalForm(parsed, { unescaped: !text.includes('\\') }).text).toBe(reference(parsed));
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
  expect(canonicalForm([...objects, ...objects]).text).toBe(reference([...objects, ...objects]));
});

test('it counts members, and detects infinite numbers and nesting beyond 64', () => {
  expect(canonicalForm([{ a: { b: 1 } }, { c: [{}] }])).toMatchObject({ members: 3, sound: true });
  expect(canonicalForm({ a: [Number.POSITIVE_INFINITY] }).sound).toBe(false);
  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
  expect([canonicalForm(nested(64)).sound, canonicalForm(nested(65)).sound]).toEqual([true, false]);
});

test('no JSON text of a value is shorter than its lower bound', () => {
  const forms: [string, unknown][] = [
    ['1e3', 1000],
    ['12e9', 12e9],
    ['1e-3', 0.001],
    ['-1e-3', -0.001],
    ['125e-9', 1.25e-7],
    ['1e21', 1e21],
    ['5e-2', 0.05],
    ['12e2', 1200],
    ['1e2', 100],
    ['12.5', 12.5],
    ['-0', -0],
    ['1e-99', 1e-99],
    ['"\\n\u007f"', '\n\u007f'],
    ['"\\u0001"', '\u0001'],
    ['{"a":[1e5,1]}', { a: [100000, 1] }],
  ];
  for (const [text, value] of forms) {
    expect([text, JSON.parse(text)]).toEqual([text, value]);
    expect([text, canonicalForm(value).shortest <= text.length]).toEqual([text, true]);
  }
  expect(canonicalForm({ a: 'b', c: [1, 2.5, null] }).shortest).toBe('{"a":"b","c":[1,2.5,null]}'.length);
  const exponent = fc.tuple(fc.integer({ min: -9999, max: 9999 }), fc.integer({ min: -30, max: 30 }));
  fc.assert(
    fc.property(exponent, ([digits, power]) => {
      const text = `${digits}e${power}`;
      expect(canonicalForm(JSON.parse(text)).shortest).toBeLessThanOrEqual(text.length);
    }),
    { numRuns: 5000 },
  );
});

test('equal items are found in any order of their members', () => {
  expect(duplicateItems([{ a: 1 }, { a: 1, b: 2 }, 3, { b: 2, a: 1 }])).toEqual({ i: 3, j: 1 });
  expect(duplicateItems([1, '1', true, null, [], {}, [[]], 'true'])).toBeUndefined();
  expect(duplicateItems([0, -0])).toEqual({ i: 1, j: 0 });
});
