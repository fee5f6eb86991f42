// Makes dist/client, which the package exports as som-bus/client: for require, for import and browsers, and its types in
// dist/types.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const entry = 'lib/client/index.ts';
const types = 'dist/types';

/** Nothing of Node: the compiler refuses what a browser lacks. */
const compilerOptions = [
  ...['--target', 'es2023', '--lib', 'es2023,dom', '--module', 'preserve', '--types', ''],
  ...['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--verbatimModuleSyntax'],
  ...['--allowImportingTsExtensions', '--declaration', '--emitDeclarationOnly', '--removeComments', 'false'],
];

/** Declarations import each other as what is there at run time, which every compiler since TypeScript 4.7 follows. */
const renameImports = folder => {
  for (const name of readdirSync(folder, { recursive: true })) {
    const path = join(folder, name);
    if (path.endsWith('.d.ts'))
      writeFileSync(path, readFileSync(path, 'utf8').replace(/(from '\.[^']*)\.ts'/g, "$1.js'"));
  }
};

const declare = () => {
  const options = [...compilerOptions, '--rootDir', 'lib', '--outDir', types, entry];
  const { status, stdout } = spawnSync(
    process.execPath,
    ['node_modules/typescript/bin/tsc', '--ignoreConfig', ...options],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`The types of the client cannot be made.\n${stdout}`);
  renameImports(types);
  for (const suffix of ['ts', 'mts'])
    writeFileSync(`dist/client/index.d.${suffix}`, "export * from '../types/client/index.js';\n");
};

export const buildClient = async () => {
  const options = { entryPoints: [entry], bundle: true, platform: 'neutral', target: 'es2022' };
  await build({ ...options, format: 'cjs', outfile: 'dist/client/index.js' });
  await build({ ...options, format: 'esm', outfile: 'dist/client/index.mjs' });
  declare();
};
