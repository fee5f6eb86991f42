import { readFileSync } from 'node:fs';
import { pages } from '../../scripts/generated-parts.ts';

test.each(Object.entries(pages))('%s says what the code says (npm run generate)', (page, filled) => {
  const text = readFileSync(page, 'utf8');
  expect(filled(text)).toBe(text);
});

test('the README fits 120 lines', () => {
  expect(readFileSync('README.md', 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(120);
});

test.each([
  ['Token URL, each client that uses HTTP Basic', '30 in 5 minutes', '429 `rate.limited`'],
  ['Token URL, each source address', '100 in 5 minutes', '429 `rate.limited`'],
  ['Any route, each source address', '600 a minute', '429 `rate.limited`'],
  [
    'Signed routes of workspaces, all cloud roles together',
    '50 a second, bursts of 100',
    '429 `rate.limited`',
  ],
  ['`/api/skills/library`, all callers together', '10 a second, bursts of 20', '429 `rate.limited`'],
  ['One message', '240,000 bytes', '413 `message.too_large`'],
  ['One ack or nack', '240,000 bytes', '413 `message.too_large`'],
  ['One role verification', '4 KiB', '413 `message.too_large`'],
  ['One check of skill instances', '256 KiB', '400 `skills.unreadable`'],
  ['minimal', '10', '20', '25,000'],
  ['custom, at most', '200', '400', '10,000,000'],
])('the contract tells a caller the limit of "%s"', (...cells) => {
  expect(readFileSync('docs/contract.md', 'utf8')).toContain(`\n| ${cells.join(' | ')} |\n`);
});

test.each(['producing', 'operating'])('the guide to %s leads to the limits', guide => {
  expect(readFileSync(`docs/guides/${guide}.md`, 'utf8')).toContain('../contract.md#limits');
});
