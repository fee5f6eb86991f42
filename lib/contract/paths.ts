import { daySeconds } from './limits.ts';
import { type Api, apis, type Route } from './route.ts';
import { type RouteId, routes } from './routes.ts';

type Address = Pick<Route, 'api' | 'path'>;

/**
 * What a custom domain maps to the stage: the path's first segment (`.well-known` exists only
 * there), or nothing.
 */
export const basePathOf = ({ api, path }: Address): string =>
  apis[api].stageInPaths ? (path.split('/')[1] ?? '') : '';

export const resourcePathOf = ({ api, path }: Address): string =>
  apis[api].stageInPaths ? `/${path.split('/').slice(2).join('/')}` : path;

export const pathBefore = (api: Api): string =>
  apis[api].stageInPaths ? '' : `/${apis[api].stage}`;

export const rowsAt = (stage: string, resource: string): readonly Route[] =>
  Object.values<Route>(routes).filter(
    row => apis[row.api].stage === stage && resourcePathOf(row) === resource,
  );

export const routeAt = (at: {
  stage: string;
  resource: string;
  method: string;
}): RouteId | undefined =>
  (Object.keys(routes) as readonly RouteId[]).find(
    id =>
      apis[routes[id].api].stage === at.stage &&
      resourcePathOf(routes[id]) === at.resource &&
      methodsOf(routes[id]).includes(at.method),
  );

/** Lets any web page read a response: nothing here needs credentials or depends on the caller. */
export const crossOriginHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, Retry-After, x-request-id',
} as const;

/**
 * Headers of a refusal by a route, or of a wrong method at its URL: web pages may read those of the
 * open routes of the catalogue, and no others. What API Gateway and the firewall refuse in front of
 * a route cannot know it, and carries none.
 */
export const refusalHeaders = ({ api, crossOrigin }: Route): Readonly<Record<string, string>> =>
  apis[api].refusals === 'catalogue' && crossOrigin ? crossOriginHeaders : {};

export const methodsOf = ({ method, crossOrigin }: Route): readonly string[] => [
  ...(method === 'ANY' ? ['GET', 'POST'] : [method]),
  ...(method === 'POST' ? [] : ['HEAD']),
  ...(crossOrigin ? ['OPTIONS'] : []),
];

/**
 * A path without empty segments and without a slash at the end: base URLs ending in `/v1` and in
 * `/v1/` lead to the same routes. API Gateway ignores both between the stage and the resource.
 */
export const plainPath = (path: string): string =>
  path.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');

/**
 * The path of a row that serves whatever no other row is for: an address that only it fits is no
 * route for other methods.
 */
export const anyPath = '/{proxy+}';

/** Whether a path has the form of a route's path: `{…}` stands for any segment. */
const isPathOf = (path: string, route: Route): boolean => {
  const segments = path.split('/');
  const pattern = route.path.split('/');
  const isGreedy = pattern.at(-1) === '{proxy+}' && segments.length > pattern.length;
  if (!isGreedy && segments.length !== pattern.length) return false;
  return pattern.every((part, index) => part.startsWith('{') || part === segments[index]);
};

const isPathIn = (api: Api, path: string): boolean =>
  Object.values<Route>(routes).some(
    route => route.api === api && route.path !== anyPath && isPathOf(path, route),
  );

/**
 * The address that was meant by a path with slashes too many; undefined if it is plain, or no
 * route's either way.
 */
const withoutSlashes = (api: Api, path: string): string | undefined => {
  const before = pathBefore(api);
  const asked = before !== '' && path.startsWith(`${before}/`) ? path.slice(before.length) : path;
  const plain = plainPath(asked);
  if (plain === asked || !isPathIn(api, plain)) return undefined;
  return path.slice(0, path.length - asked.length) + plain;
};

/**
 * What to tell whoever asks at an address without a route, if it is nearly one; undefined
 * otherwise.
 */
export const nearlyARoute = (api: Api, path: string): string | undefined => {
  const meant = withoutSlashes(api, path);
  if (meant !== undefined) return `The service has no route at this URL; it has one at ${meant}.`;
  if (api !== 'bus') return undefined;

  const { stage } = apis.bus;
  if (path.startsWith(`/${stage}/${stage}/`))
    return (
      `The service has no route at this URL: /${stage} is there twice. This program adds it to ` +
      `the base URL: give it that without /${stage}.`
    );

  const below = `/${stage}${plainPath(path)}`;
  if (!isPathIn(api, below)) return undefined;
  return (
    `The service has no route at this URL; did you mean ${below}? The base URL needs a final ` +
    'slash for relative URLs.'
  );
};

/**
 * What a browser needs to know before a page of another origin may call a route (Fetch standard,
 * CORS-preflight).
 */
export const preflightHeaders = (methods: readonly string[]): Readonly<Record<string, string>> => ({
  'access-control-allow-origin': '*',
  'access-control-allow-methods': methods.join(', '),
  'access-control-allow-headers': 'content-type, if-none-match',
  'access-control-max-age': String(daySeconds),
  'cache-control': `public, max-age=${daySeconds}`,
  allow: methods.join(', '),
});
