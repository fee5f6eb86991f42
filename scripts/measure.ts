import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { buildSync } from 'esbuild';
import { type CodeFacts, codeFacts } from './code-facts.ts';
import { circlesIn, importsIn } from './imports.ts';

// npm run measure: how the source code is cut, beside the ceilings that
// test/structure/measure.test.ts keeps.

/** The source files of some folders, by their paths. */
const textsIn = (...folders: readonly string[]): ReadonlyMap<string, string> => {
  const listed = ['ls-files', '--cached', '--others', '--exclude-standard', ...folders];
  const paths = execFileSync('git', listed, { encoding: 'utf8' }).split('\n');
  const sources = paths.filter(path => /(?<!\.d)\.(ts|tsx|mjs)$/.test(path) && existsSync(path));
  return new Map(sources.map(path => [path, readFileSync(path, 'utf8')]));
};

/** How many lines each source file of some folders has, by its path. */
const linesIn = (...folders: readonly string[]): ReadonlyMap<string, number> =>
  new Map([...textsIn(...folders)].map(([path, text]) => [path, text.split('\n').length - 1]));

const sum = (lines: ReadonlyMap<string, number>): number =>
  [...lines.values()].reduce((all, one) => all + one, 0);

/** How many files of ours a function imports at run time, before esbuild leaves anything out. */
const behind = (name: string): number => {
  const { metafile } = buildSync({
    entryPoints: [`lambdas/${name}.ts`],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    packages: 'external',
    external: ['*.generated.js', '*.generated.json'],
    outdir: 'dist',
    logLevel: 'error',
  });
  return Object.keys(metafile.inputs).filter(path => path.endsWith('.ts')).length;
};

const total = (all: readonly CodeFacts[], what: 'tokens' | 'codeLines' | 'ternaries'): number =>
  all.reduce((before, facts) => before + facts[what], 0);

/** How many names are exported by more than one file. */
const namesInTwo = (all: readonly CodeFacts[]): number => {
  const names = all.flatMap(({ exportedNames }) => [...exportedNames]);
  const repeated = names.filter((name, index) => names.indexOf(name) !== index);
  return new Set(repeated).size;
};

const rounded = (value: number): number => Math.round(value * 10) / 10;

/** How much `lib` says, and how densely. */
const codeFigures = (): Figures => {
  const all = [...textsIn('lib').values()].map(codeFacts);
  const [tokens, codeLines] = [total(all, 'tokens'), total(all, 'codeLines')];
  return {
    'tokens in lib': tokens,
    'tokens on a line of code': rounded(tokens / codeLines),
    'ternaries in 1,000 lines of code': rounded((1000 * total(all, 'ternaries')) / codeLines),
    'exported names that stand in two files': namesInTwo(all),
  };
};

/**
 * The most that a figure may be. Lines have no ceiling: with one, lines grow dense, and a mend of
 * fifteen lines fails a test. Tokens do not care how they are laid out: 438,000 when the ceiling
 * was set, with a twentieth of room.
 */
export const ceilings = {
  'tokens in lib': 460_000,
  'circles of files': 0,
  'files under 20 lines': 33,
  'publish: files imported at run time': 60,
  'pull: files imported at run time': 59,
  'token: files imported at run time': 52,
} as const;

export type Figures = Readonly<Record<string, number>>;

export const measure = (): Figures => {
  const source = linesIn('lib', 'lambdas');
  const lengths = [...source.values()].sort((a, b) => a - b);
  return {
    ...codeFigures(),
    'circles of files': circlesIn(importsIn('lib', 'lambdas', 'bin', 'web')).length,
    'lines in lib': sum(linesIn('lib')),
    'lines in lib/local': sum(linesIn('lib/local')),
    'lines in scripts': sum(linesIn('scripts')),
    'lines in web': sum(linesIn('web')),
    'lines in test': sum(linesIn('test')),
    'source files in lib and lambdas': lengths.length,
    'files: median lines': lengths[Math.floor(lengths.length / 2)] ?? 0,
    'files: longest': lengths.at(-1) ?? 0,
    'files under 20 lines': lengths.filter(lines => lines < 20).length,
    'publish: files imported at run time': behind('publish'),
    'pull: files imported at run time': behind('pull'),
    'token: files imported at run time': behind('token'),
  };
};

if (require.main === module) {
  const ceilingOf = new Map<string, number>(Object.entries(ceilings));
  for (const [name, value] of Object.entries(measure())) {
    const ceiling = ceilingOf.get(name);
    const most = ceiling === undefined ? '' : `  at most ${ceiling}`;
    console.log(`${name.padEnd(40)}${String(value).padStart(8)}${most}`);
  }
  console.log('\nLines and files by folder');
  for (const folder of readdirSync('lib')) {
    const lines = linesIn(`lib/${folder}`);
    console.log(
      `lib/${folder.padEnd(36)}${String(sum(lines)).padStart(8)}${String(lines.size).padStart(5)}`,
    );
  }
}
