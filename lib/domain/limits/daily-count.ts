import { dayMilliseconds } from '../../contract/durations.ts';

/** How many requests a connection made on one day, UTC. */
export interface DailyCount {
  /** Days since 1970-01-01. */
  readonly day: number;
  readonly requests: number;
}

/** What became of one request. */
export interface DayCounted {
  readonly allowed: boolean;
  readonly count: DailyCount;
  /** Until 00:00 UTC, when counting begins anew. */
  readonly resetMilliseconds: number;
}

/** Counts one request against the allowance of its day. @param now epoch milliseconds */
export const countOfDay = (perDay: number, before: DailyCount | undefined, now: number): DayCounted => {
  const day = Math.floor(now / dayMilliseconds);
  const requests = before?.day === day ? before.requests : 0;
  const allowed = requests < perDay;
  const resetMilliseconds = (day + 1) * dayMilliseconds - now;
  return { allowed, count: { day, requests: allowed ? requests + 1 : requests }, resetMilliseconds };
};
