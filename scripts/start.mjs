// Starts the local service from dist. It is built anew first if a source is newer, without another npm in between.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const program = 'dist/sombus.js';
const sources = ['bin', 'lib', 'schemas', 'skills', 'scripts', 'package-lock.json'];

const isNewer = (path, than) => {
  const { mtimeMs } = statSync(path);
  return mtimeMs > than;
};

const hasNewer = (path, than) => {
  const entry = statSync(path);
  if (!entry.isDirectory()) return isNewer(path, than);
  return readdirSync(path, { withFileTypes: true }).some(child =>
    child.isDirectory() ? hasNewer(join(path, child.name), than) : isNewer(join(path, child.name), than),
  );
};

const isBuilt = () => {
  if (!existsSync(program)) return false;
  const { mtimeMs } = statSync(program);
  return !sources.some(source => hasNewer(source, mtimeMs));
};

if (!isBuilt()) await import('./build.mjs');
process.argv.splice(1, 1, program, 'dev');
createRequire(import.meta.url)(join('..', program));
