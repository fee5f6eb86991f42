import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path/posix';

/** The source files of some folders, and what each of them imports by its path, types included. */
export const importsIn = (
  ...folders: readonly string[]
): ReadonlyMap<string, ReadonlySet<string>> => {
  const listed = ['ls-files', '--cached', '--others', '--exclude-standard', ...folders];
  const paths = execFileSync('git', listed, { encoding: 'utf8' }).split('\n');
  const sources = paths.filter(path => /\.tsx?$/.test(path) && existsSync(path));
  return new Map(sources.map(path => [path, importsOf(path)]));
};

const importForm = /(?:\bfrom|\bimport|\bimport\() ?'(\.[^']+)'/g;

const importsOf = (path: string): ReadonlySet<string> => {
  const found = [...readFileSync(path, 'utf8').matchAll(importForm)];
  return new Set(found.map(([, imported = '']) => join(path, '..', imported)));
};

/** Files that import each other in a cycle: each cycle once, by the way it was found. */
export const circlesIn = (
  imports: ReadonlyMap<string, ReadonlySet<string>>,
): readonly (readonly string[])[] => {
  const circles: (readonly string[])[] = [];
  const done = new Set<string>();
  const way: string[] = [];

  const follow = (path: string): void => {
    const start = way.indexOf(path);
    if (start >= 0) circles.push(way.slice(start));
    if (start >= 0 || done.has(path)) return;
    way.push(path);
    for (const imported of imports.get(path) ?? []) follow(imported);
    way.pop();
    done.add(path);
  };

  for (const path of imports.keys()) follow(path);
  return circles;
};
