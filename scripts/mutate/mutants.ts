import { parseSync } from '@swc/core';

/** A small change of a source file that some test should notice. Offsets count bytes. */
export interface Mutant {
  readonly file: string;
  /** The line where it begins, from 1. */
  readonly line: number;
  readonly from: number;
  readonly to: number;
  /** What takes the place of these bytes. */
  readonly text: string;
  readonly reached: Reached;
}

/** Code that runs when the place of a mutant is reached: around an expression, or before a statement. */
interface Reached {
  readonly how: 'expression' | 'statement' | 'shorthand';
  readonly from: number;
  readonly to: number;
}

interface Node {
  readonly type: string;
  readonly span: { readonly start: number; readonly end: number };
  readonly [member: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

const nodeIn = (value: unknown): Node | undefined => (isNode(value) ? value : undefined);

/** Every byte is one character, so that the offsets of swc, which count bytes from 1, are those of the text. */
export const bytesAsText = (source: Buffer): string => source.toString('latin1');
export const textAsBytes = (text: string): Buffer => Buffer.from(text, 'latin1');

/** A replacement of bytes, and the part of the code that must run for it to matter. */
type Change = Omit<Mutant, 'file' | 'line'>;

/** What another operator, method or word would do in its place. */
const swaps: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['||'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '+=': ['-='],
  '-=': ['+='],
  '++': ['--'],
  '--': ['++'],
  min: ['max'],
  max: ['min'],
  floor: ['ceil'],
  ceil: ['floor'],
  some: ['every'],
  every: ['some'],
  startsWith: ['endsWith'],
  endsWith: ['startsWith'],
};

/** Nodes of types are not run; these contain an expression that is. */
const typedExpressions = /^Ts(As|ConstAssertion|NonNull|Satisfies|TypeAssertion)/;

/** Words for people: tests need not repeat them. */
const isProse = (text: string): boolean => /\s/.test(text);

/** Finds the changes of one file. */
class Finder {
  readonly changes: Change[] = [];
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  visit(value: unknown): void {
    if (Array.isArray(value)) for (const member of value) this.visit(member);
    else if (isNode(value)) this.#visitNode(value);
    else if (typeof value === 'object' && value !== null)
      for (const member of Object.values(value)) this.visit(member);
  }

  #visitNode(node: Node): void {
    if (node.type === 'ImportDeclaration' || (node.type.startsWith('Export') && node['source'])) return;
    if (node.type.startsWith('Ts')) {
      if (typedExpressions.test(node.type)) this.visit(node['expression']);
      return;
    }
    this.#seekers[node.type]?.(node);
    for (const [name, member] of Object.entries(node)) {
      const isName = name === 'key' && nodeIn(member)?.type !== 'Computed';
      if (name !== 'span' && !isName) this.visit(member);
    }
  }

  readonly #seekers: Readonly<Record<string, (node: Node) => void>> = {
    BinaryExpression: node => this.#binary(node),
    AssignmentExpression: node => this.#operator(node),
    UpdateExpression: node => this.#operator(node),
    UnaryExpression: node => {
      if (node['operator'] === '!' || node['operator'] === '-') this.#keep(node, node['argument']);
    },
    IfStatement: ({ test }) => this.#condition(test),
    ConditionalExpression: ({ test }) => this.#condition(test),
    AwaitExpression: node => this.#keep(node, node['argument']),
    ExpressionStatement: node => this.#replace(node, ';', 'statement'),
    ThrowStatement: node => this.#replace(node, ';', 'statement'),
    ReturnStatement: node => {
      if (!node['argument']) this.#replace(node, ';', 'statement');
    },
    CallExpression: node => this.#method(node),
    ArrayExpression: node => this.#members(node),
    ObjectExpression: node => this.#members(node),
    BooleanLiteral: node => this.#replace(node, String(!node['value'])),
    NumericLiteral: node => this.#replace(node, String(Number(node['value']) + 1)),
    StringLiteral: node => this.#word(node, String(node['value'])),
  };

  #word(node: Node, value: string): void {
    if (!isProse(value)) this.#replace(node, value === '' ? "'x'" : "''");
  }

  #binary(node: Node): void {
    this.#operator(node);
    if (node['operator'] === '??') this.#keep(node, node['right']);
  }

  /** The operator stands between the two sides, or before or after the only one. */
  #operator(node: Node): void {
    const operator = String(node['operator']);
    const left = nodeIn(node['left']);
    const from = left ? left.span.end - 1 : node.span.start - 1;
    const at = this.#text.indexOf(operator, from);
    for (const other of swaps[operator] ?? []) this.#change(node, [at, at + operator.length], other);
  }

  #condition(value: unknown): void {
    const test = nodeIn(value);
    if (!test) return;
    for (const always of ['true', 'false']) this.#replace(test, always);
    const isNegated = test['operator'] === '!' || Object.hasOwn(swaps, String(test['operator']));
    if (!isNegated) this.#replace(test, `!(${this.#source(test)})`);
  }

  #method(node: Node): void {
    const property = nodeIn(nodeIn(node['callee'])?.['property']);
    const name = property?.type === 'Identifier' ? String(property['value']) : '';
    for (const other of Object.hasOwn(swaps, name) ? (swaps[name] ?? []) : [])
      if (property) this.#change(node, [property.span.start - 1, property.span.end - 1], other);
  }

  /** Leaves out each member of a list or an object in turn, with the comma after it. */
  #members(node: Node): void {
    const listed = (node['elements'] ?? node['properties']) as readonly unknown[];
    const members = listed.flatMap(member => rangeOf(member) ?? []);
    for (const [index, { from, to, value, how }] of members.entries()) {
      const end = members[index + 1]?.from ?? this.#afterComma(to);
      this.changes.push({ from, to: end, text: '', reached: { how, ...value } });
    }
  }

  #afterComma(at: number): number {
    return at + (/^\s*,/.exec(this.#text.slice(at, at + 100))?.[0].length ?? 0);
  }

  #source({ span }: Node): string {
    return this.#text.slice(span.start - 1, span.end - 1);
  }

  /** Puts a part of an expression in its place. */
  #keep(node: Node, part: unknown): void {
    if (isNode(part)) this.#replace(node, this.#source(part));
  }

  #replace(node: Node, text: string, how: Reached['how'] = 'expression'): void {
    this.#change(node, [node.span.start - 1, node.span.end - 1], text, how);
  }

  #change(
    node: Node,
    [from, to]: readonly [number, number],
    text: string,
    how: Reached['how'] = 'expression',
  ) {
    const reached = { how, from: node.span.start - 1, to: node.span.end - 1 };
    this.changes.push({ from, to, text, reached });
  }
}

interface MemberRange {
  readonly from: number;
  readonly to: number;
  readonly how: Reached['how'];
  /** What is run for it. */
  readonly value: { readonly from: number; readonly to: number };
}

/** Where a member of a list or an object stands; undefined for methods. */
const rangeOf = (member: unknown): MemberRange | undefined => {
  const { type, span, spread, expression, arguments: spreads, key, value } = { ...(member as Partial<Node>) };
  const at = (node: unknown) =>
    isNode(node) ? { from: node.span.start - 1, to: node.span.end - 1 } : undefined;
  const within = type === 'Identifier' && span ? { from: span.start - 1, to: span.end - 1 } : undefined;
  if (within) return { ...within, how: 'shorthand', value: within };
  const run = at(expression) ?? at(spreads) ?? at(value);
  if (!run) return undefined;
  const dots = (spread as Node['span'] | null | undefined)?.start;
  const from = dots === undefined ? (at(key)?.from ?? run.from) : dots - 1;
  return { from, to: run.to, how: 'expression', value: run };
};

/** All mutants of a file, in the order of their places. */
export const mutantsOf = (file: string, text: string): readonly Mutant[] => {
  const source = textAsBytes(text).toString();
  const finder = new Finder(text);
  finder.visit(parseSync(source, { syntax: 'typescript', target: 'es2023' }).body);
  return finder.changes
    .map(change => ({ file, line: text.slice(0, change.from).split('\n').length, ...change }))
    .sort((one, other) => one.from - other.from);
};

export const mutated = (text: string, { from, to, text: replacement }: Mutant): string =>
  text.slice(0, from) + replacement + text.slice(to);

const opening = (id: number, { how }: Reached): string =>
  how === 'statement' ? `{__reached(${id});` : `(__reached(${id}),`;

/**
 * The text with a call of `__reached` at the place of each mutant, which gives the place's number.
 *
 * @param definition of the function `__reached`
 */
export const withProbes = (
  text: string,
  mutants: ReadonlyMap<number, Mutant>,
  definition: string,
): string => {
  const inserts = [...mutants].flatMap(([id, { reached }]) => {
    const { how, from, to } = reached;
    const name = how === 'shorthand' ? `${text.slice(from, to)}: ` : '';
    return [
      { at: from, rank: 1 - to / text.length, text: name + opening(id, reached) },
      { at: to, rank: -1 - from / text.length, text: how === 'statement' ? '}' : ')' },
    ];
  });
  // At one place: first what ends there, the inner before the outer; then what begins, the outer before the inner.
  inserts.sort((one, other) => one.at - other.at || one.rank - other.rank);
  let out = '';
  let from = 0;
  for (const { at, text: insert } of inserts) {
    out += text.slice(from, at) + insert;
    from = at;
  }
  return `${out}${text.slice(from)}\n${definition}\n`;
};
