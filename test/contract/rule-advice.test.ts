import { readFileSync } from 'node:fs';
import { schemaNames } from '../../lib/contract/message-types.ts';
import { ruleAdvice, schemaFailureAdvice } from '../../lib/contract/rule-advice.ts';
import { rules } from '../../lib/contract/rules.ts';

const advices = Object.entries(ruleAdvice);

test('every rule has its own advice', () => {
  expect(advices.map(([rule]) => rule).sort()).toEqual(Object.keys(rules).sort());
  expect(new Set(advices.map(([, advice]) => advice)).size).toBe(advices.length);
});

test.each(advices)(
  '%s: the advice is one or two sentences, on its page and in the contract',
  (rule, advice) => {
    expect(advice).toMatch(/^[A-Z].*\.$/);
    expect(advice.split(/[.?!] /).length).toBeLessThanOrEqual(2);
    expect(readFileSync(`docs/rules/${rule}.md`, 'utf8')).toContain(`**What to do.** ${advice}`);
    expect(readFileSync('docs/contract.md', 'utf8')).toContain(`| ${advice} |`);
  },
);

test.each(schemaNames)('%s.*: the page says what to do', name => {
  expect(readFileSync(`docs/rules/${name}.md`, 'utf8')).toContain(schemaFailureAdvice);
});

test('the index of the rules says, as the contract does, that the first check that fails answers', () => {
  const index = readFileSync('docs/rules/README.md', 'utf8').replaceAll('\n', ' ');
  expect(index).not.toContain('names all that apply');
  expect(index).toContain('the first check that fails reports everything it found');
  expect(readFileSync('docs/contract.md', 'utf8')).toContain(
    'the first check that fails reports everything it found',
  );
});
