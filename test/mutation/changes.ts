import { createHash } from 'node:crypto';
import { parseSync } from '@swc/core';

/** A single change of the code, as a tired person may make it. */
export interface Change {
  readonly path: string;
  readonly line: number;
  readonly kind: string;
  /** Where it is, in bytes. */
  readonly start: number;
  readonly end: number;
  readonly from: string;
  readonly to: string;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

type Replacement = Range & { readonly kind: string; readonly to: string };

/** A node of swc's syntax tree: its members differ by type, and are read as what they are. */
type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;
const typeOf = (node: unknown): string => (isNode(node) ? String(node['type']) : '');
const nodes = (value: unknown): readonly Node[] =>
  Array.isArray(value) ? value.filter(isNode) : [];

/** Some nodes have no place of their own: it is that of what they consist of. */
const rangeOf = (node: Node): Range => {
  const own = node['span'];
  if (isNode(own)) return { start: Number(own['start']) - 1, end: Number(own['end']) - 1 };
  const inner = Object.values(node).flatMap((value): readonly Range[] => {
    if (!isNode(value)) return [];
    if (typeof value['start'] !== 'number') return [rangeOf(value)];
    return [{ start: Number(value['start']) - 1, end: Number(value['end']) - 1 }];
  });
  const start = Math.min(...inner.map(range => range.start));
  const end = Math.max(...inner.map(range => range.end));
  return { start, end };
};

type Text = (node: unknown) => string;

const edges: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const opposites: Readonly<Record<string, string>> = { '===': '!==', '!==': '===' };

const ofBinary = (node: Node, text: Text): readonly Replacement[] => {
  const { operator, left, right } = node;
  const range = rangeOf(node);
  const put = (kind: string, to: string) => ({ ...range, kind, to });
  const edge = edges[String(operator)];
  if (edge !== undefined) return [put('edge', `${text(left)} ${edge} ${text(right)}`)];
  const opposite = opposites[String(operator)];
  if (opposite !== undefined) return [put('opposite', `${text(left)} ${opposite} ${text(right)}`)];
  if (operator === '+') return [put('sign', `${text(left)} - ${text(right)}`)];
  if (operator === '-') return [put('sign', `${text(left)} + ${text(right)}`)];
  if (operator !== '&&' && operator !== '||') return [];
  return [put('conjunct', text(left)), put('conjunct', text(right))];
};

const ofIf = (node: Node, text: Text): readonly Replacement[] => {
  const { test, consequent, alternate } = node;
  const never = { ...rangeOf(test as Node), kind: 'condition', to: 'false' };
  if (!isNode(alternate)) return [never];
  const swapped = `if (${text(test)}) ${text(alternate)} else ${text(consequent)}`;
  return [never, { ...rangeOf(node), kind: 'branch', to: swapped }];
};

const ofConditional = (node: Node, text: Text): readonly Replacement[] => {
  const to = `${text(node['test'])} ? ${text(node['alternate'])} : ${text(node['consequent'])}`;
  return [{ ...rangeOf(node), kind: 'branch', to }];
};

/** Each element of a list or an object is left out in turn. */
const without = (kind: string, elements: readonly Node[], whole: Node, text: Text) => {
  const shown = elements.map(text);
  const [open, close] = typeOf(whole) === 'ArrayExpression' ? ['[', ']'] : ['{ ', ' }'];
  return shown.map((_, gone): Replacement => {
    const kept = shown.filter((_one, at) => at !== gone);
    return { ...rangeOf(whole), kind, to: `${open}${kept.join(', ')}${close}` };
  });
};

const ofArray = (node: Node, text: Text): readonly Replacement[] => {
  const elements = nodes(node['elements']);
  return elements.length < 2 ? [] : without('element', elements, node, text);
};

const ofObject = (node: Node, text: Text): readonly Replacement[] =>
  without('field', nodes(node['properties']), node, text);

const ofNumber = (node: Node): readonly Replacement[] => {
  const value = Number(node['value']);
  const range = rangeOf(node);
  const next = { ...range, kind: 'number', to: String(value + 1) };
  if (value < 10) return [next];
  return [next, { ...range, kind: 'unit', to: String(value * 1000) }];
};

const ofStatement = (node: Node): readonly Replacement[] => {
  const kept = ['AssignmentExpression', 'AwaitExpression', 'CallExpression', 'YieldExpression'];
  if (!kept.includes(typeOf(node['expression']))) return [];
  return [{ ...rangeOf(node), kind: 'statement', to: ';' }];
};

const ofAwait = (node: Node, text: Text): readonly Replacement[] => [
  { ...rangeOf(node), kind: 'await', to: text(node['argument']) },
];

const dropped = [
  'filter',
  'slice',
  'sort',
  'toSorted',
  'reverse',
  'toReversed',
  'trim',
  'toLowerCase',
];

/** A step of a chain is left out: `list.filter(…)` becomes `list`. */
const ofCall = (node: Node, text: Text): readonly Replacement[] => {
  const callee = node['callee'];
  if (!isNode(callee) || typeOf(callee) !== 'MemberExpression') return [];
  const property = callee['property'];
  if (!isNode(property) || !dropped.includes(String(property['value']))) return [];
  return [{ ...rangeOf(node), kind: 'step', to: text(callee['object']) }];
};

/** In a condition of DynamoDB one part is left out; in an update one assignment. */
const ofExpression = (node: Node, text: Text): readonly Replacement[] => {
  const written = text(node);
  if (/SELECT |INSERT |DELETE FROM|UPDATE /.test(written)) return [];
  const range = rangeOf(node);
  const put = (to: string) => ({ ...range, kind: 'table expression', to });
  const parts = / (?:AND|OR) /.test(written) ? written.slice(1, -1).split(/ (?:AND|OR) /) : [];
  const joint = written.includes(' OR ') ? ' OR ' : ' AND ';
  const kept = parts.map((_, gone) => parts.filter((_part, at) => at !== gone).join(joint));
  const shorter = kept.map(one => put(`${written[0]}${one}${written.at(-1)}`));
  const opposite = written.includes('attribute_not_exists')
    ? written.replace('attribute_not_exists', 'attribute_exists')
    : written.replace('attribute_exists', 'attribute_not_exists');
  const assignments = /^.SET .*, /.test(written)
    ? [put(written.replace(/, (?!.*, ).*?(?=.$)/, ''))]
    : [];
  return [...shorter, ...assignments, ...(opposite === written ? [] : [put(opposite)])];
};

const ofBoolean = (node: Node): readonly Replacement[] => [
  { ...rangeOf(node), kind: 'boolean', to: String(node['value'] !== true) },
];

const replacements: Readonly<Record<string, (node: Node, text: Text) => readonly Replacement[]>> = {
  ArrayExpression: ofArray,
  AwaitExpression: ofAwait,
  BinaryExpression: ofBinary,
  BooleanLiteral: ofBoolean,
  CallExpression: ofCall,
  ConditionalExpression: ofConditional,
  ExpressionStatement: ofStatement,
  IfStatement: ofIf,
  NumericLiteral: ofNumber,
  ObjectExpression: ofObject,
  StringLiteral: ofExpression,
  TemplateLiteral: ofExpression,
};

/** Types and imports change nothing that runs. */
const isLeftOut = (node: Node): boolean => /^Ts(?!As|Satisfies|NonNull)|^Import/.test(typeOf(node));

const replacementsIn = (node: Node, text: Text): readonly Replacement[] => {
  if (isLeftOut(node)) return [];
  const here = replacements[typeOf(node)]?.(node, text) ?? [];
  const below = Object.values(node)
    .flatMap(value => (Array.isArray(value) ? value : [value]))
    .filter(isNode)
    .flatMap(inner => replacementsIn(inner, text));
  return [...here, ...below];
};

/** All single changes of a file. */
export const changesIn = (path: string, source: string): readonly Change[] => {
  const bytes = Buffer.from(source);
  const slice = ({ start, end }: Range) => bytes.subarray(start, end).toString();
  const text: Text = node => (isNode(node) ? slice(rangeOf(node)) : '');
  const tree = parseSync(source, { syntax: 'typescript', target: 'es2023' });
  const all = tree.body.flatMap(statement => replacementsIn(statement as unknown as Node, text));
  return all.flatMap(({ kind, to, ...range }) => {
    const line = bytes.subarray(0, range.start).toString().split('\n').length;
    const from = slice(range);
    return from === to ? [] : [{ path, line, kind, ...range, from, to }];
  });
};

export const apply = (source: string, { start, end, to }: Change): string => {
  const bytes = Buffer.from(source);
  return Buffer.concat([bytes.subarray(0, start), Buffer.from(to), bytes.subarray(end)]).toString();
};

/** The same seed gives a change the same rank whatever else changes in the tree. */
const rankOf = (seed: number, { path, kind, from, to }: Change): string =>
  createHash('sha256').update([seed, path, kind, from, to].join('\0')).digest('hex');

/** Takes one of each list in turn, until all are empty. */
const inTurns = <T>(lists: readonly (readonly T[])[]): readonly T[] => {
  const longest = Math.max(0, ...lists.map(list => list.length));
  return Array.from({ length: longest }, (_, at) =>
    lists.flatMap(list => list.slice(at, at + 1)),
  ).flat();
};

const grouped = <T>(all: readonly T[], by: (one: T) => string): readonly (readonly T[])[] => {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(by(one), [...(groups.get(by(one)) ?? []), one]);
  return [...groups.values()];
};

/** The judges of test runs are small and decide much: they are a room of their own. */
export const roomOf = (path: string): string => {
  return path.split('/').slice(1, -1).join('/');
};

/**
 * Changes in a random order that the seed decides: the rooms in turn, and in each room the kinds in
 * turn.
 */
export const sampleOf = (seed: number, all: readonly Change[]): readonly Change[] => {
  const ranked = all
    .map(change => ({ change, rank: rankOf(seed, change) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ change }) => change);
  const rooms = grouped(ranked, ({ path }) => roomOf(path));
  return inTurns(rooms.map(room => inTurns(grouped(room, ({ kind }) => kind))));
};
