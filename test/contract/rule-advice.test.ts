import { readFileSync } from 'node:fs';
import { limits } from '../../lib/contract/limits.ts';
import { schemaNames } from '../../lib/contract/message-types.ts';
import advice from '../../lib/contract/rule-advice.json';
import { rules } from '../../lib/contract/rules.ts';

const advices = Object.entries(advice.rules);

test('every rule has its own advice', () => {
  expect(advices.map(([rule]) => rule)).toEqual(expect.arrayContaining(Object.keys(rules)));
  expect(advices).toHaveLength(Object.keys(rules).length);
  expect(new Set(advices.map(([, text]) => text)).size).toBe(advices.length);
});

test.each(advices)(
  '%s: the advice is one or two sentences, on its page and in the contract',
  (rule, text) => {
    expect(text).toMatch(/^[A-Z].*\.$/);
    expect(text.split(/[.?!] /).length).toBeLessThanOrEqual(2);
    expect(readFileSync(`docs/rules/${rule}.md`, 'utf8')).toContain(`**What to do.** ${text}`);
    expect(readFileSync('docs/contract.md', 'utf8')).toContain(`| ${text} |`);
  },
);

test('the numbers in the advice are those of the limits', () => {
  const { min, max } = limits.receiptHandles;
  expect(advice.rules['pull.invalid_body']).toContain(` ${min} to ${max} handles`);
  const minutes = limits.challengeSeconds / 60;
  expect(advice.rules['principal.challenge_invalid']).toContain(` ${minutes} minutes`);
  expect(advice.schemaFailure).toContain(` ${limits.violationsReported} failures`);
});

test.each(schemaNames)('%s.*: the page says what to do', name => {
  expect(readFileSync(`docs/rules/${name}.md`, 'utf8')).toContain(advice.schemaFailure);
});

test.each(['docs/rules/README.md', 'docs/contract.md'])(
  '%s says that the first check that fails answers',
  page => {
    expect(readFileSync(page, 'utf8').replaceAll('\n', ' ')).toContain(
      'the first check that fails reports everything it found',
    );
  },
);
