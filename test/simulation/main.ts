import { parseArgs } from 'node:util';
import { plantedBugs } from './planted-bugs.ts';
import { findPlanted, simulate } from './simulate.ts';

const simulateSeeds = async (seeds: number, from: number): Promise<boolean> => {
  const totals = { steps: 0, committed: 0, failed: 0 };
  for (let seed = from; seed < from + seeds; seed += 1) {
    const { violation, steps, committed, trace } = await simulate(seed, undefined, seeds === 1);
    totals.steps += steps;
    totals.committed += committed;
    if (seeds === 1) for (const line of trace) console.log(line);
    if (!violation) continue;
    totals.failed += 1;
    console.log(`seed ${seed}: ${violation.message}`);
  }
  console.log(
    `${seeds} seeds, ${totals.committed} commits, ${totals.steps} steps: ${totals.failed} failed`,
  );
  return totals.failed === 0;
};

const findAll = async (): Promise<boolean> => {
  let all = true;
  for (const bug of plantedBugs) {
    const found = await findPlanted(bug);
    const isRight = found !== undefined && [bug.breaks].flat().includes(found.invariant);
    all &&= isRight;
    console.log(
      `${bug.name}: ${found ? `seed ${found.seed} breaks ${found.invariant}` : 'not found'}${isRight ? '' : ', WRONG'}`,
    );
  }
  return all;
};

/**
 * `npm run simulate -- --seeds N [--from S]`; one seed alone prints its whole trace. `--planted`
 * finds every planted bug.
 */
const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: { seeds: { type: 'string' }, from: { type: 'string' }, planted: { type: 'boolean' } },
  });
  const good = values.planted
    ? await findAll()
    : await simulateSeeds(Number(values.seeds ?? 10_000), Number(values.from ?? 1));
  process.exitCode = good ? 0 : 1;
};

void main();
