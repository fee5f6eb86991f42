import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { anyPath, methodsOf, plainPath, resourcePathOf } from '../../contract/paths.ts';
import { apis, type Route } from '../../contract/route.ts';
import { type RouteId, routes } from '../../contract/routes.ts';

export interface RequestTarget {
  readonly path: string;
  readonly query: string;
}

/**
 * Splits the target of a request, in origin or absolute form (RFC 9112 section 3.2). Nothing is
 * normalised: a signature covers the path as it was sent.
 */
export const requestTarget = (target: string): RequestTarget => {
  const origin = target.replace(/^https?:\/\/[^/?#]*/i, '');
  const [path = '', ...query] = origin.split('?');
  return { path: path === '' ? '/' : path, query: query.join('?') };
};

export type RouteMatch =
  | {
      readonly kind: 'route';
      readonly id: RouteId;
      readonly pathParameters: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'method_not_allowed'; readonly rows: readonly Route[] }
  | { readonly kind: 'preflight'; readonly allow: readonly string[] }
  | { readonly kind: 'not_found' };

interface Row extends Route {
  readonly id: RouteId;
  readonly segments: readonly string[];
}

const isRouteId = (id: string): id is RouteId => Object.hasOwn(routes, id);

const rows: readonly Row[] = Object.keys(routes)
  .filter(isRouteId)
  .map(id => ({ ...routes[id], id, segments: routes[id].path.split('/') }));

const decoded = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
};

const parametersOf = (
  row: Row,
  segments: readonly string[],
): Record<string, string> | undefined => {
  // Of a path that is too short, nothing is left for it.
  const isGreedy = row.segments.at(-1) === '{proxy+}';
  if (!isGreedy && segments.length !== row.segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, pattern] of row.segments.entries()) {
    const segment = segments[index] ?? '';
    if (!pattern.startsWith('{')) {
      if (pattern !== segment) return undefined;
      continue;
    }
    const value = decoded(pattern === '{proxy+}' ? segments.slice(index).join('/') : segment);
    if (!value) return undefined;
    parameters[pattern.slice(1, -1).replace('+', '')] = value;
  }
  return parameters;
};

/**
 * How API Gateway ranks the parts of the resources that fit a path: text, then a variable, then the
 * whole rest.
 */
const rank = (part: string): number => {
  if (part === '{proxy+}') return 2;
  if (part.startsWith('{')) return 1;
  return 0;
};

/** The rows of the most specific resource: only its methods count. */
const mostSpecific = <Found extends { row: Row }>(found: readonly Found[]): readonly Found[] => {
  const ranks = ({ row }: Found): string => row.segments.map(rank).join('');
  const best = found.map(ranks).sort()[0];
  return found.filter(one => ranks(one) === best);
};

/**
 * The row of the route table that serves a method and path of one of the APIs, however many slashes
 * separate its segments.
 */
export const matchRoute = (api: Route['api'], method: string, path: string): RouteMatch => {
  const segments = plainPath(path).split('/');
  const fitting = rows.flatMap(row => {
    const pathParameters = row.api === api ? parametersOf(row, segments) : undefined;
    if (pathParameters) return [{ row, pathParameters }];
    return [];
  });
  const found = mostSpecific(fitting);
  const match = found.find(({ row }) => methodsOf(row).includes(method));
  if (!match && found.every(({ row }) => row.path === anyPath)) return { kind: 'not_found' };
  if (!match) return { kind: 'method_not_allowed', rows: found.map(({ row }) => row) };
  if (method === 'OPTIONS')
    return { kind: 'preflight', allow: found.flatMap(({ row }) => methodsOf(row)) };
  return { kind: 'route', id: match.row.id, pathParameters: match.pathParameters };
};

/** A request to a route, as the gateway in front of the functions has it. */
export interface Arrival {
  readonly route: RouteId;
  readonly method: string;
  readonly target: RequestTarget;
  readonly pathParameters: Readonly<Record<string, string>>;
  /** In the order of arrival; names in any case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly requestId: string;
}

/** What the gateway found out about who sent a request. */
export interface GatewayCaller {
  /** What the authoriser said. */
  readonly context?: unknown;
  readonly signer?: string;
}

const grouped = (pairs: Arrival['headers']): Record<string, string[]> => {
  const groups = new Map<string, string[]>();
  for (const [name, value] of pairs) groups.set(name, [...(groups.get(name) ?? []), value]);
  return Object.fromEntries(groups);
};

/**
 * The event that API Gateway passes to a function (proxy integration, format 1.0), as far as our
 * functions read it, without a body.
 */
export const proxyEvent = (
  { route, method, target, pathParameters, headers, requestId }: Arrival,
  { context, signer }: GatewayCaller,
): APIGatewayProxyEvent => {
  const query = [...new URLSearchParams(target.query)];
  const resource = resourcePathOf(routes[route]);
  const event = {
    resource,
    path: target.path, // without the stage, as with a custom domain
    httpMethod: method,
    headers: Object.fromEntries(headers),
    multiValueHeaders: grouped(headers),
    queryStringParameters: query.length > 0 ? Object.fromEntries(query) : null,
    multiValueQueryStringParameters: query.length > 0 ? grouped(query) : null,
    pathParameters,
    stageVariables: null,
    requestContext: {
      authorizer: context,
      httpMethod: method,
      identity: { userArn: signer ?? null },
      path: target.path,
      requestId,
      resourcePath: resource,
      stage: apis[routes[route].api].stage,
    },
    body: null,
    isBase64Encoded: false,
  };
  return event as unknown as APIGatewayProxyEvent;
};

export const authoriserEvent = (arrival: Arrival): APIGatewayRequestAuthorizerEvent => {
  const { method, target } = arrival;
  const methodArn = `arn:aws:execute-api:local:000000000000:local/local/${method}${target.path}`;
  const event = { ...proxyEvent(arrival, {}), type: 'REQUEST', methodArn };
  return event as unknown as APIGatewayRequestAuthorizerEvent;
};
