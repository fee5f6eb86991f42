import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { buildSync } from 'esbuild';

// npm run measure: how the source code is cut, beside the ceilings that test/structure/measure.test.ts keeps.

const files = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', 'lib', 'lambdas'],
  {
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter(path => /(?<!\.d)\.ts$/.test(path) && existsSync(path));

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

/** The most that each figure may be. */
export const ceilings = {
  'lines in lib and lambdas': 60_000,
  'source files in lib and lambdas': 520,
  'files: median lines': 140,
  'files: longest': 300,
  'files under 20 lines': 60,
  'publish: files imported at run time': 76,
  'pull: files imported at run time': 89,
  'token: files imported at run time': 69,
} as const;

export type Figures = Readonly<Record<keyof typeof ceilings, number>>;

export const measure = (): Figures => {
  const lengths = files.map(path => readFileSync(path, 'utf8').split('\n').length - 1).sort((a, b) => a - b);
  return {
    'lines in lib and lambdas': lengths.reduce((sum, lines) => sum + lines, 0),
    'source files in lib and lambdas': lengths.length,
    'files: median lines': lengths[Math.floor(lengths.length / 2)] ?? 0,
    'files: longest': lengths.at(-1) ?? 0,
    'files under 20 lines': lengths.filter(lines => lines < 20).length,
    'publish: files imported at run time': behind('publish'),
    'pull: files imported at run time': behind('pull'),
    'token: files imported at run time': behind('token'),
  };
};

if (require.main === module)
  for (const [name, value] of Object.entries(measure()))
    console.log(`${name.padEnd(40)}${String(value).padStart(8)}  at most ${ceilings[name as keyof Figures]}`);
