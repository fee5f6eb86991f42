// Starts the local service from dist. It is built anew first if a source is newer, without another
// npm in between.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const program = 'dist/sombus.js';
// Written by the build, unlike the program: that is a copy, and Windows keeps the time of what it
// copies.
const built = 'dist/main.js';
const sources = [
  'bin',
  'lib',
  'checks',
  'schemas',
  'skills',
  'scripts',
  'package.json',
  'package-lock.json',
];

const isNewer = (path, than) => {
  const { mtimeMs } = statSync(path);
  return mtimeMs > than;
};

const hasNewer = (path, than) => {
  // A folder is newer when one of its files was added or removed.
  if (isNewer(path, than)) return true;
  if (!statSync(path).isDirectory()) return false;
  return readdirSync(path, { withFileTypes: true }).some(child =>
    child.isDirectory()
      ? hasNewer(join(path, child.name), than)
      : isNewer(join(path, child.name), than),
  );
};

const isBuilt = () => {
  if (!existsSync(program) || !existsSync(built)) return false;
  const { mtimeMs } = statSync(built);
  return !sources.some(source => hasNewer(source, mtimeMs));
};

if (!isBuilt()) await import('./build.mjs');
process.argv.splice(1, 1, program, 'dev');
createRequire(import.meta.url)(join('..', program));
