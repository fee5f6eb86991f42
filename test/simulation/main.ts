import { parseArgs } from 'node:util';
import { simulate } from './simulate.ts';

/** `npm run simulate -- --seeds N [--from S]`; one seed alone prints its whole trace. */
const main = async (): Promise<void> => {
  const { values } = parseArgs({ options: { seeds: { type: 'string' }, from: { type: 'string' } } });
  const seeds = Number(values.seeds ?? 10_000);
  const from = Number(values.from ?? 1);
  const totals = { steps: 0, committed: 0, failed: 0 };
  const began = Date.now();
  for (let seed = from; seed < from + seeds; seed += 1) {
    const { violation, steps, committed, trace } = await simulate(seed, undefined, seeds === 1);
    totals.steps += steps;
    totals.committed += committed;
    if (seeds === 1) for (const line of trace) console.log(line);
    if (!violation) continue;
    totals.failed += 1;
    console.log(`seed ${seed}: ${violation.message}`);
  }
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  console.log(
    `${seeds} seeds, ${totals.committed} commits, ${totals.steps} steps, ${seconds} s: ${totals.failed} failed`,
  );
  process.exitCode = totals.failed === 0 ? 0 : 1;
};

void main();
