import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path/posix';
import { itemKinds, withItems, writersOfItems } from '../../scripts/stored-items.ts';
import { defaultDeployment } from '../infra/support/stacks.ts';

const page = readFileSync('docs/architecture.md', 'utf8');
const deployment = defaultDeployment();
const kinds = Object.entries(itemKinds).flatMap(([table, items]) =>
  Object.entries(items).map(([key, { file }]) => ({ table, key, file })),
);

/** What stands between a heading and the next one. */
const section = (heading: string): string =>
  page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';

test('the table of items is what the templates say (npm run generate)', () => {
  expect(withItems(page, deployment)).toBe(page);
});

test('every item that a function may touch has words, and nothing else has', () => {
  const named = kinds.map(({ table, key }) => `${table} ${key}`);
  expect(named.sort()).toEqual([...writersOfItems(deployment).keys()].sort());
});

test('alerts are written by the portal and by the job that watches them', () => {
  expect(writersOfItems(deployment).get('registry ALERTS')).toEqual(
    new Set(['alerts', 'portal-call']),
  );
});

test.each(kinds)('$file makes the keys $key of the $table', ({ key, file }) => {
  expect(readFileSync(file, 'utf8')).toContain(key);
});

const records = readdirSync('docs/decisions').filter(name => name !== 'README.md');

/** Where the links of a page lead, from the project's folder, without those to other hosts. */
const targetsIn = (path: string): readonly string[] =>
  [...readFileSync(path, 'utf8').matchAll(/\]\(([^)#\s]+)/g)]
    .map(([, href = '']) => href)
    .filter(href => !href.startsWith('https://'))
    .map(href => join(path, '..', href));

test.each([
  'docs/architecture.md',
  ...readdirSync('docs/decisions').map(name => `docs/decisions/${name}`),
  'CONTRIBUTING.md',
])('every link of %s leads to a file', path => {
  expect(targetsIn(path).filter(target => !existsSync(target))).toEqual([]);
});

test('every file and folder that the page and the records name is there', () => {
  const texts = [page, ...records.map(name => readFileSync(`docs/decisions/${name}`, 'utf8'))];
  const named = texts.flatMap(text =>
    [...text.matchAll(/`((?:lib|web|test|lambdas|skills|checks)\/[\w./-]+)`/g)].map(
      ([, path = '']) => path,
    ),
  );
  expect(named.length).toBeGreaterThan(10);
  const isThere = (path: string): boolean => existsSync(path) || existsSync(`${path}.test.ts`);
  expect(named.filter(path => !isThere(path))).toEqual([]);
});

test('each record says the situation, the decision and what follows; the list has them all', () => {
  const list = targetsIn('docs/decisions/README.md').map(path => path.split('/').at(-1));
  expect(list.sort()).toEqual([...records].sort());
  const parts = records.map(name =>
    readFileSync(`docs/decisions/${name}`, 'utf8').match(/^\*\*\w+\.\*\*/gm),
  );
  expect(parts).toEqual(records.map(() => ['**Context.**', '**Decision.**', '**Consequences.**']));
});

interface Cruised {
  readonly forbidden: readonly {
    readonly name: string;
    readonly from: { readonly path?: string };
    readonly to: { readonly pathNot?: string };
  }[];
}

test('in the picture, every wing stands above what it may import', () => {
  const rules: Cruised = jest.requireActual('../../.dependency-cruiser.cjs');
  const [, picture = ''] = section('The wings').split('```');
  const wings = readdirSync('lib').filter(name => name !== 'generated');
  /** The line on which a wing stands, from above; its first word there is a name. */
  const lineOf = new Map(
    picture
      .split('\n')
      .flatMap((line, at) =>
        wings.filter(wing => namesIn(line).includes(wing)).map(wing => [wing, at]),
      ),
  );
  expect([...lineOf.keys()].sort()).toEqual(wings.sort());
  const upward = rules.forbidden.flatMap(({ name, from, to }) => {
    const [, wing = ''] = /^\^lib\/(\w+)\/$/.exec(from.path ?? '') ?? [];
    if (!name.endsWith('-imports-what-it-may') || !wings.includes(wing)) return [];
    const imported = wings.filter(other => new RegExp(to.pathNot ?? '').test(`lib/${other}/`));
    return imported
      .filter(other => other !== wing && (lineOf.get(wing) ?? 0) >= (lineOf.get(other) ?? 0))
      .map(other => `${wing} -> ${other}`);
  });
  expect(upward).toEqual([]);
});

/** The wings' names on a line of the picture: what stands in its third column, before any words. */
const namesIn = (line: string): readonly string[] =>
  line.slice(16, 42).split('◀──')[0]?.trim().split(/\s+/) ?? [];

test('the glossary has at most forty words', () => {
  const words = section('Words').match(/^\| (?!Word|---)/gm) ?? [];
  expect(words.length).toBeGreaterThan(20);
  expect(words.length).toBeLessThanOrEqual(40);
});
