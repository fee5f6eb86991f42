import { simulate } from './simulate.ts';
import type { Variant } from './variant.ts';

const seeds = 1_000;

/** The first seed that shows a bug, and the invariant that it breaks there. */
export interface Found {
  readonly seed: number;
  readonly invariant: string;
}

/** Searches for a planted bug: at its known seed, if there is one, and then from the first seed on. */
export const findPlanted = async (bug: Variant, known?: number): Promise<Found | undefined> => {
  const all = Array.from({ length: seeds }, (_, index) => index + 1);
  for (const seed of known === undefined ? all : [known, ...all]) {
    const { violation } = await simulate(seed, bug);
    if (violation) return { seed, invariant: violation.invariant };
  }
  return undefined;
};
