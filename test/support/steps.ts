import { Session } from 'node:inspector';

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
}

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

const stepsSinceLast = (): number => {
  let steps = 0;
  session.post('Profiler.takePreciseCoverage', (error, coverage) => {
    if (error) throw error;
    const bundle = (coverage as Coverage).result.filter(({ url }) => url.endsWith(__filename));
    for (const { functions } of bundle)
      for (const { ranges } of functions) for (const { count } of ranges) steps += count;
  });
  return steps;
};

/**
 * How many blocks of code a piece of work runs: calls, branches and turns of loops, in this project
 * and in its packages. V8 counts them for coverage, so the number is the same on every machine,
 * however busy. What built-ins do inside is not in it. For a bundle, which has to import this
 * first: V8 counts only in what it compiles afterwards. It has to run with `--no-opt`: the
 * optimiser leaves out some of the counting.
 */
export const stepsOf = (work: () => unknown): number => {
  stepsSinceLast();
  work();
  return stepsSinceLast();
};
