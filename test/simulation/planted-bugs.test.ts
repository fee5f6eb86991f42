import { plantedBugs } from './planted-bugs.ts';
import { simulate } from './simulate.ts';
import type { Variant } from './variant.ts';

const seeds = 1_000;

const firstFailure = async (variant: Variant): Promise<string | undefined> => {
  for (let seed = 1; seed <= seeds; seed += 1) {
    const { violation } = await simulate(seed, variant);
    if (violation) return violation.invariant;
  }
  return undefined;
};

test.each(plantedBugs.map(bug => [bug.name, bug] as const))(
  `the simulation finds within ${seeds} seeds: %s`,
  async (_name, bug) => {
    expect([bug.breaks].flat()).toContain((await firstFailure(bug)) ?? 'nothing');
  },
);
