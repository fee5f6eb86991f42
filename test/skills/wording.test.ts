import { describeValue, listing } from '../../lib/platform/json/submitted.ts';

test('a value inside a sentence is on one line, short, and never cut through a character', () => {
  expect(describeValue('a"b\n')).toBe('"a\\"b\\n"');
  expect(describeValue('a'.repeat(60))).toBe(`"${'a'.repeat(60)}"`);
  expect(describeValue('a'.repeat(61))).toBe(`"${'a'.repeat(60)}…"`);
  expect(describeValue(`${'a'.repeat(59)}😀`)).toBe(`"${'a'.repeat(59)}…"`);
  expect(listing([`${'a'.repeat(58)}😀😀`])).toBe(`"${'a'.repeat(58)}😀…"`);
});
