import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { anyPath, methodsOf, plainPath, resourcePathOf, stages } from '../contract/paths.ts';
import type { Route } from '../contract/route.ts';
import { type RouteId, routes } from '../contract/routes.ts';
import { localAccount } from '../engines/machine.ts';
import { headerPairs } from '../engines/raw-request.ts';
import type { InProcess } from '../http/request.ts';

export interface RequestTarget {
  readonly path: string;
  readonly query: string;
}

/**
 * Splits the target of a request, in origin or absolute form (RFC 9112 section 3.2). Nothing is normalised: a signature covers the
 * path as it was sent.
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
  | { readonly kind: 'method_not_allowed'; readonly allow: readonly string[] }
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

const parametersOf = (row: Row, segments: readonly string[]): Record<string, string> | undefined => {
  const isGreedy = row.segments.at(-1) === '{proxy+}';
  const fits = isGreedy ? segments.length >= row.segments.length : segments.length === row.segments.length;
  if (!fits) return undefined;
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

/** How API Gateway ranks the parts of the resources that fit a path: text, then a variable, then the whole rest. */
const rank = (part: string): number => (part === '{proxy+}' ? 2 : part.startsWith('{') ? 1 : 0);

/** The rows of the most specific resource: only its methods count. */
const mostSpecific = <Found extends { readonly row: Row }>(found: readonly Found[]): readonly Found[] => {
  const ranks = ({ row }: Found): string => row.segments.map(rank).join('');
  const best = found.map(ranks).sort()[0];
  return found.filter(one => ranks(one) === best);
};

/** The row of the route table that serves a method and path of one of the APIs, however many slashes separate its segments. */
export const matchRoute = (api: Route['api'], method: string, path: string): RouteMatch => {
  const segments = plainPath(path).split('/');
  const fitting = rows.flatMap(row => {
    const pathParameters = row.api === api ? parametersOf(row, segments) : undefined;
    return pathParameters ? [{ row, pathParameters }] : [];
  });
  const found = mostSpecific(fitting);
  const match = found.find(({ row }) => methodsOf(row).includes(method));
  if (!match && found.every(({ row }) => row.path === anyPath)) return { kind: 'not_found' };
  const allow = found.flatMap(({ row }) => methodsOf(row));
  if (!match) return { kind: 'method_not_allowed', allow };
  return method === 'OPTIONS'
    ? { kind: 'preflight', allow }
    : { kind: 'route', id: match.row.id, pathParameters: match.pathParameters };
};

export interface Arrival {
  readonly route: RouteId;
  readonly request: IncomingMessage;
  readonly target: RequestTarget;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly requestId: string;
  readonly gone: AbortSignal;
}

export interface Caller {
  readonly context?: object;
  readonly signer?: string;
}

const grouped = (pairs: Iterable<readonly [string, string]>): Record<string, string[]> => {
  const groups = new Map<string, string[]>();
  for (const [name, value] of pairs) groups.set(name, [...(groups.get(name) ?? []), value]);
  return Object.fromEntries(groups);
};

const requestContext = ({ route, request, target, requestId }: Arrival, { context, signer }: Caller) => ({
  accountId: localAccount.account,
  apiId: 'local',
  authorizer: context,
  httpMethod: request.method ?? 'GET',
  identity: {
    sourceIp: request.socket.remoteAddress ?? '',
    userAgent: request.headers['user-agent'] ?? null,
    userArn: signer ?? null,
  },
  path: target.path,
  protocol: `HTTP/${request.httpVersion}`,
  requestId,
  requestTimeEpoch: 0,
  resourceId: route,
  resourcePath: resourcePathOf(routes[route]),
  stage: stages[routes[route].api],
});

/** The event that API Gateway passes to a function (proxy integration, format 1.0), without its body, which is beside it. */
export const proxyEvent = (arrival: Arrival, caller: Caller): APIGatewayProxyEvent & InProcess => {
  const { request, target, route, pathParameters, body, gone } = arrival;
  const query = [...new URLSearchParams(target.query)];
  const headers = headerPairs(request);
  const event = {
    resource: resourcePathOf(routes[route]),
    path: target.path, // without the stage, as with a custom domain
    httpMethod: request.method ?? 'GET',
    headers: Object.fromEntries(headers),
    multiValueHeaders: grouped(headers),
    queryStringParameters: query.length > 0 ? Object.fromEntries(query) : null,
    multiValueQueryStringParameters: query.length > 0 ? grouped(query) : null,
    pathParameters: { ...pathParameters },
    stageVariables: null,
    requestContext: requestContext(arrival, caller),
    body: null,
    isBase64Encoded: false,
    bytes: body,
    gone,
  };
  return event as unknown as APIGatewayProxyEvent & InProcess; // without the members for client certificates and Cognito, which nothing reads
};

export const authoriserEvent = (arrival: Arrival): APIGatewayRequestAuthorizerEvent => {
  const method = arrival.request.method ?? 'GET';
  const event = {
    ...proxyEvent(arrival, {}),
    type: 'REQUEST',
    methodArn: `arn:aws:execute-api:local:${localAccount.account}:local/local/${method}${arrival.target.path}`,
  };
  return event as unknown as APIGatewayRequestAuthorizerEvent; // as above
};
