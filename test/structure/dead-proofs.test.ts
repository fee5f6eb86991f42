import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { parseSync } from '@swc/core';

// What asserts nothing at all fails by test/support/has-assertions.cjs. This is about what asserts
// only if there is something.

/** A node of swc's syntax tree: its members differ by type. */
type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

const inner = (node: Node): readonly Node[] =>
  Object.values(node)
    .flatMap(value => (Array.isArray(value) ? value : [value]))
    .filter(isNode);

const nodesIn = (root: Node): readonly Node[] => {
  const nodes = [root];
  // The list grows while it is walked.
  for (const node of nodes) nodes.push(...inner(node));
  return nodes;
};

const isCallOf = (names: RegExp) => (node: Node) => {
  const { type, callee } = node;
  return type === 'CallExpression' && isNode(callee) && names.test(String(callee['value']));
};

const holds = (node: unknown, is: (one: Node) => boolean): boolean =>
  isNode(node) && nodesIn(node).some(is);

/** `text.matchAll(…)` and `list.filter(…)`: they may give nothing. */
const maybeNothing = ({ type, callee }: Node): boolean => {
  if (type !== 'CallExpression' || !isNode(callee) || callee['type'] !== 'MemberExpression')
    return false;
  const { property } = callee;
  return isNode(property) && ['filter', 'matchAll'].includes(String(property['value']));
};

const asserts = isCallOf(/^expect/);
const defines = isCallOf(/^(?:describe|it|test)$/);

const isLoopOverMaybeNothing = ({ type, right, body }: Node): boolean =>
  type === 'ForOfStatement' && isNode(right) && maybeNothing(right) && holds(body, asserts);

const isConditionalSuite = ({ type, consequent }: Node): boolean =>
  type === 'IfStatement' && holds(consequent, defines);

const returns = (node: unknown): boolean => {
  if (!isNode(node)) return false;
  if (node['type'] === 'ReturnStatement') return true;
  return (
    node['type'] === 'BlockStatement' && inner(node).some(({ type }) => type === 'ReturnStatement')
  );
};

/** A test whose own statements may end it. */
const mayEndEarly = (node: Node): boolean => {
  if (!isCallOf(/^(?:it|test)$/)(node)) return false;
  return inner(node)
    .flatMap(({ expression }) =>
      isNode(expression) && isNode(expression['body']) ? [expression['body']] : [],
    )
    .flatMap(inner)
    .some(({ type, consequent }) => type === 'IfStatement' && returns(consequent));
};

const tests = join(__dirname, '..');

const suites = readdirSync(tests, { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.test.ts'))
  .filter(path => path.split(sep).every(part => part !== 'node_modules' && !part.startsWith('.')))
  .map(path => {
    const tree = parseSync(readFileSync(join(tests, path), 'utf8'), { syntax: 'typescript' });
    return [path, nodesIn(tree as unknown as Node)] as const;
  });

const found = (is: (node: Node) => boolean): readonly string[] =>
  suites.filter(([, nodes]) => nodes.some(is)).map(([path]) => path);

describe('a proof that can die in silence', () => {
  test('is looked for in every suite', () => {
    expect(suites.length).toBeGreaterThan(200);
    expect(found(asserts).length).toBeGreaterThan(200);
  });

  test('a loop over what may be nothing asserts nothing: name the list, and say how long it is', () => {
    expect(found(isLoopOverMaybeNothing)).toEqual([]);
  });

  test('a suite behind an `if` is not missed by anybody: skip it, with a notice in its title', () => {
    expect(found(isConditionalSuite)).toEqual([]);
  });

  test('a test that returns before its end proves the rest by luck', () => {
    expect(found(mayEndEarly)).toEqual([]);
  });
});
