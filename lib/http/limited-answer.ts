import type { Route } from '../contract/route.ts';
import { apiRefusal } from './api-refusal.ts';
import type { HttpAnswer } from './http-answer.ts';

/**
 * The 429 of a request that came too often, in the form of its API.
 *
 * @param waitMilliseconds until the next one is allowed; `Retry-After` is in whole seconds, rounded up
 */
export const limitedAnswer = (
  api: Route['api'],
  rule: 'rate.limited' | 'quota.exceeded',
  waitMilliseconds: number,
): HttpAnswer =>
  apiRefusal(api, rule, {
    headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMilliseconds / 1000))) },
  });
