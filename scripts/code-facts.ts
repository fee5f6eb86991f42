import { parse } from '@babel/parser';

/** A node of Babel's syntax tree, or a part of one: its members differ by type. */
type Part = Readonly<Record<string, unknown>>;

/** What measuring counts in one source file. */
export interface CodeFacts {
  /** Words, signs and literals, without comments and white space. */
  readonly tokens: number;
  /** Lines with a token on them. */
  readonly codeLines: number;
  readonly ternaries: number;
  /** What the file itself declares and exports. */
  readonly exportedNames: ReadonlySet<string>;
}

const isPart = (value: unknown): value is Part => typeof value === 'object' && value !== null;

const membersOf = (part: Part): readonly Part[] =>
  Object.values(part)
    .flatMap(value => {
      if (Array.isArray(value)) return value;
      return [value];
    })
    .filter(isPart);

/** Places have no type, and are most of a tree. */
const isNode = ({ type }: Part): boolean => typeof type === 'string';

const countOf = (type: string, root: Part): number => {
  const nodes = [root];
  // The list grows while it is walked.
  for (const node of nodes) nodes.push(...membersOf(node).filter(isNode));
  return nodes.filter(node => node['type'] === type).length;
};

const nameIn = (node: unknown): readonly string[] => {
  if (isPart(node) && typeof node['name'] === 'string') return [node['name']];
  return [];
};

/** The names that a statement exports of its own: what it passes on from another file is not. */
const namesExportedBy = (statement: Part): readonly string[] => {
  const { type, declaration, specifiers, source } = statement;
  if (type !== 'ExportNamedDeclaration' || isPart(source)) return [];
  if (!isPart(declaration))
    return membersOf({ specifiers }).flatMap(({ exported }) => nameIn(exported));
  const { id, declarations } = declaration;
  return [...nameIn(id), ...membersOf({ declarations }).flatMap(one => nameIn(one['id']))];
};

interface Token {
  /** Text for a comment. */
  readonly type: string | { readonly label: string };
  readonly loc: {
    readonly start: { readonly line: number };
    readonly end: { readonly line: number };
  };
}

const isOfCode = ({ type }: Token): boolean => typeof type !== 'string' && type.label !== 'eof';

const linesOf = ({ loc }: Token): readonly number[] =>
  Array.from({ length: loc.end.line - loc.start.line + 1 }, (_, index) => loc.start.line + index);

/** @param text of a TypeScript file without JSX */
export const codeFacts = (text: string): CodeFacts => {
  const { program, tokens } = parse(text, {
    sourceType: 'module',
    plugins: ['typescript'],
    tokens: true,
  });
  const all: readonly Token[] = tokens ?? [];
  const code = all.filter(isOfCode);
  return {
    tokens: code.length,
    codeLines: new Set(code.flatMap(linesOf)).size,
    ternaries: countOf('ConditionalExpression', { program }),
    exportedNames: new Set(program.body.flatMap(statement => namesExportedBy({ ...statement }))),
  };
};
