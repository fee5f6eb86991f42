import { limits } from './limits.ts';
import type { Route } from './route.ts';

/** Who calls the portal, and what that person may do. */
const personPorts = ['clock', 'sessions.use', 'members.affiliation'] as const;

/** The routes on the portal's origin that programs may call. */
export const portalRoutes = {
  'skill-library': {
    api: 'portal',
    method: 'GET',
    path: '/api/skills/library',
    auth: 'none',
    ports: [],
    throttle: 'skillLibrary',
    crossOrigin: true,
  },
  'skill-validate': {
    api: 'portal',
    method: 'POST',
    path: '/api/skills/validate',
    auth: 'none',
    ports: [],
    throttle: 'skillValidate',
    bodyBytes: limits.skillBodyBytes,
    crossOrigin: true,
  },
  docs: {
    api: 'portal',
    method: 'GET',
    path: '/docs',
    auth: 'none',
    ports: [],
    throttle: 'documentation',
  },
  'docs-viewer': {
    api: 'portal',
    method: 'GET',
    path: '/docs/viewer.js',
    auth: 'none',
    ports: [],
    throttle: 'documentation',
  },
} as const satisfies Record<string, Route & { api: 'portal' }>;

/**
 * The portal's pages, and what they call, a function per resource: `lib/contract/portal.ts` lists the calls,
 * `portal-pages.ts` the pages. No supported API.
 */
export const pageRoutes = {
  portal: { api: 'portal', method: 'GET', path: '/', auth: 'none', ports: [], throttle: 'portal' },
  /** Every page but the first, and the files that they load: whatever no other route is for. */
  'portal-page': {
    api: 'portal',
    method: 'GET',
    path: '/{proxy+}',
    auth: 'none',
    ports: [],
    throttle: 'portal',
  },
  'portal-sign': {
    api: 'portal',
    method: 'ANY',
    path: '/api/sign/{proxy+}',
    auth: 'none',
    ports: [...personPorts, 'ids', 'sessions.start', 'provider'],
    throttle: 'portal',
    bodyBytes: limits.portalBodyBytes,
  },
  'portal-organisation': {
    api: 'portal',
    method: 'ANY',
    path: '/api/organisation/{proxy+}',
    auth: 'none',
    ports: [
      ...personPorts,
      'ids',
      'members.list',
      'members.change',
      'directory.find',
      'directory.list',
      'directory.request',
      'invitations.make',
      'invitations.accept',
      'changes.note',
      'changes.read',
    ],
    throttle: 'portal',
    bodyBytes: limits.portalBodyBytes,
  },
  'portal-workspace': {
    api: 'portal',
    method: 'ANY',
    path: '/api/workspace/{proxy+}',
    auth: 'none',
    ports: [
      ...personPorts,
      'ids',
      'members.vendors',
      'directory.find',
      'invitations.make',
      'connections.list',
      'changes.note',
      'registry.connection',
      'history.message',
      'history.feed',
      'history.inFlight',
      'acceptances.find',
      'archiveTail.read',
    ],
    throttle: 'portal',
    bodyBytes: limits.portalBodyBytes,
  },
  'portal-operator': {
    api: 'portal',
    method: 'ANY',
    path: '/api/operator/{proxy+}',
    auth: 'none',
    ports: [
      ...personPorts,
      'members.add',
      'directory.find',
      'directory.list',
      'directory.decide',
      'connections.list',
      'connections.ofApp',
      'connections.suspend',
      'changes.note',
    ],
    throttle: 'portal',
    bodyBytes: limits.portalBodyBytes,
  },
} as const satisfies Record<string, Route & { api: 'portal' }>;
