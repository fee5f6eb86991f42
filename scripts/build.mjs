// Bundles the command line (and with it the local service) into dist/sombus.js.
import { chmodSync, existsSync } from 'node:fs';
import { build } from 'esbuild';

const entry = 'bin/sombus.ts';
if (existsSync(entry)) {
  await build({
    entryPoints: [entry],
    outfile: 'dist/sombus.js',
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'cjs',
    mainFields: ['module', 'main'],
    sourcemap: true,
    logLevel: 'warning',
    banner: { js: '#!/usr/bin/env node' },
  });
  chmodSync('dist/sombus.js', 0o755);
}
