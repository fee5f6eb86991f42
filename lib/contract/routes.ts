import type { Throttle } from './limits.ts';

/** Who has to be known before a route runs: nobody, the bearer of a token, or the signer of the request (SigV4). */
export type Auth = 'none' | 'bearer' | 'sigv4';

/** Who the authoriser found the caller to be. */
export interface Caller {
  readonly connection: string;
  readonly workspace: string;
}

/** The parts of the outside world a route may use; `lib/wiring/function.ts` gives each its type. */
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
  | 'backlog'
  | 'archive'
  | 'replays'
  | 'metrics';

export interface Route {
  readonly api: 'bus' | 'portal';
  readonly method: 'GET' | 'POST';
  /** API Gateway syntax: `{t}` is the workspace id, `{c}` a consumer connection id. */
  readonly path: `/${string}`;
  readonly auth: Auth;
  readonly ports: readonly PortName[];
  readonly throttle: Throttle;
  /** Any web page may call it: preflights (OPTIONS) are answered, and HEAD beside GET. */
  readonly crossOrigin?: true;
  readonly summary: string;
  /** Whose identity providers' tokens the route takes beside the bus's own: the workspace's, or the operator's. */
  readonly issuers?: 'workspace' | 'operator';
}

/** The methods that a route's address answers to. */
export const methodsOf = ({ method, crossOrigin }: Route): readonly string[] => [
  method,
  ...(crossOrigin && method === 'GET' ? ['HEAD'] : []),
  ...(crossOrigin ? ['OPTIONS'] : []),
];

const publishPorts = ['clock', 'ids', 'registry', 'ledger', 'log', 'queues'] as const;
const validatePorts = ['registry', 'ledger'] as const;
const settlePorts = ['clock', 'registry', 'inbox', 'receipts'] as const;

/** The part of the route table that the bus serves. */
export const busRoutes = {
  health: {
    api: 'bus',
    method: 'GET',
    path: '/v1/health',
    auth: 'none',
    ports: [],
    throttle: 'wholeApi',
    summary: 'health check, with the SOM version and message types that the bus supports',
  },
  token: {
    api: 'bus',
    method: 'POST',
    path: '/v1/oauth/token',
    auth: 'none',
    ports: ['clock', 'ids', 'credentials', 'signer'],
    throttle: 'token',
    summary: 'exchange a client id and secret for an access token',
  },
  jwks: {
    api: 'bus',
    method: 'GET',
    path: '/v1/oauth/jwks',
    auth: 'none',
    ports: ['signer'],
    throttle: 'wholeApi',
    summary: 'the public keys that verify access tokens',
  },
  'oauth-metadata': {
    api: 'bus',
    method: 'GET',
    path: '/.well-known/oauth-authorization-server/v1/oauth',
    auth: 'none',
    ports: [],
    throttle: 'wholeApi',
    summary: 'authorization server metadata (RFC 8414)',
  },
  openapi: {
    api: 'bus',
    method: 'GET',
    path: '/v1/openapi.json',
    auth: 'none',
    ports: [],
    throttle: 'wholeApi',
    crossOrigin: true,
    summary: 'the OpenAPI description of the bus',
  },
  publish: {
    api: 'bus',
    method: 'POST',
    path: '/v1/tenants/{t}/messages',
    auth: 'bearer',
    ports: publishPorts,
    throttle: 'wholeApi',
    summary: 'publish a SOM message',
    issuers: 'workspace',
  },
  validate: {
    api: 'bus',
    method: 'POST',
    path: '/v1/tenants/{t}/validate',
    auth: 'bearer',
    ports: validatePorts,
    throttle: 'wholeApi',
    summary: 'dry run: the verdict a publish would get',
    issuers: 'workspace',
  },
  'iam-publish': {
    api: 'bus',
    method: 'POST',
    path: '/v1/tenants/{t}/iam/messages',
    auth: 'sigv4',
    ports: publishPorts,
    throttle: 'signed',
    summary: 'publish a SOM message as a cloud role',
  },
  'iam-validate': {
    api: 'bus',
    method: 'POST',
    path: '/v1/tenants/{t}/iam/validate',
    auth: 'sigv4',
    ports: validatePorts,
    throttle: 'signed',
    summary: 'dry run as a cloud role',
  },
  'verify-principal': {
    api: 'bus',
    method: 'POST',
    path: '/v1/tenants/{t}/principals/verify',
    auth: 'sigv4',
    ports: ['clock', 'registry', 'principals', 'queueReaders'],
    throttle: 'signed',
    summary: 'prove that you hold the registered cloud role',
  },
  pull: {
    api: 'bus',
    method: 'GET',
    path: '/v1/tenants/{t}/consumers/{c}/messages',
    auth: 'bearer',
    ports: ['clock', 'ids', 'registry', 'inbox', 'receipts'],
    throttle: 'wholeApi',
    summary: 'pull the next messages, with long polling if you want it',
  },
  ack: {
    api: 'bus',
    method: 'POST',
    path: '/v1/tenants/{t}/consumers/{c}/ack',
    auth: 'bearer',
    ports: settlePorts,
    throttle: 'wholeApi',
    summary: 'acknowledge messages: remove them from the queue',
  },
  nack: {
    api: 'bus',
    method: 'POST',
    path: '/v1/tenants/{t}/consumers/{c}/nack',
    auth: 'bearer',
    ports: settlePorts,
    throttle: 'wholeApi',
    summary: 'return messages to the queue for redelivery',
  },
  registrations: {
    api: 'bus',
    method: 'GET',
    path: '/v1/tenants/{t}/consumers/{c}/skills',
    auth: 'bearer',
    ports: ['registry', 'skills'],
    throttle: 'wholeApi',
    summary: 'list the skill instances registered for the connection',
  },
  'jwt-publish': {
    api: 'bus',
    method: 'POST',
    path: '/v1/jwt/messages',
    auth: 'bearer',
    ports: publishPorts,
    throttle: 'wholeApi',
    summary: 'publish with a token of an issuer that the operator registered',
    issuers: 'operator',
  },
  'operator-publish': {
    api: 'bus',
    method: 'POST',
    path: '/v1/messages',
    auth: 'sigv4',
    ports: publishPorts,
    throttle: 'wholeApi',
    summary: 'publish as a cloud role that the operator registered',
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
    summary: 'the skill library, as data',
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
    summary: 'API reference of the bus and the catalogue',
  },
  'docs-viewer': {
    api: 'portal',
    method: 'GET',
    path: '/docs/viewer.js',
    auth: 'none',
    ports: [],
    throttle: 'documentation',
    summary: 'the script of the API reference',
  },
} as const satisfies Record<string, Route & { api: 'portal' }>;

/** Every address of the service. Infrastructure, local gateway, handlers and documentation read this table. */
export const routes = { ...busRoutes, ...portalRoutes } as const;

export type RouteId = keyof typeof routes;

/** The ports of a route's row: what its handler may use, and nothing else. */
export type RoutePort<R extends RouteId> = (typeof routes)[R]['ports'][number];

/**
 * The stage each API is deployed as. API Gateway puts the stage before every path, so a stage named like the paths' first
 * segment gives the addresses of the route table with and without a domain of one's own.
 */
export const stages = { bus: 'v1', portal: 'api' } as const satisfies Record<Route['api'], string>;

/** A path's first segment: the stage, or what a custom domain maps to it (`.well-known` exists only there). */
export const basePathOf = (path: Route['path']): string => path.split('/')[1] ?? '';

/** A path without its first segment: where its method hangs in the API's tree of resources. */
export const resourcePathOf = (path: Route['path']): string => `/${path.split('/').slice(2).join('/')}`;

const rows: readonly Route[] = Object.values(routes);

/** The rows whose methods hang at a resource of a stage, as API Gateway's events name them (`requestContext.stage`, `resource`). */
export const rowsAt = (stage: string, resource: string): readonly Route[] =>
  rows.filter(({ api, path }) => stages[api] === stage && resourcePathOf(path) === resource);
