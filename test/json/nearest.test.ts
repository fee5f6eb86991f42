import fc from 'fast-check';
import { nearest } from '../../lib/json/nearest.ts';

describe('the nearest candidate', () => {
  const months = ['january', 'february', 'march', 'april', 'may', 'june', 'july'];
  test.each([
    ['janury', 'january'],
    ['febuary', 'february'],
    ['mrach', 'march'],
    ['MAY', 'may'],
    [' june ', 'june'],
    ['jully', 'july'],
  ])('of %s is %s', (word, month) => {
    expect(nearest(word, months)).toBe(month);
  });

  test.each(['', 'x', 'november', 'mayflower', 'y'.repeat(61)])('of %.10s is none', word => {
    expect(nearest(word, months)).toBeUndefined();
  });

  test('is looked for among the first hundred only', () => {
    const many = Array.from({ length: 100 }, () => 'zzzzzzzzzz');
    expect(nearest('march', [...many, 'march'])).toBeUndefined();
  });
});

describe('the distance behind it', () => {
  /** The textbook table, without bounds. */
  const distance = (a: string, b: string): number => {
    const table = Array.from({ length: a.length + 1 }, (_, row) =>
      Array.from({ length: b.length + 1 }, (_, column) => (row === 0 ? column : column === 0 ? row : 0)),
    );
    const at = (row: number, column: number): number => table[row]?.[column] ?? 0;
    for (let row = 1; row <= a.length; row++) {
      for (let column = 1; column <= b.length; column++) {
        const same = a[row - 1] === b[column - 1] ? 0 : 1;
        const swap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
        const cell = Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + same,
        );
        (table[row] ?? [])[column] = swap ? Math.min(cell, at(row - 2, column - 2) + 1) : cell;
      }
    }
    return at(a.length, b.length);
  };
  const letters = fc.string({ maxLength: 12, unit: fc.constantFrom('a', 'b', 'c') });

  test('finds the first of the closest candidates within the tolerance, as a plain table does', () => {
    fc.assert(
      fc.property(letters, fc.array(letters, { maxLength: 4 }), (word, candidates) => {
        const near = candidates
          .map(candidate => ({
            candidate,
            apart: distance(word, candidate),
            shorter: Math.min(word.length, candidate.length),
          }))
          .filter(({ apart, shorter }) => apart <= (shorter <= 4 ? 1 : shorter <= 8 ? 2 : 3));
        const min = Math.min(...near.map(({ apart }) => apart));
        expect(nearest(word, candidates)).toBe(near.find(({ apart }) => apart === min)?.candidate);
      }),
      { numRuns: 3_000 },
    );
  });
});
