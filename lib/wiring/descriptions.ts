import { docsEdge, healthEdge, openApiEdge } from '../portal/descriptions/descriptions.http.ts';
import { portalPageEdge } from '../portal/pages.http.ts';
import type { RouteFunction } from './function.ts';

export const healthFunction: RouteFunction<'health'> = {
  route: 'health',
  edge: healthEdge,
  ports: {},
};

export const openApiFunction: RouteFunction<'openapi'> = {
  route: 'openapi',
  edge: openApiEdge,
  ports: {},
};

export const docsFunction: RouteFunction<'docs'> = { route: 'docs', edge: docsEdge, ports: {} };

export const docsPageFunction: RouteFunction<'docs-page'> = {
  route: 'docs-page',
  edge: docsEdge,
  ports: {},
};

export const portalFunction: RouteFunction<'portal'> = {
  route: 'portal',
  edge: portalPageEdge,
  ports: {},
};

export const portalPageFunction: RouteFunction<'portal-page'> = {
  route: 'portal-page',
  edge: portalPageEdge,
  ports: {},
};
