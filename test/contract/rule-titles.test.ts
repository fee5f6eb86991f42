import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rules } from '../../lib/contract/rules.ts';

const testFiles = (): string[] =>
  readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.test.ts'))
    .map(name => join('test', name));

// The first words of a title: test('…', it("…", test.each(…)(`…`, and test(`…` on a line of its
// own.
const title = /(?:\b(?:test|it)(?:\.[a-z]+)*|\))\(\s*['"`]([a-z0-9_-]+(?:\.[a-z0-9_-]+)+):? /g;

const titledRules = (): ReadonlySet<string> =>
  new Set(
    testFiles().flatMap(file =>
      [...readFileSync(file, 'utf8').matchAll(title)].map(match => match[1] ?? ''),
    ),
  );

test('every rule id of the catalogue has a test whose title starts with it', () => {
  const titled = titledRules();
  expect(Object.keys(rules).filter(id => !titled.has(id))).toEqual([]);
});

test('every title that starts like a rule id names one of the catalogue', () => {
  const groupOf = (id: string) => id.slice(0, id.indexOf('.'));
  const groups = new Set(Object.keys(rules).map(groupOf));
  expect([...titledRules()].filter(id => groups.has(groupOf(id)) && !(id in rules))).toEqual([]);
});
