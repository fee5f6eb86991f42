// Runs the benchmarks named on the command line, or all: test/bench/<name>.bench.ts, bundled as the
// service is. What follows the first option is handed to each:
// `npm run bench -- service --against ../other`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const folder = 'test/bench';
const all = readdirSync(folder)
  .filter(file => file.endsWith('.bench.ts'))
  .map(file => file.slice(0, -'.bench.ts'.length));
const words = process.argv.slice(2);
const options = words.slice(words.findIndex(word => word.startsWith('--')) >>> 0);
const asked = words.slice(0, words.length - options.length);
const unknown = asked.filter(name => !all.includes(name));
if (unknown.length > 0) {
  console.error(`no benchmark ${unknown.join(', ')}; there is: ${all.join(', ')}`);
  process.exit(2);
}

// Inside node_modules, where the bundle's external packages are found and nothing is ever
// committed.
const output = mkdtempSync(join('node_modules', '.bench-'));
try {
  for (const name of asked.length > 0 ? asked : all) {
    const outfile = join(output, `${name}.cjs`);
    await build({
      entryPoints: [join(folder, `${name}.bench.ts`)],
      outfile,
      bundle: true,
      platform: 'node',
      target: 'node20.19',
      packages: 'external',
      logLevel: 'warning',
    });
    const { status } = spawnSync(process.execPath, [outfile, ...options], { stdio: 'inherit' });
    if (status !== 0) process.exitCode = status ?? 1;
  }
} finally {
  rmSync(output, { recursive: true, force: true });
}
