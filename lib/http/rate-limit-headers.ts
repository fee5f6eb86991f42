import { daySeconds } from '../contract/durations.ts';
import type { Quota } from '../contract/limits.ts';

/**
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers): `q` requests in a window of `w` seconds,
 * `r` of them left, `t` seconds until more. `burst` is the bucket, `day` the daily quota.
 */
export const rateLimitHeaders = (
  quota: Quota,
  left: { readonly tokens: number; readonly requestsToday: number; readonly resetMilliseconds: number },
): Record<string, string> => {
  const window = Math.ceil(quota.burst / quota.perSecond);
  const refill = Math.ceil((quota.burst - left.tokens) / quota.perSecond);
  const today = quota.perDay - left.requestsToday;
  const reset = Math.ceil(left.resetMilliseconds / 1000);
  return {
    'ratelimit-policy': `"burst";q=${quota.burst};w=${window}, "day";q=${quota.perDay};w=${daySeconds}`,
    ratelimit: `"burst";r=${Math.floor(left.tokens)};t=${refill}, "day";r=${today};t=${reset}`,
  };
};
