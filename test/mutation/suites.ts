import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const folders = ['bin', 'lambdas', 'lib', 'scripts', 'test'];

/** What tools installed is not ours, and what was generated is made of what is. */
const isOurs = (path: string): boolean =>
  /(?<!\.d)\.ts$/.test(path) && !/node_modules|\/\.|generated/.test(path);

const sources = (root: string): readonly string[] =>
  folders
    .flatMap(folder =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
        name => `${folder}/${name}`,
      ),
    )
    .filter(isOurs);

const importing = /^(?:import|export)(?! type\b)[^'"]*?from '(\.[^']+)'|import\('(\.[^']+)'\)/gm;

/** Programs that suites start by a path of their own bring the whole command line. */
const program = /support\/service-process|dist\/sombus/;

const importsOf = (root: string, path: string): readonly string[] => {
  const text = readFileSync(join(root, path), 'utf8');
  const named = [...text.matchAll(importing)].map(([, from, lazily]) => from ?? lazily ?? '');
  const found = named
    .map(name => join(dirname(path), name))
    .filter(name => existsSync(join(root, name)));
  return program.test(text) && path.startsWith('test/') ? [...found, 'lib/cli/main.ts'] : found;
};

/** Who imports a file, by its path. */
type Importers = ReadonlyMap<string, readonly string[]>;

export const importersIn = (root: string): Importers => {
  const importers = new Map<string, string[]>();
  for (const path of sources(root))
    for (const imported of importsOf(root, path))
      importers.set(imported, [...(importers.get(imported) ?? []), path]);
  return importers;
};

const isSuite = (path: string): boolean => path.endsWith('.test.ts');

/**
 * They take half a minute and more, and tell little that others do not: they are asked when there
 * are no others.
 */
const slow = new Set([
  'test/checks/other-types.test.ts',
  'test/checks/planted-fault.test.ts',
  'test/checks/run.test.ts',
  'test/portal/access.test.ts',
  'test/portal/hostile-calls.test.ts',
  'test/portal/lists.test.ts',
  'test/portal/queue-front.test.ts',
  'test/portal/stopped.test.ts',
  'test/simulation/pacing.test.ts',
  'test/simulation/planted-bugs.test.ts',
  'test/web/portal.test.ts',
]);

/** How far a suite is from a file: that of its name, of its room, of its wing, another, or slow. */
const distance = (suite: string, path: string): number => {
  const mirrored = path.replace(/^lib/, 'test');
  const wing = path.split('/')[1] ?? '';
  if (suite === mirrored.replace(/\.ts$/, '.test.ts')) return 0;
  if (slow.has(suite)) return 4;
  if (dirname(suite) === dirname(mirrored)) return 1;
  return suite.startsWith(`test/${wing}/`) ? 2 : 3;
};

/**
 * The suites that import a file, directly or through others: those of its own name and room first,
 * and of these the ones with the fewest files between.
 */
export const suitesOf = (importers: Importers, path: string): readonly string[] => {
  const found: string[] = [];
  const seen = new Set([path]);
  let ring: readonly string[] = [path];
  while (ring.length > 0) {
    ring = ring
      .flatMap(one => importers.get(one) ?? [])
      .filter(one => {
        const isNew = !seen.has(one);
        seen.add(one);
        return isNew;
      });
    found.push(...ring.filter(isSuite));
  }
  return found.toSorted((one, other) => distance(one, path) - distance(other, path));
};
