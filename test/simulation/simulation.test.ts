import { join } from 'node:path';
import { bundledOutput } from '../support/bundled-output.ts';
import { simulate } from './simulate.ts';
import { right } from './variant.ts';

/** The end of the trace of a failing seed. */
const explain = async (seed: number): Promise<string> => {
  const { trace, violation } = await simulate(seed, right, true);
  return [`seed ${seed}: ${violation?.message}`, ...trace.slice(-150)].join('\n');
};

/** Seeds that once found a bug, and which bug. */
test.each([
  [
    288,
    'a commit whose try was repeated came back as a conflict, and a failed read then denied it',
  ],
  [482, 'the same, at another commit'],
])('seed %i holds: %s', async seed => {
  const { violation, committed } = await simulate(seed);
  if (violation) throw new Error(await explain(seed));
  expect(committed).toBeGreaterThan(0);
});

// Outside of jest's sandbox it runs four times as many worlds a second.
test('I1 to I6 hold in 400 worlds full of faults (npm run simulate: 10,000)', async () => {
  const slice = bundledOutput(join(__dirname, 'slice.ts')) as {
    readonly seeds: number;
    readonly committed: number;
    readonly broken: readonly number[];
  };
  const [first] = slice.broken;
  if (first !== undefined) throw new Error(await explain(first));
  expect(slice.seeds).toBe(400);
  expect(slice.committed).toBeGreaterThan(slice.seeds);
});

test('the same seed gives the same run', async () => {
  const [first, second] = [await simulate(77, right, true), await simulate(77, right, true)];
  expect(first.trace.length).toBeGreaterThan(20);
  expect(second.trace).toEqual(first.trace);
});
