import { refuse } from '../app/refusal.ts';
import type { Route } from '../contract/routes.ts';
import { answer, type HttpAnswer, refusalAnswer } from './http-answer.ts';
import { crossOrigin } from './skill-refusal.ts';

/**
 * The 429 of a request that came too often, in the form of its API.
 *
 * @param waitMilliseconds until the next one is allowed; `Retry-After` is in whole seconds, rounded up
 */
export const limitedAnswer = (
  api: Route['api'],
  rule: 'rate.limited' | 'quota.exceeded',
  waitMilliseconds: number,
): HttpAnswer => {
  const retryAfter = { 'retry-after': String(Math.max(1, Math.ceil(waitMilliseconds / 1000))) };
  if (api === 'portal') {
    const body = {
      code: rule,
      message: 'Too many requests in a short time: wait as long as Retry-After says.',
    };
    return answer(429, body, { headers: { ...crossOrigin, ...retryAfter }, log: { rule } });
  }
  const refusal = refusalAnswer(refuse(rule));
  return { ...refusal, headers: { ...refusal.headers, ...retryAfter } };
};
