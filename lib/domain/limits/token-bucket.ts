import type { Bucket } from '../../contract/limits.ts';

/** What a bucket held when somebody last took from it. */
export interface BucketLevel {
  readonly tokens: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** What became of one request. */
export interface Taken {
  readonly allowed: boolean;
  readonly level: BucketLevel;
  /** Until the next request would be allowed; 0 when one would be now. */
  readonly waitMilliseconds: number;
}

/**
 * Takes one token, as API Gateway's throttling does: `burst` tokens at most, `perSecond` more each second.
 *
 * @param level undefined: the bucket is full
 * @param now epoch milliseconds
 */
export const takeToken = (
  { perSecond, burst }: Bucket,
  level: BucketLevel | undefined,
  now: number,
): Taken => {
  const elapsed = level ? Math.max(0, now - level.at) : 0;
  const filled = level ? Math.min(burst, level.tokens + (elapsed * perSecond) / 1000) : burst;
  const allowed = filled >= 1;
  const tokens = allowed ? filled - 1 : filled;
  const waitMilliseconds = tokens >= 1 ? 0 : Math.ceil(((1 - tokens) * 1000) / perSecond);
  return { allowed, level: { tokens, at: level ? Math.max(level.at, now) : now }, waitMilliseconds };
};
