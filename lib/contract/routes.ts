import { busRoutes, publishPorts } from './bus-routes.ts';
import { limits } from './limits.ts';
import { apis, type RefusalShape, type Route } from './route.ts';

const page = {
  api: 'portal',
  method: 'GET',
  auth: 'none',
  ports: [],
  throttle: 'portal',
  servedBy: 'portal-pages',
} as const;
const library = { api: 'portal', auth: 'none', ports: [], crossOrigin: true } as const;

export const portalRoutes = {
  'skill-library': {
    ...library,
    method: 'GET',
    path: '/api/skills/library',
    throttle: 'skillLibrary',
  },
  'skill-validate': {
    ...library,
    method: 'POST',
    path: '/api/skills/validate',
    throttle: 'skillValidate',
    bodyBytes: limits.skillBodyBytes,
  },
  docs: { ...page, path: '/docs' },
} as const satisfies Record<string, Route & { api: 'portal' }>;

export const pageRoutes = {
  portal: { ...page, path: '/' },
  /** Every page but the first, and the files that they load: whatever no other route is for. */
  'portal-page': { ...page, path: '/{proxy+}' },
  'docs-page': { ...page, path: '/docs/{proxy+}' },
  'portal-call': {
    api: 'portal',
    method: 'ANY',
    path: '/api/{proxy+}',
    auth: 'none',
    ports: [
      // People publish, too.
      ...publishPorts,
      'busVersion',
      'archiveDays',
      'seals',
      'sessions',
      'provider',
      'members',
      'directory',
      'bounds',
      'invitations',
      'accounts',
      'connections.find',
      'connections.manage',
      'queueAdmin',
      'usagePlans',
      'principals.manage',
      'identityProviders',
      'skills.read',
      'skills.change',
      'marks',
      'checkRuns.start',
      'checkRuns.list',
      'checkRuns.read',
      'checkRuns.stop',
      'replays.manage',
      'replayList',
      'depths.read',
      'queueAges.measure',
      'alarmStates',
      'backlog.read',
      'archive.read',
      'archiveTail.read',
      'acceptances.find',
      'stories.startOver',
      'history.message',
      'history.feed',
      'history.inFlight',
      'history.titles',
      'counts',
      'refusedTexts',
      'changes',
      'alerts.manage',
      'webhooks',
      'mails',
    ],
    throttle: 'portal',
    bodyBytes: limits.portalBodyBytes,
  },
} as const satisfies Record<string, Route & { api: 'portal' }>;

/** The addresses that are described: the supported API, and its documentation. */
export const describedRoutes = { ...busRoutes, ...portalRoutes } as const;

export type DescribedRouteId = keyof typeof describedRoutes;

export const routes = { ...describedRoutes, ...pageRoutes } as const;

export type RouteId = keyof typeof routes;

/** The accesses of a route's row: what its handler may use, and nothing else. */
export type RouteAccess<R extends RouteId> = (typeof routes)[R]['ports'][number];

const row = (id: RouteId): Route => routes[id];

export const refusalShapeOf = (id: RouteId): RefusalShape =>
  row(id).refusals ?? apis[row(id).api].refusals;

/** The largest body that a route reads, in bytes. */
export const bodyLimitOf = (id: RouteId): number => row(id).bodyBytes ?? limits.gatewayBodyBytes;
