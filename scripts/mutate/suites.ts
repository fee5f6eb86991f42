import { importGraph, reachableFrom, readSources } from '../import-graph.ts';
import type { Mutant } from './mutants.ts';

/** Suites that read source texts, or that take long for what they would find. */
const ignored = /^test\/(structure|fuzz|torture|no-clocks)/;
/** Starts the built programs, for the suites that need them. */
const startsPrograms = 'test/support/service-process.ts';
/** Suites that read what a build makes. */
const readsBuild = /^test\/(docs|infra\/bundles)/;
/** Suites that take long: only for mutants that all others let pass. */
const slow = /^test\/simulation/;
/** How many of the suites that import a mutant's file are tried first. */
const maxNear = 8;

/** The suites of a checkout, and which of them may notice a mutant. */
export class Suites {
  readonly all: readonly string[];
  /** Those that may run the built service. */
  readonly ofBuild: ReadonlySet<string>;
  /** All that each of the others imports. */
  readonly #inProcess: readonly { readonly path: string; readonly files: ReadonlyMap<string, unknown> }[];

  constructor(checkout: string, paths: readonly string[]) {
    this.all = paths.filter(path => !ignored.test(path));
    const running = importGraph(readSources(checkout, ['lib', 'test', 'scripts']), { types: false });
    const reached = this.all.map(path => ({ path, files: reachableFrom(running, path) }));
    const ofBuild = reached.filter(({ path, files }) => files.has(startsPrograms) || readsBuild.test(path));
    this.ofBuild = new Set(ofBuild.map(({ path }) => path));
    this.#inProcess = reached.filter(({ path }) => !slow.test(path) && !this.ofBuild.has(path));
  }

  /**
   * The suites that import a mutant's file: first those that import little, and rather of its own folder. None that may run the built
   * service: it has no mutant, and would differ from what the suite has imported.
   */
  near(mutant: Mutant): readonly string[] {
    const own = mutant.file.replace(/^lib\/([^/]+)\/.*/, 'test/$1/');
    return this.#inProcess
      .filter(({ files }) => files.has(mutant.file))
      .map(({ path, files }) => ({ path, cost: files.size * (path.startsWith(own) ? 1 : 4) }))
      .sort((one, other) => one.cost - other.cost)
      .slice(0, maxNear)
      .map(({ path }) => path);
  }
}
