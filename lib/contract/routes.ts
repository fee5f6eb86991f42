import { busRoutes } from './bus-routes.ts';
import { limits } from './limits.ts';
import { pageRoutes, portalRoutes } from './portal-routes.ts';
import { apis, type RefusalShape, type Route } from './route.ts';

/** The addresses that are described: the supported API, and its documentation. */
export const describedRoutes = { ...busRoutes, ...portalRoutes } as const;

export type DescribedRouteId = keyof typeof describedRoutes;

export const routes = { ...describedRoutes, ...pageRoutes } as const;

export type RouteId = keyof typeof routes;

/** The accesses of a route's row: what its handler may use, and nothing else. */
export type RouteAccess<R extends RouteId> = (typeof routes)[R]['ports'][number];

const row = (id: RouteId): Route => routes[id];

export const refusalShapeOf = (id: RouteId): RefusalShape => row(id).refusals ?? apis[row(id).api].refusals;

/** The largest body that a route reads, in bytes. */
export const bodyLimitOf = (id: RouteId): number => row(id).bodyBytes ?? limits.gatewayBodyBytes;
