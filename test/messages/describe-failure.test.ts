import { describeFailure } from '../../lib/messages/schema-violations.ts';

const wordsOf = (keyword: string, params: Record<string, unknown>, value: unknown = 'x'): string =>
  describeFailure({ failure: { instancePath: '/member', keyword, params } }, { member: value });

test('a text of 300 characters is whole, and one of 301 ends in an ellipsis', () => {
  const start = 'Found "x"; expected one of .'.length;
  const whole = wordsOf('enum', { allowedValues: ['v'.repeat(300 - start)] });
  expect(whole).toBe(`Found "x"; expected one of ${'v'.repeat(300 - start)}.`);
  expect(whole).toHaveLength(300);
  const cut = wordsOf('enum', { allowedValues: ['v'.repeat(301 - start)] });
  expect(cut).toBe(`Found "x"; expected one of ${'v'.repeat(300 - start)}…`);
  expect(cut).toHaveLength(300);
});

test('a value of 40 characters is shown whole, and one of 41 is cut', () => {
  expect(wordsOf('type', { type: 'number' }, 'a'.repeat(40))).toBe(
    `Found "${'a'.repeat(40)}"; expected number.`,
  );
  expect(wordsOf('type', { type: 'number' }, 'a'.repeat(41))).toBe(
    `Found "${'a'.repeat(40)}…"; expected number.`,
  );
  expect(wordsOf('additionalProperties', { additionalProperty: 'b'.repeat(41) })).toContain(
    `"${'b'.repeat(40)}…"`,
  );
  expect(wordsOf('additionalProperties', { additionalProperty: 'b'.repeat(40) })).toContain(
    `"${'b'.repeat(40)}"`,
  );
});

test.each([
  ['minimum', { limit: 0 }, 'Found "x"; expected 0 or more.'],
  ['maximum', { limit: 1 }, 'Found "x"; expected 1 or less.'],
  ['minLength', { limit: 1 }, 'Found "x"; expected 1 or more characters.'],
  ['maxLength', { limit: 280 }, 'Found "x"; expected 280 or fewer characters.'],
  ['const', { allowedValue: 'committed' }, 'Found "x"; expected "committed".'],
  ['type', { type: ['string', 'null'] }, 'Found "x"; expected string, null.'],
  ['uniqueItems', { i: 2, j: 0 }, 'Items 0 and 2 are equal; keep one of them.'],
  ['format', { format: 'ipv4' }, 'Found "x"; expected ipv4.'],
  ['pattern', { pattern: '^a$' }, 'Found "x"; expected text like ^a$.'],
  ['multipleOf', {}, 'This violates the schema\'s "multipleOf".'],
])('%s in words', (keyword, params, words) => {
  expect(wordsOf(keyword, params)).toBe(words);
});
