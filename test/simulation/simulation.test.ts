import { regressionSeeds } from './regression-seeds.ts';
import { type Outcome, simulate } from './simulate.ts';
import { right, type Variant } from './variant.ts';

const seeds = 2_000;

/** The last part of a failing seed's story, told again with every step. */
const explain = async (seed: number, variant: Variant): Promise<string> => {
  const { trace, violation } = await simulate(seed, variant, true);
  return [`seed ${seed}: ${violation?.message}`, ...trace.slice(-150)].join('\n');
};

const holds = async (seed: number): Promise<Outcome> => {
  const outcome = await simulate(seed);
  if (outcome.violation) throw new Error(await explain(seed, right));
  return outcome;
};

test.each(regressionSeeds)('seed %i holds: %s', async seed => {
  await holds(seed);
});

test(`I1 to I6 hold in ${seeds} worlds full of faults`, async () => {
  let committed = 0;
  for (let seed = 1; seed <= seeds; seed += 1) committed += (await holds(seed)).committed;
  expect(committed).toBeGreaterThan(seeds);
});

test('the same seed tells the same story', async () => {
  const [first, second] = [await simulate(77, right, true), await simulate(77, right, true)];
  expect(first.trace.length).toBeGreaterThan(20);
  expect(second.trace).toEqual(first.trace);
});
