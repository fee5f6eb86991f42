import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Profile } from './checkout.ts';

/** Milliseconds that a function or a file itself was running. */
export interface Hot {
  readonly name: string;
  readonly milliseconds: number;
}

interface Place {
  readonly source: string;
  readonly line: number;
}

type Frame = Profile['nodes'][number]['callFrame'];

/** A package's name, or a file of ours from the checkout's folder. */
const shortened = (source: string): string => {
  const packages = source.split('node_modules/');
  const inPackage = packages.at(-1) ?? '';
  if (packages.length > 1)
    return inPackage.startsWith('@')
      ? inPackage.split('/').slice(0, 2).join('/')
      : (inPackage.split('/')[0] ?? '');
  return source.replace(/^(\.\.\/)+/, '');
};

/** Finds the file that a bundled function comes from. */
const sourceFinder = (folder: string) => {
  const maps = new Map<string, SourceMap | undefined>();
  const mapOf = (url: string): SourceMap | undefined => {
    try {
      return new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(url)}.map`, 'utf8')));
    } catch {
      return undefined; // not one of our bundles
    }
  };
  return ({ url, lineNumber, columnNumber }: Frame): Place => {
    const place = { source: url, line: lineNumber + 1 };
    if (!url.startsWith('file:')) return place;
    if (!maps.has(url)) maps.set(url, mapOf(url));
    const found = maps.get(url)?.findEntry(lineNumber, columnNumber);
    if (found && 'originalSource' in found)
      return { source: shortened(found.originalSource), line: found.originalLine + 1 };
    return { ...place, source: shortened(relative(folder, fileURLToPath(url)).split(sep).join('/')) };
  };
};

const largest = (sums: ReadonlyMap<string, number>): readonly Hot[] =>
  [...sums]
    .map(([name, milliseconds]) => ({ name, milliseconds }))
    .sort((a, b) => b.milliseconds - a.milliseconds);

const add = (sums: Map<string, number>, name: string, milliseconds: number): void =>
  void sums.set(name, (sums.get(name) ?? 0) + milliseconds);

/** For each node the closest function of ours that it was called from, itself included. */
const callersOfOurs = (
  nodes: Profile['nodes'],
  nameOf: (frame: Frame) => Named,
): ReadonlyMap<number, string> => {
  const byId = new Map(nodes.map(node => [node.id, node]));
  const callers = new Map<number, string>();
  const visit = (id: number, caller: string): void => {
    const node = byId.get(id);
    if (!node) return;
    const { source, name } = nameOf(node.callFrame);
    const own = /^(lib|lambdas|bin)\//.test(source) ? name : caller;
    callers.set(id, own);
    for (const child of node.children ?? []) visit(child, own);
  };
  const [root] = nodes;
  if (root) visit(root.id, 'Node itself');
  return callers;
};

interface Named {
  readonly source: string;
  readonly name: string;
}

/**
 * Time by function and by file or package, itself, and by function of ours with what it calls in others' code. The largest first;
 * without the time in which nothing ran.
 */
export const hotFunctions = ({ nodes, samples, timeDeltas }: Profile, folder: string) => {
  const sourceOf = sourceFinder(folder);
  const nameOf = (frame: Frame): Named => {
    const { source, line } = sourceOf(frame);
    const name = frame.functionName || '(anonymous)';
    return { source: source || name, name: source === '' ? name : `${name}, ${source}:${line}` };
  };
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const callers = callersOfOurs(nodes, nameOf);
  const [functions, files, ours] = [1, 2, 3].map(() => new Map<string, number>()) as [
    Map<string, number>,
    Map<string, number>,
    Map<string, number>,
  ];
  for (const [at, id] of samples.entries()) {
    const { source, name } = names.get(id) ?? { source: '(idle)', name: '' };
    if (source === '(idle)') continue;
    const milliseconds = (timeDeltas[at + 1] ?? 0) / 1000;
    add(functions, name, milliseconds);
    add(files, source, milliseconds);
    add(ours, callers.get(id) ?? '', milliseconds);
  }
  return { functions: largest(functions), files: largest(files), ours: largest(ours) };
};
