import { limits, type Throttle } from './limits.ts';

/** The two APIs. API Gateway, the firewall and the local gateway refuse in the shape of the API. */
export const apis = {
  bus: { stage: 'v1', stageInPaths: true, refusals: 'bus' },
  portal: { stage: 'app', stageInPaths: false, refusals: 'catalogue' },
} as const;

export type Api = keyof typeof apis;

/** How a route authenticates its caller: not at all, by a bearer token, or by the request's signature (SigV4). */
export type Auth = 'none' | 'bearer' | 'sigv4';

/** The caller, as identified by the authoriser. */
export interface Caller {
  readonly connection: string;
  readonly workspace: string;
}

/**
 * What a route may use: the name of a port and, after a dot, the kind of access to it. Each entry is one grant in
 * `lib/infra/port-grants.ts` (the AWS actions that this access needs, and no others) and one part of the port's methods in
 * `lib/wiring/function.ts`. A row lists the least that its route needs; several entries of one port add up. Ports without a dot
 * use nothing of AWS.
 */
export type PortAccess =
  | 'clock'
  | 'ids'
  | 'metrics'
  /** One connection by its id. */
  | 'registry.connection'
  /** The consumers of a workspace. */
  | 'registry.consumers'
  /** The cloud roles that are registered in a workspace or by the operator. */
  | 'registry.roles'
  /** Identity providers and the clients bound to them. */
  | 'registry.providers'
  | 'skills.read'
  | 'principals.verify'
  | 'queueReaders.set'
  | 'credentials.check'
  /** Counts a client's token requests. */
  | 'tokenRequests.count'
  /** The public keys that verify access tokens. */
  | 'signer.keys'
  | 'signer.sign'
  | 'ledger.read'
  | 'ledger.commit'
  | 'log.read'
  /** Leases, and what became of entries. */
  | 'log.update'
  | 'queues.send'
  | 'inbox.receive'
  | 'inbox.delete'
  | 'inbox.release'
  | 'receipts.save'
  | 'receipts.find'
  /** Acks and nacks of what was found. */
  | 'receipts.settle'
  /** A connection's places for waiting polls. */
  | 'polls.wait'
  /** Records receives, how they ended, and replays. */
  | 'recorder.receives'
  /** Records refused and repeated publishes, and counts them. */
  | 'recorder.attempts'
  /** What is recorded about a message. */
  | 'history.message'
  /** What happened in a workspace. */
  | 'history.feed'
  /** What a consumer cannot receive now. */
  | 'history.inFlight'
  /** What became of one accepted message. */
  | 'acceptances.find'
  /** How many messages a queue holds. */
  | 'depths.read'
  /** The end of the archive. */
  | 'archiveTail.read'
  | 'sessions.use'
  /** Begins and ends sessions. */
  | 'sessions.start'
  /** Signs people in. */
  | 'provider'
  /** Where a person belongs. */
  | 'members.affiliation'
  /** The members of an organisation. */
  | 'members.list'
  /** The vendors in a workspace. */
  | 'members.vendors'
  | 'members.add'
  /** Other roles for members, and their removal. */
  | 'members.change'
  /** One organisation or workspace by its id. */
  | 'directory.find'
  | 'directory.list'
  | 'directory.request'
  /** Approves, declines, suspends and resumes organisations. */
  | 'directory.decide'
  | 'invitations.make'
  | 'invitations.accept'
  /** The connections in a workspace. */
  | 'connections.list'
  /** The connections of an app. */
  | 'connections.ofApp'
  | 'connections.suspend'
  | 'changes.note'
  | 'changes.read'
  | 'backlog.read'
  | 'archive.read'
  | 'replays.run'
  /** The consumers of the environment. */
  | 'consumers.list'
  /** How long queues have held their oldest messages. */
  | 'queueAges.measure'
  | 'ageReport';

/** The port of an access. */
export type PortOf<A extends PortAccess> = A extends `${infer Port}.${string}` ? Port : A;

/** `bus`: violations; `catalogue`: `{code, message}`; `oauth`: an error of RFC 6749. */
export type RefusalShape = 'bus' | 'catalogue' | 'oauth';

export interface Route {
  readonly api: Api;
  /** An address that supports GET also supports HEAD; `ANY` is GET and POST. */
  readonly method: 'GET' | 'POST' | 'ANY';
  /** API Gateway syntax: `{t}` is the workspace id, `{c}` a consumer connection id, `{m}` a message_id. `{proxy+}` is the whole rest. */
  readonly path: `/${string}`;
  readonly auth: Auth;
  readonly ports: readonly PortAccess[];
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

const deliveryPorts = ['clock', 'ids', 'log.read', 'log.update', 'queues.send'] as const;
const publishPorts = [
  ...deliveryPorts,
  'registry.connection',
  'registry.consumers',
  'ledger.read',
  'ledger.commit',
  'recorder.attempts',
] as const;
const validatePorts = ['registry.connection', 'ledger.read'] as const;
const settlePorts = [
  'clock',
  'registry.connection',
  'receipts.find',
  'receipts.settle',
  'recorder.receives',
] as const;
/** Who calls the portal, and what that person may do. */
const personPorts = ['clock', 'sessions.use', 'members.affiliation'] as const;

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
    ports: ['clock', 'ids', 'credentials.check', 'tokenRequests.count', 'signer.keys', 'signer.sign'],
    throttle: 'token',
    bodyBytes: limits.tokenRequestBytes,
    refusals: 'oauth',
  },
  jwks: {
    api: 'bus',
    method: 'GET',
    path: '/v1/oauth/jwks',
    auth: 'none',
    ports: ['signer.keys'],
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
    ports: [...publishPorts, 'registry.roles'],
    throttle: 'signed',
    bodyBytes: limits.messageBytes,
  },
  'iam-validate': {
    api: 'bus',
    method: 'POST',
    path: '/v1/tenants/{t}/iam/validate',
    auth: 'sigv4',
    ports: [...validatePorts, 'registry.roles'],
    throttle: 'signed',
    bodyBytes: limits.messageBytes,
  },
  'verify-principal': {
    api: 'bus',
    method: 'POST',
    path: '/v1/tenants/{t}/principals/verify',
    auth: 'sigv4',
    ports: ['clock', 'registry.connection', 'registry.roles', 'principals.verify', 'queueReaders.set'],
    throttle: 'signed',
    bodyBytes: limits.proofBytes,
  },
  pull: {
    api: 'bus',
    method: 'GET',
    path: '/v1/tenants/{t}/consumers/{c}/messages',
    auth: 'bearer',
    ports: [
      'clock',
      'ids',
      'registry.connection',
      'inbox.receive',
      // Skipped messages.
      'inbox.delete',
      'inbox.release',
      'receipts.save',
      'polls.wait',
      'recorder.receives',
    ],
    throttle: 'wholeApi',
    quota: true,
  },
  ack: {
    api: 'bus',
    method: 'POST',
    path: '/v1/tenants/{t}/consumers/{c}/ack',
    auth: 'bearer',
    ports: [...settlePorts, 'inbox.delete'],
    throttle: 'wholeApi',
    quota: true,
    bodyBytes: limits.receiptsBytes,
  },
  nack: {
    api: 'bus',
    method: 'POST',
    path: '/v1/tenants/{t}/consumers/{c}/nack',
    auth: 'bearer',
    ports: [...settlePorts, 'receipts.save', 'inbox.release'],
    throttle: 'wholeApi',
    quota: true,
    bodyBytes: limits.receiptsBytes,
  },
  message: {
    api: 'bus',
    method: 'GET',
    path: '/v1/tenants/{t}/messages/{m}',
    auth: 'bearer',
    ports: ['clock', 'registry.connection', 'history.message', 'history.inFlight', 'acceptances.find'],
    throttle: 'wholeApi',
    quota: true,
  },
  backlog: {
    api: 'bus',
    method: 'GET',
    path: '/v1/tenants/{t}/consumers/{c}/backlog',
    auth: 'bearer',
    ports: [
      'clock',
      'registry.connection',
      'history.message',
      'history.inFlight',
      'log.read',
      'backlog.read',
      'archiveTail.read',
      'depths.read',
    ],
    throttle: 'wholeApi',
    quota: true,
  },
  registrations: {
    api: 'bus',
    method: 'GET',
    path: '/v1/tenants/{t}/consumers/{c}/skills',
    auth: 'bearer',
    ports: ['registry.connection', 'skills.read'],
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
    ports: [...publishPorts, 'registry.roles'],
    throttle: 'wholeApi',
    bodyBytes: limits.messageBytes,
  },
} as const satisfies Record<string, Route & { api: 'bus' }>;

/** The part of the route table that the portal serves. */
export const portalRoutes = {
  portal: {
    api: 'portal',
    method: 'GET',
    path: '/',
    auth: 'none',
    ports: [],
    throttle: 'documentation',
  },
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

/** The addresses that are described: the supported API, and its documentation. */
export const describedRoutes = { ...busRoutes, ...portalRoutes } as const;

export type DescribedRouteId = keyof typeof describedRoutes;

/** Every address of the service. Infrastructure, local gateway and handlers read this table. */
export const routes = { ...describedRoutes, ...pageRoutes } as const;

export type RouteId = keyof typeof routes;

/** The accesses of a route's row: what its handler may use, and nothing else. */
export type RouteAccess<R extends RouteId> = (typeof routes)[R]['ports'][number];

const row = (id: RouteId): Route => routes[id];

/** The shape in which the function of a route refuses. */
export const refusalShapeOf = (id: RouteId): RefusalShape => row(id).refusals ?? apis[row(id).api].refusals;

/** The largest body that a route reads, in bytes. */
export const bodyLimitOf = (id: RouteId): number => row(id).bodyBytes ?? limits.gatewayBodyBytes;
