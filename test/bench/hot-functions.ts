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

/** Self time by function and by file or package, the largest first; without the time in which nothing ran. */
export const hotFunctions = ({ nodes, samples, timeDeltas }: Profile, folder: string) => {
  const sourceOf = sourceFinder(folder);
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const [functions, files] = [new Map<string, number>(), new Map<string, number>()];
  const add = (sums: Map<string, number>, name: string, milliseconds: number): void =>
    void sums.set(name, (sums.get(name) ?? 0) + milliseconds);
  for (const [at, id] of samples.entries()) {
    const frame = frames.get(id);
    if (!frame || frame.functionName === '(idle)') continue;
    const milliseconds = (timeDeltas[at + 1] ?? 0) / 1000;
    const { source, line } = sourceOf(frame);
    const name = frame.functionName || '(anonymous)';
    add(functions, source === '' ? name : `${name}, ${source}:${line}`, milliseconds);
    add(files, source === '' ? name : source, milliseconds);
  }
  return { functions: largest(functions), files: largest(files) };
};
