import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import {
  circles,
  groupedGraph,
  importDepth,
  importGraph,
  reachableFrom,
  readSources,
  type SourceFile,
} from './import-graph.ts';

// npm run measure -- [--json] [checkout …]: how the source code is cut, one column a checkout; this one by default.

/** The same checkout gives the same figures, whatever is built or installed in it. */
type Figures = Readonly<Record<string, number>>;

const entries = ['publish', 'pull', 'token'] as const;
const shortFile = 20;

const sorted = (values: readonly number[]): readonly number[] => [...values].sort((a, b) => a - b);

const percentile = (values: readonly number[], share: number): number =>
  sorted(values)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const percent = (part: number, whole: number): number => Math.round((1000 * part) / whole) / 10;

const spread = (name: string, lengths: readonly number[]): Figures => ({
  [`${name}, median lines`]: percentile(lengths, 0.5),
  [`${name}, 90th percentile`]: percentile(lengths, 0.9),
  [`${name}, longest`]: Math.max(0, ...lengths),
});

const sizes = (sources: readonly SourceFile[]): Figures => {
  const lengths = sources.map(({ lines }) => lines);
  const short = lengths.filter(lines => lines < shortFile).length;
  return {
    'source files in lib and lambdas': sources.length,
    'lines in all': total(lengths),
    ...spread('files', lengths),
    [`files under ${shortFile} lines`]: short,
    [`files under ${shortFile} lines, %`]: percent(short, sources.length),
    'lines that import, %': percent(total(sources.map(({ importLines }) => importLines)), total(lengths)),
  };
};

const functionLengths = (sources: readonly SourceFile[]): Figures => {
  const lengths = sources.flatMap(({ functionLines }) => functionLines);
  return {
    functions: lengths.length,
    ...spread('functions', lengths),
    ...spread(
      'functions of several lines',
      lengths.filter(lines => lines > 1),
    ),
  };
};

/** How many files of ours esbuild keeps in a function's bundle; generated ones are not counted. */
const bundledFiles = async (checkout: string, entry: string): Promise<number> => {
  const { metafile } = await build({
    absWorkingDir: checkout,
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'cjs',
    packages: 'external',
    external: ['*.generated.js', '*.generated.json'],
    outdir: 'dist',
    logLevel: 'error',
  });
  const [output] = Object.values(metafile.outputs);
  return Object.values(output?.inputs ?? {}).filter(({ bytesInOutput }) => bytesInOutput > 0).length;
};

const entryFigures = async (checkout: string, sources: readonly SourceFile[]): Promise<Figures> => {
  const graph = importGraph(sources, { types: false });
  const figures: Record<string, number> = {};
  for (const name of entries) {
    const entry = `lambdas/${name}.ts`;
    figures[`${name}: files imported at run time`] = reachableFrom(graph, entry).size;
    figures[`${name}: files in its bundle`] = await bundledFiles(checkout, entry);
    figures[`${name}: longest chain of imports`] = importDepth(graph, entry);
  }
  return figures;
};

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

const circlesOf = (sources: readonly SourceFile[]) => {
  const graph = importGraph(sources, { types: true });
  const inLib = new Map([...graph].filter(([path]) => path.startsWith('lib/')));
  return {
    'circles of files, at run time': circles(importGraph(sources, { types: false })),
    'circles of files, types too': circles(graph),
    'circles of folders in lib': circles(groupedGraph(inLib, folderOf)),
  };
};

const measure = async (checkout: string) => {
  const sources = readSources(checkout, ['lib', 'lambdas']);
  const found = circlesOf(sources);
  const counts = Object.fromEntries(Object.entries(found).map(([name, list]) => [name, list.length]));
  return {
    figures: {
      ...sizes(sources),
      ...(await entryFigures(checkout, sources)),
      ...counts,
      ...functionLengths(sources),
    },
    circles: found,
  };
};

/** What the second edition is to reach; the first one (commit 1313bbd) had 23,359 lines. */
const targets: Readonly<Record<string, readonly [min: number, max: number]>> = {
  'source files in lib and lambdas': [0, 220],
  'lines in all': [0, 23_358],
  'files, median lines': [80, 140],
  'files, longest': [0, 300],
  [`files under ${shortFile} lines`]: [0, 30],
  'publish: files imported at run time': [0, 65],
  ...Object.fromEntries(entries.map(name => [`${name}: longest chain of imports`, [0, 10]])),
  'circles of files, at run time': [0, 0],
  'circles of files, types too': [0, 0],
  'circles of folders in lib': [0, 0],
};

const shownTarget = (name: string): string => {
  const [min, max] = targets[name] ?? [];
  if (max === undefined) return '';
  return min === 0 ? (max === 0 ? '0' : `at most ${max}`) : `${min} to ${max}`;
};

const verdict = (name: string, value: number): string => {
  const [min, max] = targets[name] ?? [];
  if (min === undefined || max === undefined) return '';
  return value >= min && value <= max ? 'yes' : 'NO';
};

/** Columns of equal width: the first to the left, the others to the right. */
const table = (rows: readonly (readonly string[])[]): string => {
  const width = (column: number) => Math.max(...rows.map(row => row[column]?.length ?? 0));
  const cell = (text: string, column: number) =>
    column === 0 ? text.padEnd(width(0)) : text.padStart(width(column));
  return rows.map(row => row.map(cell).join('  ').trimEnd()).join('\n');
};

const print = (checkouts: readonly string[], measured: readonly Awaited<ReturnType<typeof measure>>[]) => {
  const names = Object.keys(measured[0]?.figures ?? {});
  const rows = names.map(name => {
    const values = measured.map(({ figures }) => (figures as Figures)[name] ?? 0);
    const last = values.at(-1) ?? 0;
    return [
      name,
      ...values.map(value => value.toLocaleString('en-GB')),
      shownTarget(name),
      verdict(name, last),
    ];
  });
  console.log(table([['', ...checkouts, 'target', 'met'], ...rows]));
  const found = measured.at(-1)?.circles;
  for (const kind of ['circles of files, types too', 'circles of folders in lib'] as const)
    for (const members of found?.[kind] ?? []) console.log(`\n${kind}: ${members.join(', ')}`);
};

const main = async (parameters: readonly string[]): Promise<void> => {
  const given = parameters.filter(parameter => parameter !== '--json');
  const checkouts = given.length > 0 ? given : ['.'];
  const missing = checkouts.find(checkout => !existsSync(join(checkout, 'lambdas')));
  if (missing !== undefined)
    throw new Error(`${missing} has no folder "lambdas": name a checkout of som-bus.`);
  const measured = [];
  for (const checkout of checkouts) measured.push(await measure(resolve(checkout)));
  if (parameters.includes('--json')) console.log(JSON.stringify(measured, null, 2));
  else print(checkouts, measured);
};

main(process.argv.slice(2)).catch(fault => {
  console.error(fault instanceof Error ? fault.message : fault);
  process.exitCode = 1;
});
