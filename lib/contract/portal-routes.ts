import type { Route } from './route.ts';

/** The part of the route table that the portal serves. */
export const portalRoutes = {
  'skill-library': {
    api: 'portal',
    method: 'GET',
    path: '/api/skills/library',
    auth: 'none',
    ports: [],
    throttle: 'skillLibrary',
    crossOrigin: true,
    summary: 'the skills, as data',
  },
  'skill-validate': {
    api: 'portal',
    method: 'POST',
    path: '/api/skills/validate',
    auth: 'none',
    ports: [],
    throttle: 'skillValidate',
    crossOrigin: true,
    summary: 'check skill instances before they are registered',
  },
  docs: {
    api: 'portal',
    method: 'GET',
    path: '/docs',
    auth: 'none',
    ports: [],
    throttle: 'documentation',
    summary: 'both descriptions, for people',
  },
  'docs-viewer': {
    api: 'portal',
    method: 'GET',
    path: '/docs/viewer.js',
    auth: 'none',
    ports: [],
    throttle: 'documentation',
    summary: 'the script of that page',
  },
} as const satisfies Record<string, Route & { api: 'portal' }>;
