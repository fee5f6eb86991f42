// Makes what the package exports: dist/client and dist/executor, for require and for import, the
// first for browsers too, and dist/testing. Types are in dist/types.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { build } from 'esbuild';

const client = 'lib/kit/client/index.ts';
const executor = 'lib/kit/executor/index.ts';
const testing = 'lib/local/testing/index.ts';

const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
const common = [
  ...[
    '--ignoreConfig',
    '--declaration',
    '--emitDeclarationOnly',
    '--rootDir',
    '.',
    '--listEmittedFiles',
  ],
  ...[
    '--target',
    'es2023',
    '--module',
    'preserve',
    '--allowImportingTsExtensions',
    '--resolveJsonModule',
  ],
];

/** What a browser has, and nothing of Node: the compiler refuses everything else. */
const browser = [...strict, '--lib', 'es2023,dom', '--types', ''];
/** The types of all of `lib` are checked elsewhere. */
const unchecked = ['--noCheck', '--lib', 'es2023', '--types', 'node'];

const compile = (outDir, options, entry) => {
  const tsc = ['node_modules/typescript/bin/tsc', ...common, ...options, '--outDir', outDir, entry];
  const { status, stdout } = spawnSync(process.execPath, tsc, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The types of ${entry} cannot be made.\n${stdout}`);
  // A file beside its source would be newer than the build: `npm start` would build anew each time.
  const written = [...stdout.matchAll(/^TSFILE: (.*)$/gm)].map(([, file]) => file);
  const astray = written.filter(file => !file.startsWith(`${outDir}${sep}`));
  if (astray.length > 0)
    throw new Error(`The types of ${entry} are outside ${outDir}: ${astray.join(', ')}`);
};

/**
 * Copies a declaration and those that it imports. They import what is there at run time, as
 * TypeScript has it since 4.7.
 */
const copyDeclaration = (from, name) => {
  const target = join('dist/types', name);
  if (existsSync(target)) return;
  const text = readFileSync(join(from, name), 'utf8').replace(/(from '\.[^']*)\.ts'/g, "$1.js'");
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
  for (const [, imported] of text.matchAll(/from '(\.[^']*)\.js'/g))
    copyDeclaration(from, join(dirname(name), `${imported}.d.ts`));
};

/** @param entry what the package exports as this part */
const declare = (part, entry, options) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sombus-types-')));
  compile(folder, options, entry);
  const name = entry.slice('lib/'.length, -'.ts'.length);
  copyDeclaration(join(folder, 'lib'), `${name}.d.ts`);
  rmSync(folder, { recursive: true });
  for (const suffix of ['ts', 'mts'])
    writeFileSync(`dist/${part}/index.d.${suffix}`, `export * from '../types/${name}.js';\n`);
};

/** @param options esbuild's, for what runs in Node */
export const buildExports = async options => {
  for (const folder of ['client', 'executor', 'testing', 'types'])
    rmSync(`dist/${folder}`, { recursive: true, force: true });
  const anywhere = { entryPoints: [client], bundle: true, platform: 'neutral', target: 'es2022' };
  await build({ ...anywhere, format: 'cjs', outfile: 'dist/client/index.js' });
  await build({ ...anywhere, format: 'esm', outfile: 'dist/client/index.mjs' });
  await build({ ...options, entryPoints: [executor], outfile: 'dist/executor/index.js' });
  await build({
    ...options,
    entryPoints: [executor],
    format: 'esm',
    outfile: 'dist/executor/index.mjs',
  });
  await build({ ...options, entryPoints: [testing], outfile: 'dist/testing/index.js' });
  // Import and require share one module.
  copyFileSync('bin/testing.mjs', 'dist/testing/index.mjs');
  declare('client', client, browser);
  declare('executor', executor, unchecked);
  declare('testing', testing, unchecked);
};
