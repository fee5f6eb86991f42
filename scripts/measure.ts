import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { buildSync } from 'esbuild';

// npm run measure: how the source code is cut, beside the ceilings that
// test/structure/measure.test.ts keeps.

/** How many lines each source file of some folders has, by its path. */
const linesIn = (...folders: readonly string[]): ReadonlyMap<string, number> => {
  const listed = ['ls-files', '--cached', '--others', '--exclude-standard', ...folders];
  const paths = execFileSync('git', listed, { encoding: 'utf8' }).split('\n');
  const sources = paths.filter(path => /(?<!\.d)\.(ts|tsx|mjs)$/.test(path) && existsSync(path));
  return new Map(sources.map(path => [path, readFileSync(path, 'utf8').split('\n').length - 1]));
};

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

/**
 * The most that a figure may be. Lines have no ceiling: with one, lines grow dense, and a mend of
 * fifteen lines fails a test.
 */
export const ceilings = {
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
