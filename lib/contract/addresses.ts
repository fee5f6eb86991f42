import { daySeconds } from './limits.ts';
import { type Api, apis, type Route, routes } from './routes.ts';

/**
 * The stage that each API is deployed as. API Gateway puts the stage before every path, so a stage named like the first
 * segment of the paths gives the addresses of the route table, with and without a custom domain.
 */
export const stages = { bus: apis.bus.stage, portal: apis.portal.stage } as const satisfies Record<
  Api,
  string
>;

/** A path's first segment: the stage, or what a custom domain maps to it (`.well-known` exists only there). */
export const basePathOf = (path: Route['path']): string => path.split('/')[1] ?? '';

/** A path without its first segment: where its method is in the API's resource tree. */
export const resourcePathOf = (path: Route['path']): string => `/${path.split('/').slice(2).join('/')}`;

/** The rows at a resource of a stage, as API Gateway's events name them (`requestContext.stage`, `resource`). */
export const rowsAt = (stage: string, resource: string): readonly Route[] =>
  Object.values<Route>(routes).filter(
    ({ api, path }) => apis[api].stage === stage && resourcePathOf(path) === resource,
  );

/** Lets any web page read an answer: nothing here needs credentials or depends on the caller. */
export const crossOriginHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, Retry-After, x-request-id',
} as const;

/** Headers of every refusal of an API: web pages may read those of the catalogue. */
export const refusalHeaders = (api: Api): Readonly<Record<string, string>> =>
  apis[api].refusals === 'catalogue' ? crossOriginHeaders : {};

/** The methods that a route's address supports. */
export const methodsOf = ({ method, crossOrigin }: Route): readonly string[] => [
  ...(method === 'ANY' ? ['GET', 'POST'] : [method]),
  ...(method === 'POST' ? [] : ['HEAD']),
  ...(crossOrigin ? ['OPTIONS'] : []),
];

/**
 * A path without empty segments and without a slash at the end: base addresses ending in `/v1` and in `/v1/` lead to the same
 * routes. API Gateway ignores both between the stage and the resource.
 */
export const plainPath = (path: string): string => path.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');

/** Whether a path has the form of a route's path: `{…}` stands for any segment. */
const isPathOf = (path: string, route: Route): boolean => {
  const segments = path.split('/');
  const pattern = route.path.split('/');
  return (
    (pattern.at(-1) === '{proxy+}'
      ? segments.length >= pattern.length
      : segments.length === pattern.length) &&
    pattern.every((part, index) => part.startsWith('{') || part === segments[index])
  );
};

/** The address that was meant by a path with slashes too many; undefined if it is plain, or no route's either way. */
export const meantAddress = (api: Api, path: string): string | undefined => {
  const plain = plainPath(path);
  const known = Object.values<Route>(routes).some(route => route.api === api && isPathOf(plain, route));
  return known && plain !== path ? plain : undefined;
};

/** What a browser needs to know before a page of another origin may call a route (Fetch standard, CORS-preflight). */
export const preflightHeaders = (methods: readonly string[]): Readonly<Record<string, string>> => ({
  'access-control-allow-origin': '*',
  'access-control-allow-methods': methods.join(', '),
  'access-control-allow-headers': 'content-type, if-none-match',
  'access-control-max-age': String(daySeconds),
  'cache-control': `public, max-age=${daySeconds}`,
  allow: methods.join(', '),
});
