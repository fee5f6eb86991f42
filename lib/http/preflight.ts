import { daySeconds } from '../contract/durations.ts';
import { answer, type HttpAnswer } from './http-answer.ts';

/** What a browser asks for before a page of another origin may call a route (Fetch standard, CORS-preflight). */
export const preflightAnswer = (methods: readonly string[]): HttpAnswer =>
  answer(204, undefined, {
    headers: {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': 'content-type, if-none-match',
      'access-control-max-age': String(daySeconds),
      'cache-control': `public, max-age=${daySeconds}`,
      allow: methods.join(', '),
    },
  });
