import { resourcePathOf } from '../contract/addresses.ts';
import type { Bucket } from '../contract/limits.ts';
import { methodsOf, type Route } from '../contract/route.ts';
import { type RouteId, routes } from '../contract/routes.ts';

/** A row of the route table with its id. */
export interface RouteRow extends Route {
  readonly id: RouteId;
}

const isRouteId = (id: string): id is RouteId => id in routes;

export const routeRows: readonly RouteRow[] = Object.keys(routes)
  .filter(isRouteId)
  .map(id => ({ ...routes[id], id }));

export const rowsOf = (api: Route['api']): readonly RouteRow[] => routeRows.filter(row => row.api === api);

/** The methods that reach a row's function; preflights are answered elsewhere. */
export const servedMethods = (row: Route): readonly string[] =>
  methodsOf(row).filter(method => method !== 'OPTIONS');

/** How a stage names a method when it sets it apart from the others. */
export const methodKeys = (row: Route): readonly string[] =>
  servedMethods(row).map(method => `${resourcePathOf(row.path)}/${method}`);

/** A token bucket in API Gateway's words. */
export const throttling = ({ perSecond, burst }: Bucket) => ({
  throttlingRateLimit: perSecond,
  throttlingBurstLimit: burst,
});
