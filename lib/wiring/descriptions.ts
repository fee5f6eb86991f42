import { docsEdge, docsViewerEdge, healthEdge, openApiEdge } from '../descriptions/descriptions.http.ts';
import type { RouteFunction } from './function.ts';

export const healthFunction: RouteFunction<'health'> = { route: 'health', edge: healthEdge, ports: {} };

export const openApiFunction: RouteFunction<'openapi'> = { route: 'openapi', edge: openApiEdge, ports: {} };

export const docsFunction: RouteFunction<'docs'> = { route: 'docs', edge: docsEdge, ports: {} };

export const docsViewerFunction: RouteFunction<'docs-viewer'> = {
  route: 'docs-viewer',
  edge: docsViewerEdge,
  ports: {},
};
