import { join } from 'node:path';
import { bundledOutput } from '../support/bundled-output.ts';
import { regressionSeeds } from './regression-seeds.ts';
import { simulate } from './simulate.ts';
import { right } from './variant.ts';

/** The last part of a failing seed's story, told again with every step. */
const explain = async (seed: number): Promise<string> => {
  const { trace, violation } = await simulate(seed, right, true);
  return [`seed ${seed}: ${violation?.message}`, ...trace.slice(-150)].join('\n');
};

test.each(regressionSeeds)('seed %i holds: %s', async seed => {
  const { violation } = await simulate(seed);
  if (violation) throw new Error(await explain(seed));
});

// Four times as many worlds a second as in jest's sandbox.
test('I1 to I6 hold in 600 worlds full of faults (npm run simulate: 10,000)', async () => {
  const slice = bundledOutput(join(__dirname, 'slice.ts')) as {
    readonly seeds: number;
    readonly committed: number;
    readonly broken: readonly number[];
  };
  const [first] = slice.broken;
  if (first !== undefined) throw new Error(await explain(first));
  expect(slice.seeds).toBe(600);
  expect(slice.committed).toBeGreaterThan(slice.seeds);
});

test('the same seed gives the same run', async () => {
  const [first, second] = [await simulate(77, right, true), await simulate(77, right, true)];
  expect(first.trace.length).toBeGreaterThan(20);
  expect(second.trace).toEqual(first.trace);
});
