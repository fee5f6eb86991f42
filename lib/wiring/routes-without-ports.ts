import { docsEdge, docsViewerEdge, healthEdge, openApiEdge } from '../descriptions/descriptions.http.ts';
import { skillLibraryEdge, skillValidateEdge } from '../skills/skills.http.ts';
import type { RouteFunction } from './function.ts';

// The routes that use no port.

export const healthFunction: RouteFunction<'health'> = { route: 'health', edge: healthEdge, ports: {} };

export const openApiFunction: RouteFunction<'openapi'> = { route: 'openapi', edge: openApiEdge, ports: {} };

export const docsFunction: RouteFunction<'docs'> = { route: 'docs', edge: docsEdge, ports: {} };

export const docsViewerFunction: RouteFunction<'docs-viewer'> = {
  route: 'docs-viewer',
  edge: docsViewerEdge,
  ports: {},
};

export const skillLibraryFunction: RouteFunction<'skill-library'> = {
  route: 'skill-library',
  edge: skillLibraryEdge,
  ports: {},
};

export const skillValidateFunction: RouteFunction<'skill-validate'> = {
  route: 'skill-validate',
  edge: skillValidateEdge,
  ports: {},
};
