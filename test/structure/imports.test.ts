import { readFileSync } from 'node:fs';
import { circles, groupedGraph, importGraph, readSources } from '../../scripts/import-graph.ts';

const sources = readSources('.', ['lib', 'lambdas', 'bin']);

/** `lib/tokens/jws.ts` → `tokens`; `lambdas/publish.ts` → `lambdas`; undefined for packages and generated files. */
const folderOf = (path: string): string | undefined =>
  /^lib\/(?!generated)([^/]+)\//.exec(path)?.[1] ?? /^(lambdas|bin)\//.exec(path)?.[1];

/** The table of CONTRIBUTING.md is the rule: a folder and what it may import, itself apart. */
const [, table = ''] = readFileSync('CONTRIBUTING.md', 'utf8').split('| Folder | May import |\n');
const rows = [...(table.split('\n\n')[0] ?? '').matchAll(/^\| (`[^|]*`) \| ([^|]*) \|$/gm)];
const quoted = (cell = ''): readonly string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
const allowed = new Map(
  rows.flatMap(([, folders, targets]) => quoted(folders).map(folder => [folder, quoted(targets)] as const)),
);

const edges = sources.flatMap(({ path, imports }) =>
  imports.map(({ target }) => ({ path, target, from: folderOf(path), to: folderOf(target) })),
);
const shown = ({ path, target }: { readonly path: string; readonly target: string }) =>
  `${path} imports ${target}`;

test('every folder of the code has a row in CONTRIBUTING.md, and every row a folder', () => {
  const folders = new Set(sources.map(({ path }) => folderOf(path)));
  expect([...folders].sort()).toEqual([...allowed.keys()].sort());
});

test('a folder imports only what CONTRIBUTING.md allows', () => {
  const isAllowed = (from = '', to = '') => from === to || allowed.get(from)?.includes(to);
  const forbidden = edges.filter(({ from, to }) => to !== undefined && !isAllowed(from, to));
  expect(forbidden.map(shown)).toEqual([]);
});

test('CONTRIBUTING.md allows nothing that no file does', () => {
  const used = new Set(edges.map(({ from, to }) => `${from} ${to}`));
  const unused = [...allowed].flatMap(([from, targets]) => targets.filter(to => !used.has(`${from} ${to}`)));
  expect(unused).toEqual([]);
});

test('capabilities form no circle, types included', () => {
  const graph = importGraph(sources, { types: true });
  expect(circles(groupedGraph(graph, path => folderOf(path) ?? path))).toEqual([]);
});

test('lib never imports lambdas', () => {
  const forbidden = edges.filter(({ path, to }) => path.startsWith('lib/') && to === 'lambdas');
  expect(forbidden.map(shown)).toEqual([]);
});

const roleOf = (path: string): string | undefined => /\.([a-z0-9]+)\.ts$/.exec(path)?.[1];

/** Who may know what an edge is made of, by suffix and by folder. */
const roles: readonly {
  readonly what: string;
  readonly is: (target: string) => boolean;
  readonly suffixes: readonly string[];
  readonly folders: readonly string[];
}[] = [
  {
    what: 'the AWS SDK',
    is: target => target.startsWith('@aws-sdk/'),
    suffixes: ['dynamodb', 'sqs', 'kms', 'apigateway', 'cloudwatch', 'wafv2'],
    folders: ['aws', 'wiring', 'local', 'cli', 'testing'],
  },
  {
    what: 'an adapter of AWS',
    is: target => /\.(dynamodb|sqs|kms|apigateway|cloudwatch|wafv2)\.ts$/.test(target),
    suffixes: ['dynamodb', 'sqs', 'kms', 'apigateway', 'cloudwatch', 'wafv2'],
    folders: ['wiring', 'local', 'cli'],
  },
  {
    what: 'requests and answers',
    is: target => target.startsWith('lib/http/') || target.endsWith('.http.ts'),
    suffixes: ['http'],
    folders: ['http', 'wiring', 'local', 'lambdas'],
  },
  {
    what: 'files, sockets and processes',
    is: target => /^node:(fs|net|https?|dns|child_process)(\/|$)/.test(target),
    suffixes: ['fetch', 'file'],
    folders: ['engines', 'local', 'cli', 'infra', 'testing'],
  },
];

test.each(roles)('only these suffixes and folders know $what', ({ is, suffixes, folders }) => {
  const knows = (path: string) =>
    suffixes.includes(roleOf(path) ?? '') ||
    folders.includes(folderOf(path) ?? '') ||
    // Its BlockList of node:net computes, and opens no connection.
    path === 'lib/registry/public-addresses.ts';
  expect(edges.filter(({ path, target }) => is(target) && !knows(path)).map(shown)).toEqual([]);
});

test('a suffix names a role that the rules know', () => {
  const known = [...new Set(roles.flatMap(({ suffixes }) => suffixes))];
  const found = sources.flatMap(({ path }) => roleOf(path) ?? []);
  expect([...new Set(found)].sort()).toEqual(known.sort());
});
