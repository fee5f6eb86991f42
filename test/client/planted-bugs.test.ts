import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import type * as client from '../../lib/client/index.ts';
import { caseTable } from './case-table.ts';
import { type PlantedBug, plantedBugs } from './planted-bugs.ts';
import { runCase } from './run-case.ts';

const planting = ({ file, find, replace }: PlantedBug): Plugin => ({
  name: 'bug',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (path !== resolve(file)) return undefined;
      const source = readFileSync(path, 'utf8');
      expect(source.split(find)).toHaveLength(2);
      return { contents: source.replace(find, () => replace), loader: 'ts' };
    });
  },
});

/** The client with a bug. */
const withBug = async (bug: PlantedBug): Promise<typeof client> => {
  const { outputFiles } = await build({
    entryPoints: ['lib/client/index.ts'],
    bundle: true,
    write: false,
    format: 'cjs',
    target: 'node20',
    logLevel: 'error',
    plugins: [planting(bug)],
  });
  const module = { exports: {} };
  new Function('module', 'exports', outputFiles[0]?.text ?? '')(module, module.exports);
  return module.exports as typeof client; // the same source, but for the bug
};

test.each(plantedBugs.map(bug => [bug.bug, bug] as const))('the table finds: %s', async (_title, bug) => {
  const mutant = await withBug(bug);
  for (const row of caseTable) if ((await runCase(mutant, row)) !== undefined) return;
  throw new Error('No case finds it.');
});
