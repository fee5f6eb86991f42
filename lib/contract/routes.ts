import { limits, type Throttle } from './limits.ts';

/** The two APIs. API Gateway, the firewall and the local gateway refuse in the shape of the API. */
export const apis = {
  bus: { stage: 'v1', refusals: 'bus' },
  portal: { stage: 'api', refusals: 'catalogue' },
} as const;

export type Api = keyof typeof apis;

/** How a route authenticates its caller: not at all, by a bearer token, or by the request's signature (SigV4). */
export type Auth = 'none' | 'bearer' | 'sigv4';

/** The caller, as identified by the authoriser. */
export interface Caller {
  readonly connection: string;
  readonly workspace: string;
}

/** The ports that a route may use; `lib/wiring/function.ts` defines each. */
export type PortName =
  | 'clock'
  | 'ids'
  | 'registry'
  | 'skills'
  | 'principals'
  | 'queueReaders'
  | 'credentials'
  | 'signer'
  | 'ledger'
  | 'log'
  | 'queues'
  | 'inbox'
  | 'receipts'
  | 'recorder'
  | 'history'
  | 'acceptances'
  | 'depths'
  | 'archiveTail'
  | 'sessions'
  | 'provider'
  | 'members'
  | 'directory'
  | 'invitations'
  | 'connections'
  | 'changes'
  | 'backlog'
  | 'archive'
  | 'replays'
  | 'metrics';

/** `bus`: violations; `catalogue`: `{code, message}`; `oauth`: an error of RFC 6749. */
export type RefusalShape = 'bus' | 'catalogue' | 'oauth';

export interface Route {
  readonly api: Api;
  /** An address that supports GET also supports HEAD; `ANY` is GET and POST. */
  readonly method: 'GET' | 'POST' | 'ANY';
  /** API Gateway syntax: `{t}` is the workspace id, `{c}` a consumer connection id, `{m}` a message_id. `{proxy+}` is the whole rest. */
  readonly path: `/${string}`;
  readonly auth: Auth;
  readonly ports: readonly PortName[];
  readonly throttle: Throttle;
  /** Requests count against the quota of the caller's connection. */
  readonly quota?: true;
  /** The largest body that the route reads; without it, the route reads no body. */
  readonly bodyBytes?: number;
  /** The shape of the function's refusals, if it differs from the API's. */
  readonly refusals?: RefusalShape;
  /** Any web page may call it: preflights (OPTIONS) are answered. */
  readonly crossOrigin?: true;
  /** Whose identity providers the route trusts in addition to the bus's own tokens. */
  readonly issuers?: 'workspace' | 'operator';
}

const publishPorts = ['clock', 'ids', 'registry', 'ledger', 'log', 'queues', 'recorder'] as const;
const validatePorts = ['registry', 'ledger'] as const;
const settlePorts = ['clock', 'registry', 'inbox', 'receipts', 'recorder'] as const;

/** The part of the route table that the bus serves. */
export const busRoutes = {
  health: {
    api: 'bus',
    method: 'GET',
    path: '/v1/health',
    auth: 'none',
    ports: [],
    throttle: 'wholeApi',
  },
  token: {
    api: 'bus',
    method: 'POST',
    path: '/v1/oauth/token',
    auth: 'none',
    ports: ['clock', 'ids', 'credentials', 'signer'],
    throttle: 'token',
    bodyBytes: limits.tokenRequestBytes,
    refusals: 'oauth',
  },
  jwks: {
    api: 'bus',
    method: 'GET',
    path: '/v1/oauth/jwks',
    auth: 'none',
    ports: ['signer'],
    throttle: 'wholeApi',
  },
  'oauth-metadata': {
    api: 'bus',
    method: 'GET',
    path: '/.well-known/oauth-authorization-server/v1/oauth',
    auth: 'none',
    ports: [],
    throttle: 'wholeApi',
  },
  openapi: {
    api: 'bus',
    method: 'GET',
    path: '/v1/openapi.json',
    auth: 'none',
    ports: [],
    throttle: 'wholeApi',
    crossOrigin: true,
  },
  publish: {
    api: 'bus',
    method: 'POST',
    path: '/v1/tenants/{t}/messages',
    auth: 'bearer',
    ports: publishPorts,
    throttle: 'wholeApi',
    quota: true,
    bodyBytes: limits.messageBytes,
    issuers: 'workspace',
  },
  validate: {
    api: 'bus',
    method: 'POST',
    path: '/v1/tenants/{t}/validate',
    auth: 'bearer',
    ports: validatePorts,
    throttle: 'wholeApi',
    quota: true,
    bodyBytes: limits.messageBytes,
    issuers: 'workspace',
  },
  'iam-publish': {
    api: 'bus',
    method: 'POST',
    path: '/v1/tenants/{t}/iam/messages',
    auth: 'sigv4',
    ports: publishPorts,
    throttle: 'signed',
    bodyBytes: limits.messageBytes,
  },
  'iam-validate': {
    api: 'bus',
    method: 'POST',
    path: '/v1/tenants/{t}/iam/validate',
    auth: 'sigv4',
    ports: validatePorts,
    throttle: 'signed',
    bodyBytes: limits.messageBytes,
  },
  'verify-principal': {
    api: 'bus',
    method: 'POST',
    path: '/v1/tenants/{t}/principals/verify',
    auth: 'sigv4',
    ports: ['clock', 'registry', 'principals', 'queueReaders'],
    throttle: 'signed',
    bodyBytes: limits.proofBytes,
  },
  pull: {
    api: 'bus',
    method: 'GET',
    path: '/v1/tenants/{t}/consumers/{c}/messages',
    auth: 'bearer',
    ports: ['clock', 'ids', 'registry', 'inbox', 'receipts', 'recorder'],
    throttle: 'wholeApi',
    quota: true,
  },
  ack: {
    api: 'bus',
    method: 'POST',
    path: '/v1/tenants/{t}/consumers/{c}/ack',
    auth: 'bearer',
    ports: settlePorts,
    throttle: 'wholeApi',
    quota: true,
    bodyBytes: limits.receiptsBytes,
  },
  nack: {
    api: 'bus',
    method: 'POST',
    path: '/v1/tenants/{t}/consumers/{c}/nack',
    auth: 'bearer',
    ports: settlePorts,
    throttle: 'wholeApi',
    quota: true,
    bodyBytes: limits.receiptsBytes,
  },
  message: {
    api: 'bus',
    method: 'GET',
    path: '/v1/tenants/{t}/messages/{m}',
    auth: 'bearer',
    ports: ['clock', 'registry', 'history', 'acceptances'],
    throttle: 'wholeApi',
    quota: true,
  },
  backlog: {
    api: 'bus',
    method: 'GET',
    path: '/v1/tenants/{t}/consumers/{c}/backlog',
    auth: 'bearer',
    ports: ['clock', 'registry', 'history', 'log', 'backlog', 'archiveTail', 'depths'],
    throttle: 'wholeApi',
    quota: true,
  },
  registrations: {
    api: 'bus',
    method: 'GET',
    path: '/v1/tenants/{t}/consumers/{c}/skills',
    auth: 'bearer',
    ports: ['registry', 'skills'],
    throttle: 'wholeApi',
    quota: true,
  },
  'jwt-publish': {
    api: 'bus',
    method: 'POST',
    path: '/v1/jwt/messages',
    auth: 'bearer',
    ports: publishPorts,
    throttle: 'wholeApi',
    quota: true,
    bodyBytes: limits.messageBytes,
    issuers: 'operator',
  },
  'operator-publish': {
    api: 'bus',
    method: 'POST',
    path: '/v1/messages',
    auth: 'sigv4',
    ports: publishPorts,
    throttle: 'wholeApi',
    bodyBytes: limits.messageBytes,
  },
} as const satisfies Record<string, Route & { api: 'bus' }>;

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

/** What the portal's own pages call, a function per resource: `lib/contract/portal.ts` lists the calls. No supported API. */
export const pageRoutes = {
  'portal-sign': {
    api: 'portal',
    method: 'ANY',
    path: '/api/sign/{proxy+}',
    auth: 'none',
    ports: ['clock', 'ids', 'sessions', 'provider', 'members'],
    throttle: 'portal',
    bodyBytes: limits.portalBodyBytes,
  },
  'portal-organisation': {
    api: 'portal',
    method: 'ANY',
    path: '/api/organisation/{proxy+}',
    auth: 'none',
    ports: ['clock', 'ids', 'sessions', 'members', 'directory', 'invitations', 'connections', 'changes'],
    throttle: 'portal',
    bodyBytes: limits.portalBodyBytes,
  },
  'portal-workspace': {
    api: 'portal',
    method: 'ANY',
    path: '/api/workspace/{proxy+}',
    auth: 'none',
    ports: [
      'clock',
      'ids',
      'sessions',
      'members',
      'directory',
      'invitations',
      'connections',
      'changes',
      'registry',
      'history',
      'acceptances',
      'archiveTail',
    ],
    throttle: 'portal',
    bodyBytes: limits.portalBodyBytes,
  },
  'portal-operator': {
    api: 'portal',
    method: 'ANY',
    path: '/api/operator/{proxy+}',
    auth: 'none',
    ports: ['clock', 'ids', 'sessions', 'members', 'directory', 'connections', 'changes'],
    throttle: 'portal',
    bodyBytes: limits.portalBodyBytes,
  },
} as const satisfies Record<string, Route & { api: 'portal' }>;

/** The addresses that are described: the supported API, and its documentation. */
export const describedRoutes = { ...busRoutes, ...portalRoutes } as const;

export type DescribedRouteId = keyof typeof describedRoutes;

/** Every address of the service. Infrastructure, local gateway and handlers read this table. */
export const routes = { ...describedRoutes, ...pageRoutes } as const;

export type RouteId = keyof typeof routes;

/** The ports of a route's row: what its handler may use, and nothing else. */
export type RoutePort<R extends RouteId> = (typeof routes)[R]['ports'][number];

const row = (id: RouteId): Route => routes[id];

/** The shape in which the function of a route refuses. */
export const refusalShapeOf = (id: RouteId): RefusalShape => row(id).refusals ?? apis[row(id).api].refusals;

/** The largest body that a route reads, in bytes. */
export const bodyLimitOf = (id: RouteId): number => row(id).bodyBytes ?? limits.gatewayBodyBytes;
