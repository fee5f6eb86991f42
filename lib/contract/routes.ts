import type { Throttle } from './limits.ts';

/** Who has to be known before a route runs: nobody, the bearer of a token, or the signer of the request (SigV4). */
export type Auth = 'none' | 'bearer' | 'sigv4';

/** The parts of the outside world a route may use; `lib/ports.ts` says what each is. */
export type PortName =
  | 'clock'
  | 'ids'
  | 'registry'
  | 'principals'
  | 'queueReaders'
  | 'credentials'
  | 'signer'
  | 'ledger'
  | 'log'
  | 'queues'
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

const publishPorts = ['clock', 'ids', 'registry', 'ledger', 'log', 'queues'] as const;
const validatePorts = ['clock', 'registry', 'ledger'] as const;
const pullPorts = ['clock', 'ids', 'registry', 'queues', 'receipts'] as const;

/** Every address of the service. Infrastructure, local gateway, handlers and documentation read this table. */
export const routes = {
  health: {
    api: 'bus',
    method: 'GET',
    path: '/v1/health',
    auth: 'none',
    ports: [],
    throttle: 'wholeApi',
    summary: 'liveness, SOM version, message types',
  },
  token: {
    api: 'bus',
    method: 'POST',
    path: '/v1/oauth/token',
    auth: 'none',
    ports: ['clock', 'ids', 'credentials', 'signer'],
    throttle: 'token',
    summary: 'get an access token',
  },
  jwks: {
    api: 'bus',
    method: 'GET',
    path: '/v1/oauth/jwks',
    auth: 'none',
    ports: ['signer'],
    throttle: 'wholeApi',
    summary: 'public signing keys',
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
    summary: 'publish one SOM message',
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
    summary: 'publish one SOM message as a cloud role',
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
    summary: 'prove that the registered cloud role is yours',
  },
  pull: {
    api: 'bus',
    method: 'GET',
    path: '/v1/tenants/{t}/consumers/{c}/messages',
    auth: 'bearer',
    ports: pullPorts,
    throttle: 'wholeApi',
    summary: 'receive up to 10 messages, waiting up to 20 seconds',
  },
  ack: {
    api: 'bus',
    method: 'POST',
    path: '/v1/tenants/{t}/consumers/{c}/ack',
    auth: 'bearer',
    ports: pullPorts,
    throttle: 'wholeApi',
    summary: 'acknowledge received messages',
  },
  nack: {
    api: 'bus',
    method: 'POST',
    path: '/v1/tenants/{t}/consumers/{c}/nack',
    auth: 'bearer',
    ports: pullPorts,
    throttle: 'wholeApi',
    summary: 'release received messages for redelivery',
  },
  registrations: {
    api: 'bus',
    method: 'GET',
    path: '/v1/tenants/{t}/consumers/{c}/skills',
    auth: 'bearer',
    ports: ['clock', 'registry'],
    throttle: 'wholeApi',
    summary: "a skill executor's registrations",
  },
  'jwt-publish': {
    api: 'bus',
    method: 'POST',
    path: '/v1/jwt/messages',
    auth: 'bearer',
    ports: publishPorts,
    throttle: 'wholeApi',
    summary: "publish with an operator issuer's token",
    issuers: 'operator',
  },
  'operator-publish': {
    api: 'bus',
    method: 'POST',
    path: '/v1/messages',
    auth: 'sigv4',
    ports: publishPorts,
    throttle: 'wholeApi',
    summary: 'publish with a role the operator registered',
  },
  'skill-library': {
    api: 'portal',
    method: 'GET',
    path: '/api/skills/library',
    auth: 'none',
    ports: [],
    throttle: 'skillLibrary',
    crossOrigin: true,
    summary: 'read the skill library',
  },
  'skill-validate': {
    api: 'portal',
    method: 'POST',
    path: '/api/skills/validate',
    auth: 'none',
    ports: [],
    throttle: 'skillValidate',
    crossOrigin: true,
    summary: 'check configured skill instances',
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
} as const satisfies Record<string, Route>;

export type RouteId = keyof typeof routes;

/** The ports of a route's row: what its handler may use, and nothing else. */
export type RoutePort<R extends RouteId> = (typeof routes)[R]['ports'][number];

/** The methods that a route's address answers to. */
export const methodsOf = ({ method, crossOrigin }: Route): readonly string[] => [
  method,
  ...(crossOrigin && method === 'GET' ? ['HEAD'] : []),
  ...(crossOrigin ? ['OPTIONS'] : []),
];
