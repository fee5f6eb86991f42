import { readFileSync } from 'node:fs';
import { pages } from '../../scripts/generated-parts.ts';

test.each(Object.entries(pages))(
  '%s says what the code says (npm run generate)',
  (page, filled) => {
    const text = readFileSync(page, 'utf8');
    expect(filled(text)).toBe(text);
  },
);

test('the README fits 120 lines', () => {
  expect(readFileSync('README.md', 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(120);
});
