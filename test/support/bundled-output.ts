import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';

/**
 * What a program prints as JSON, bundled as the service is and run by a plain Node: jest's sandbox
 * changes what runs.
 */
export const bundledOutput = (entry: string, ...flags: readonly string[]): unknown => {
  const folder = mkdtempSync(join(tmpdir(), 'sombus-bundled-'));
  try {
    const outfile = join(folder, 'program.cjs');
    buildSync({
      entryPoints: [entry],
      outfile,
      bundle: true,
      platform: 'node',
      target: 'node20.19',
    });
    const options = { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;
    const { stdout, stderr } = spawnSync(process.execPath, [...flags, outfile], options);
    if (stderr !== '') throw new Error(stderr);
    return JSON.parse(stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
};
