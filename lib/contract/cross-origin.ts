import { daySeconds } from './limits.ts';
import { type Api, apis, type Route } from './routes.ts';

/** What lets any web page read an answer: nothing here needs credentials or tells one caller more than another. */
export const crossOriginHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, Retry-After, x-request-id',
} as const;

/** Headers of every refusal of an API: web pages may read those of the catalogue. */
export const refusalHeaders = (api: Api): Readonly<Record<string, string>> =>
  apis[api].refusals === 'catalogue' ? crossOriginHeaders : {};

/** The methods that a route's address answers to. */
export const methodsOf = ({ method, crossOrigin }: Route): readonly string[] => [
  method,
  ...(crossOrigin && method === 'GET' ? ['HEAD'] : []),
  ...(crossOrigin ? ['OPTIONS'] : []),
];

/** What a browser wants to know before a page of another origin may call a route (Fetch standard, CORS-preflight). */
export const preflightHeaders = (methods: readonly string[]): Readonly<Record<string, string>> => ({
  'access-control-allow-origin': '*',
  'access-control-allow-methods': methods.join(', '),
  'access-control-allow-headers': 'content-type, if-none-match',
  'access-control-max-age': String(daySeconds),
  'cache-control': `public, max-age=${daySeconds}`,
  allow: methods.join(', '),
});
