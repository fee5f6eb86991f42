import type { Quota, Tier } from '../../contract/limits.ts';

/** A tier, or numbers of its own instead of the tier's. */
export interface Allotment {
  readonly tier: Tier;
  readonly quota?: Quota;
}
