import { limits } from '../../contract/limits.ts';
import type { Lease } from './log.ts';

/** The time whose leases are over for everybody, however the clocks differ: those that ended at it or before. */
export const takeoverTime = (now: number): number => now - limits.clockSkewMilliseconds;

/** Whether nobody holds a lease any more, or ever did. */
export const isFree = (lease: Lease | undefined, now: number): boolean =>
  lease === undefined || lease.until <= takeoverTime(now);

/** A lease that begins now. */
export const newLease = (owner: string, now: number): Lease => ({
  owner,
  until: now + limits.leaseMilliseconds,
});
