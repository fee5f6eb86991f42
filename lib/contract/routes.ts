import { busRoutes } from './bus-routes.ts';
import { portalRoutes } from './portal-routes.ts';

/** Every address of the service. Infrastructure, local gateway, handlers and documentation read this table. */
export const routes = { ...busRoutes, ...portalRoutes } as const;

export type RouteId = keyof typeof routes;

/** The ports of a route's row: what its handler may use, and nothing else. */
export type RoutePort<R extends RouteId> = (typeof routes)[R]['ports'][number];
