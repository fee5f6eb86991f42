// Bundles the command line (and with it the local service) into dist/sombus.js, and the thread of its queue engine into
// dist/sqs-thread.js.
import { chmodSync, existsSync } from 'node:fs';
import { build } from 'esbuild';

const entryPoints = { sombus: 'bin/sombus.ts', 'sqs-thread': 'lib/engines/sqs/thread.ts' };
if (existsSync(entryPoints.sombus)) {
  await build({
    entryPoints,
    outdir: 'dist',
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
