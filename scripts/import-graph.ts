import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { parseSync } from '@swc/core';

/** One import, re-export, `import()` or `require()` of a file of the checkout or of a package. */
interface Import {
  /** The imported file relative to the checkout, or the package as it is written. */
  readonly target: string;
  /** Gone once TypeScript is compiled. */
  readonly typeOnly: boolean;
}

export interface SourceFile {
  /** Relative to the checkout, with `/`. */
  readonly path: string;
  readonly lines: number;
  readonly importLines: number;
  readonly imports: readonly Import[];
  /** The length in lines of every function, arrow function and method. */
  readonly functionLines: readonly number[];
}

/** Files and what each of them imports from these files. */
type Graph = ReadonlyMap<string, readonly string[]>;

const isSource = (path: string): boolean => path.endsWith('.ts') && !path.endsWith('.d.ts');

const sourcePaths = (checkout: string, folder: string): readonly string[] =>
  readdirSync(join(checkout, folder))
    .sort()
    .flatMap(name => {
      const path = posix.join(folder, name);
      if (statSync(join(checkout, path)).isDirectory())
        return name === 'generated' ? [] : sourcePaths(checkout, path);
      return isSource(name) ? [path] : [];
    });

interface Node {
  readonly type: string;
  readonly span: { readonly start: number; readonly end: number };
  readonly [member: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'span' in value;

const visit = (value: unknown, see: (node: Node) => void): void => {
  if (typeof value !== 'object' || value === null) return;
  if (isNode(value)) see(value);
  for (const member of Object.values(value)) visit(member, see);
};

const functionTypes: ReadonlySet<string> = new Set([
  'ArrowFunctionExpression',
  'ClassMethod',
  'Constructor',
  'FunctionDeclaration',
  'FunctionExpression',
  'GetterProperty',
  'MethodProperty',
  'PrivateMethod',
  'SetterProperty',
]);

interface Literal {
  readonly value: string;
}

const isTypeOnly = ({ type, typeOnly, specifiers }: Node): boolean => {
  if (typeOnly === true) return true;
  const named = Array.isArray(specifiers) ? specifiers : [];
  return type !== 'ExportAllDeclaration' && named.length > 0 && named.every(({ isTypeOnly }) => isTypeOnly);
};

/** The address that a node imports. */
const importedBy = (node: Node): string | undefined => {
  if (['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration'].includes(node.type))
    return (node['source'] as Literal | null)?.value;
  if (node.type !== 'CallExpression') return undefined;
  const callee = node['callee'] as Node;
  if (callee.type !== 'Import' && callee['value'] !== 'require') return undefined;
  const [argument] = node['arguments'] as readonly { readonly expression: Node }[];
  return argument?.expression.type === 'StringLiteral' ? String(argument.expression['value']) : undefined;
};

const countLines = (text: string): number => text.split('\n').length - (text.endsWith('\n') ? 1 : 0);

const readSource = (checkout: string, path: string): SourceFile => {
  const bytes = readFileSync(join(checkout, path));
  // swc counts bytes, from 1.
  const linesOf = ({ span }: Node): number =>
    countLines(bytes.toString('utf8', span.start - 1, span.end - 1));
  const imports: Import[] = [];
  const functionLines: number[] = [];
  let importLines = 0;
  visit(parseSync(bytes.toString(), { syntax: 'typescript', target: 'es2023' }).body, node => {
    if (functionTypes.has(node.type)) functionLines.push(linesOf(node));
    if (node.type === 'ImportDeclaration') importLines += linesOf(node);
    const target = importedBy(node);
    if (target === undefined) return;
    const resolved = target.startsWith('.') ? posix.join(dirname(path), target) : target;
    imports.push({ target: resolved, typeOnly: isTypeOnly(node) });
  });
  return { path, lines: countLines(bytes.toString()), importLines, imports, functionLines };
};

/** The sources in folders of a checkout, in the order of their paths; neither declarations nor generated files. */
export const readSources = (checkout: string, folders: readonly string[]): readonly SourceFile[] =>
  folders
    .filter(folder => existsSync(join(checkout, folder)))
    .flatMap(folder => sourcePaths(checkout, folder))
    .map(path => readSource(checkout, path));

/** Which file imports which at run time; with types too where `types` is true. */
export const importGraph = (
  sources: readonly SourceFile[],
  { types }: { readonly types: boolean },
): Graph => {
  const paths = new Set(sources.map(({ path }) => path));
  return new Map(
    sources.map(({ path, imports }) => {
      const kept = imports.filter(({ target, typeOnly }) => paths.has(target) && (types || !typeOnly));
      return [path, [...new Set(kept.map(({ target }) => target))]];
    }),
  );
};

/** A graph between groups of files: an edge inside a group is left out. */
export const groupedGraph = (graph: Graph, groupOf: (path: string) => string): Graph => {
  const groups = new Map<string, Set<string>>();
  for (const [from, targets] of graph) {
    const group = groups.get(groupOf(from)) ?? new Set<string>();
    for (const target of targets) if (groupOf(target) !== groupOf(from)) group.add(groupOf(target));
    groups.set(groupOf(from), group);
  }
  return new Map([...groups].map(([name, targets]) => [name, [...targets].sort()]));
};

/** What can be reached from a file, itself included, and the steps of the shortest way to each. */
export const reachableFrom = (graph: Graph, entry: string): ReadonlyMap<string, number> => {
  const steps = new Map([[entry, 0]]);
  // A map's iterator also visits what is added on the way.
  for (const [path, step] of steps)
    for (const target of graph.get(path) ?? []) if (!steps.has(target)) steps.set(target, step + 1);
  return steps;
};

/** Every set of two and more members that reach each other, each in the order of its names. */
export const circles = (graph: Graph): readonly (readonly string[])[] => {
  const reached = new Map([...graph.keys()].map(name => [name, reachableFrom(graph, name)]));
  const together = [...graph.keys()].map(name =>
    [...graph.keys()].filter(other => reached.get(name)?.has(other) && reached.get(other)?.has(name)).sort(),
  );
  const several = together.filter(members => members.length > 1);
  return [...new Map(several.map(members => [members.join(' '), members])).values()];
};

/** The longest way of imports that starts at a file; files of a circle count as one step. */
export const importDepth = (graph: Graph, entry: string): number => {
  const depths = new Map<string, number>();
  const depthOf = (path: string): number => {
    const known = depths.get(path);
    if (known !== undefined) return known;
    depths.set(path, 0);
    const depth = Math.max(0, ...(graph.get(path) ?? []).map(target => 1 + depthOf(target)));
    depths.set(path, depth);
    return depth;
  };
  return depthOf(entry);
};
