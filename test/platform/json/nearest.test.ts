import fc from 'fast-check';
import { nearest } from '../../../lib/platform/json/nearest.ts';

describe('the nearest candidate', () => {
  const months = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'september'];
  test.each([
    ['janury', 'january'],
    ['febuary', 'february'],
    ['mrach', 'march'],
    ['MAY', 'may'],
    [' june ', 'june'],
    ['jully', 'july'],
    ['jnuuary', 'january'],
    ['septxyzer', 'september'],
    ['fbruaryy', 'february'],
    ['jne', 'june'],
    ['jul', 'july'],
  ])('of %s is %s', (word, month) => {
    expect(nearest(word, months)).toBe(month);
  });

  test.each(['', 'x', 'jn', 'mrahc2', 'jxxe', 'februxyz', 'november', 'mayflower', 'y'.repeat(61)])(
    'of %.10s is none',
    word => {
      expect(nearest(word, months)).toBeUndefined();
    },
  );

  test('is looked for among the first hundred only', () => {
    const many = Array.from({ length: 100 }, () => 'zzzzzzzzzz');
    expect(nearest('march', [...many, 'march'])).toBeUndefined();
  });

  test('is an exact one, or the first of those that are as near', () => {
    expect(nearest('march', ['mirch', 'march'])).toBe('march');
    expect(nearest('mxrch', ['march', 'mirch'])).toBe('march');
  });

  test('is within its tolerance by the plainest definition of the distance', () => {
    const apart = (a: string, b: string): number => {
      if (a === '' || b === '') return a.length + b.length;
      const [a1, b1] = [a.slice(1), b.slice(1)];
      const isSwap = a.length > 1 && a[0] === b[1] && a[1] === b[0];
      return Math.min(
        ...[apart(a1, b) + 1, apart(a, b1) + 1, apart(a1, b1) + (a[0] === b[0] ? 0 : 1)],
        isSwap ? apart(a.slice(2), b.slice(2)) + 1 : Number.POSITIVE_INFINITY,
      );
    };
    const letters = fc.string({ maxLength: 6, unit: fc.constantFrom('a', 'b', 'c') });
    fc.assert(
      fc.property(letters, letters, (word, candidate) => {
        const tolerance = Math.min(word.length, candidate.length) <= 4 ? 1 : 2;
        expect(nearest(word, [candidate]) === candidate).toBe(apart(word, candidate) <= tolerance);
      }),
      { numRuns: 1_000 },
    );
  });
});
