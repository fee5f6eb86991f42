import { anyPath, methodsOf, plainPath } from '../contract/addresses.ts';
import type { Route } from '../contract/route.ts';
import { type RouteId, routes } from '../contract/routes.ts';

/** The target of a request, exactly as it was sent. */
export interface RequestTarget {
  readonly path: string;
  /** Without the question mark. */
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

/** Where a method and path lead. */
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
