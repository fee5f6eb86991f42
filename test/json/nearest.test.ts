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
    ['jnuuary', 'january'],
    ['fbruaryy', 'february'],
    ['jne', 'june'],
    ['jul', 'july'],
  ])('of %s is %s', (word, month) => {
    expect(nearest(word, months)).toBe(month);
  });

  test.each(['', 'x', 'jn', 'mrahc2', 'november', 'mayflower', 'y'.repeat(61)])('of %.10s is none', word => {
    expect(nearest(word, months)).toBeUndefined();
  });

  test('is looked for among the first hundred only', () => {
    const many = Array.from({ length: 100 }, () => 'zzzzzzzzzz');
    expect(nearest('march', [...many, 'march'])).toBeUndefined();
  });
});
