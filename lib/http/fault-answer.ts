import { type RouteId, routes } from '../contract/routes.ts';
import { apiRefusal } from './api-refusal.ts';
import type { HttpAnswer } from './http-answer.ts';
import { tokenError } from './token.ts';

/** What a caller gets when something behind a route failed: always a 503 that may be retried. */
export const faultAnswer = (route: RouteId): HttpAnswer =>
  route === 'token'
    ? tokenError(
        'temporarily_unavailable',
        'The credentials could not be checked, or the token not signed. Try again with a growing pause.',
      )
    : apiRefusal(routes[route].api, 'registry.unavailable');
