import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';
import { costlyText } from '../support/matching-steps.ts';

const root = join(__dirname, '..', '..');

interface Found {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

const filesIn = (folder: string, name: RegExp): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map(path => join(folder, path))
    .filter(path => name.test(path) && !/\bgenerated\//.test(path));

const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

const isNode = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Every node of a syntax tree. */
function* nodesIn(value: unknown): Generator<Record<string, unknown>> {
  if (!isNode(value)) return;
  yield value;
  for (const inner of Object.values(value)) yield* nodesIn(inner);
}

const sources = ['lib', 'lambdas', 'bin', 'web'].flatMap(folder => filesIn(folder, /\.tsx?$/));

const trees = sources.map(file => {
  const tree = parseSync(textOf(file), { syntax: 'typescript', tsx: file.endsWith('x') });
  return { file, nodes: [...nodesIn(tree)] };
});

const written: readonly Found[] = trees.flatMap(({ file, nodes }) =>
  nodes
    .filter(({ type }) => type === 'RegExpLiteral')
    .map(({ pattern, flags }) => ({ file, source: String(pattern), flags: String(flags) })),
);

const isConstruction = ({ type, callee }: Record<string, unknown>): boolean =>
  (type === 'NewExpression' || type === 'CallExpression') &&
  isNode(callee) &&
  callee['value'] === 'RegExp';

const constructed = trees.flatMap(({ file, nodes }) =>
  nodes.filter(isConstruction).map(() => file),
);

/** What the places make that call RegExp: one of the costliest. */
const examples: readonly Found[] = [
  {
    file: 'lib/checks/judging/executor-judge.ts',
    source: '(?<!\\w)0\\.80*(?![\\w-]|\\.\\w)',
    flags: '',
  },
  {
    file: 'lib/access/trust/principals.ts',
    source: '^arn:(aws[a-z-]*):iam::(\\d{12}):role/(?:[\\x21-\\x7e]{1,510}/)?([\\w+=,.@-]{1,64})$',
    flags: '',
  },
  {
    file: 'lib/access/trust/principals.ts',
    source: '^arn:(aws[a-z-]*):sts::(\\d{12}):assumed-role/([\\w+=,.@-]{1,64})/[\\w+=,.@-]{2,64}$',
    flags: '',
  },
  { file: 'lib/local/engines/iam.ts', source: '^arn:aws:s3:::.*/logs$', flags: 's' },
  {
    file: 'lib/local/engines/iam.ts',
    source: '^(?:arn:[\\w-]+:iam::)?000000000000(?::root)?$',
    flags: '',
  },
  { file: 'lib/skills/story-paths.ts', source: '^[a-z_]+$', flags: 'u' },
  { file: 'web/page/code.ts', source: '[\\u200b-\\u200f]', flags: 'gu' },
  { file: 'web/page/short-lines.ts', source: '[\\u200b-\\u200f]', flags: 'u' },
];

const patternsIn = (file: string): readonly Found[] =>
  [...nodesIn(JSON.parse(textOf(file)))].flatMap(node => {
    const named = isNode(node['patternProperties']) ? Object.keys(node['patternProperties']) : [];
    const own = typeof node['pattern'] === 'string' ? [node['pattern']] : [];
    return [...own, ...named].map(source => ({ file, source, flags: 'u' }));
  });

const schemas = filesIn('schemas', /\.json$/).flatMap(patternsIn);

const raw = /(?:(\w+) = )?\bre\.compile\(r(?:"([^"]*)"|'([^']*)')/g;

const searching = ['finditer', 'findall', 'search', 'sub', 'split'];

/** Python's `match` and `fullmatch` begin at one place, `finditer` and its kin at each. */
const python: readonly Found[] = filesIn('clients/python/src', /\.py$/).flatMap(file =>
  [...textOf(file).matchAll(raw)].map(([, name, double, single]) => ({
    file,
    source: String(double ?? single),
    flags: searching.some(call => textOf(file).includes(`${name}.${call}(`)) ? 'g' : 'y',
  })),
);

const pythonCalls = filesIn('clients/python/src', /\.py$/).flatMap(file => [
  ...textOf(file).matchAll(/\bre\.(?!compile\(r|IGNORECASE|ASCII|DOTALL)\w+/g),
]);

/** They see no text of others, or only a short one. */
const bounded: Readonly<Record<string, string>> = {
  'lib/kit/client/bus-url.ts /\\/+$/': 'the URL that its user gives',
  'lib/cli/deployment/aws-people.ts /^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$/':
    'an address that the operator types',
  'lib/contract/limits.ts /\\B(?=(?:\\d{3})+$)/g': 'the digits of a number',
  'lib/som/messages/schema-violations.ts /^Found "(.*)"; expected one of (.*)\\.$/':
    'a sentence of the bus, which quotes 40 characters at most',
  'lib/access/trust/identity-providers.ts /\\/+$/': 'an issuer of at most 512 characters',
  'lib/kit/newsroom/story.ts /^\\{(\\w+) ?(.*)\\}$/':
    'the stories of the demo, which are in the package',
};

const nameOf = ({ file, source, flags }: Found): string => `${file} /${source}/${flags}`;

const all = [...written, ...examples, ...schemas, ...python];

test('it finds the expressions of all parts', () => {
  expect(written.length).toBeGreaterThan(200);
  expect(schemas.length).toBeGreaterThan(5);
  expect(python.length).toBeGreaterThan(4);
});

test('each place that builds an expression has an example here', () => {
  expect(examples.map(({ file }) => file).sort()).toEqual([...constructed].sort());
});

test('the Python client compiles its expressions from raw literals', () => {
  expect(pythonCalls.map(([call]) => call)).toEqual([]);
});

test('no expression takes more than linear steps on a text of somebody else', () => {
  const costs = new Map<string, string | undefined>();
  const costly = all.flatMap(found => {
    const key = `/${found.source}/${found.flags}`;
    if (!costs.has(key)) costs.set(key, costlyText(found.source, found.flags));
    const text = costs.get(key);
    return text === undefined ? [] : [nameOf(found)];
  });
  expect([...new Set(costly)].sort()).toEqual(Object.keys(bounded).sort());
});

test.each([
  ['(?<=^\\s*):(?=:)', 'g'],
  ['\\s+$', ''],
  ['(a|a)*b', ''],
  ['"(?:[^"\\\\]|\\\\.)*"', 'g'],
])('the steps of /%s/%s are seen to grow too fast', (source, flags) => {
  expect(costlyText(source, flags)).toBeDefined();
});

test.each([
  ['^\\s*$', ''],
  ['"(?:[^"\\\\]|\\\\.)*"?', 'g'],
  ['[\\ud800-\\udbff]$', ''],
])('those of /%s/%s are linear', (source, flags) => {
  expect(costlyText(source, flags)).toBeUndefined();
});
