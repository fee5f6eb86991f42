import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { parse } from 'yaml';
import type { CheckKind } from '../../../lib/contract/portal/checks.ts';

/** One text of a source, and what stands there instead. */
export interface Patch {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** The case that is meant to look at it. */
  readonly meant: string;
}

/** A fault, and the cases of a plan that fail because of it. */
export interface PlantedFault extends Patch {
  readonly fault: string;
  readonly also?: {
    readonly cases: readonly string[] | 'each with a response';
    readonly because: string;
  };
  readonly onBus?: {
    readonly mayDiffer: readonly string[] | 'all others';
    readonly because: string;
  };
}

/** A program that does the same in another way, and is as good. */
interface CorrectVariant extends Patch {
  readonly variant: string;
}

interface Planted extends Readonly<Record<CheckKind, readonly PlantedFault[]>> {
  readonly variants: Readonly<Record<Exclude<CheckKind, 'executor'>, readonly CorrectVariant[]>>;
}

export const planted: Planted = parse(readFileSync('test/checks/planted/faults.yaml', 'utf8'));

const planting = ({ file, find, replace }: Patch): Plugin => ({
  name: 'fault',
  setup({ onLoad }) {
    if (!existsSync(file)) throw new Error(`There is no ${file}.`);
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (path !== resolve(file)) return undefined;
      const source = readFileSync(path, 'utf8');
      if (source.split(find).length !== 2) throw new Error(`${file} has not one "${find}".`);
      return { contents: source.replace(find, () => replace), loader: 'ts' };
    });
  },
});

/**
 * Some of our modules with a fault in one of them; without one, as they are.
 *
 * @param files whose exports are given, such as `lib/kit/executor/index.ts`
 */
export const modulesWith = async <Exports>(
  files: readonly string[],
  patch?: Patch,
): Promise<Exports> => {
  const { outputFiles } = await build({
    stdin: {
      contents: files.map(file => `export * from './${file}';`).join('\n'),
      resolveDir: '.',
    },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    logLevel: 'error',
    plugins: patch ? [planting(patch)] : [],
  });
  const module = { exports: {} };
  new Function('module', 'exports', 'require', outputFiles[0]?.text ?? '')(
    module,
    module.exports,
    require,
  );
  return module.exports as Exports; // the same sources, but for the fault
};

/**
 * The ids of the cases that fail because of a fault, sorted.
 *
 * @param answered the cases of which a response is expected
 */
export const failing = (
  { meant, also }: PlantedFault,
  answered: readonly string[],
): readonly string[] => {
  const others = also?.cases ?? [];
  return [...new Set([meant, ...(typeof others === 'string' ? answered : others)])].sort();
};
