import { gzipSync } from 'node:zlib';
import type { RouteId } from '../../lib/contract/routes.ts';
import { basic } from '../support/http-client.ts';
import { linkCommitted, storyContext } from '../support/messages.ts';

/** A service that requests are sent to: the deployed one or the local one. */
export interface Side {
  readonly name: 'deployed' | 'local';
  readonly baseUrl: string;
  readonly portalUrl: string;
  readonly workspace: string;
  readonly producer: { readonly client_id: string; readonly client_secret: string };
  readonly consumer: { readonly client_id: string; readonly client_secret: string };
  /** Bearer headers. */
  readonly tokens: { readonly producer: string; readonly consumer: string };
}

export interface Request {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface SameRequest {
  readonly name: string;
  /** The route that it is about; absent: an address without one. */
  readonly route?: RouteId;
  readonly request: (side: Side) => Request;
}

const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const tenant = ({ baseUrl, workspace }: Side) => `${baseUrl}/tenants/${workspace}`;
const queue = (side: Side) => `${tenant(side)}/consumers/${side.consumer.client_id}`;
const asProducer = ({ tokens }: Side) => ({ authorization: tokens.producer, ...json });
const asConsumer = ({ tokens }: Side) => ({ authorization: tokens.consumer, ...json });

// The same messages go to both sides, so they are made once.
const timestamp = new Date().toISOString();
const now = { timestamp };
const story = storyContext({ updated_at: timestamp }, now);
const [link, dry, umlauts] = [linkCommitted(now), linkCommitted(now), linkCommitted(now)];
const text = (message: object) => JSON.stringify(message);

const publish = (
  name: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): SameRequest => ({
  name,
  route: 'publish',
  request: side => ({
    url: `${tenant(side)}/messages`,
    method: 'POST',
    headers: { ...asProducer(side), ...headers },
    body,
  }),
});

const token = (
  name: string,
  request: (side: Side) => Omit<Request, 'url' | 'method'>,
): SameRequest => ({
  name,
  route: 'token',
  request: side => ({ url: `${side.baseUrl}/oauth/token`, method: 'POST', ...request(side) }),
});

const portal = (
  name: string,
  path: string,
  route: RouteId,
  more: Partial<Request> = {},
): SameRequest => ({
  name,
  route,
  request: side => ({ url: `${side.portalUrl}${path}`, ...more }),
});

const grant = 'grant_type=client_credentials';

/** Requests whose responses must be the same wherever the service runs. */
export const sameRequests: readonly SameRequest[] = [
  { name: 'health', route: 'health', request: side => ({ url: `${side.baseUrl}/health` }) },
  {
    name: 'health, HEAD',
    route: 'health',
    request: side => ({ url: `${side.baseUrl}/health`, method: 'HEAD' }),
  },
  {
    name: 'health, POST',
    route: 'health',
    request: side => ({ url: `${side.baseUrl}/health`, method: 'POST', headers: json, body: '{}' }),
  },
  { name: 'keys', route: 'jwks', request: side => ({ url: `${side.baseUrl}/oauth/jwks` }) },
  {
    name: 'facts of the authorization server',
    route: 'oauth-metadata',
    request: ({ name, baseUrl }) => {
      const path = '/oauth-authorization-server/v1/oauth';
      // A domain maps `.well-known` to the stage. Without one, the path begins with the stage
      // instead.
      const before = name === 'local' ? `${new URL(baseUrl).origin}/.well-known` : baseUrl;
      return { url: before + path };
    },
  },
  {
    name: 'description',
    route: 'openapi',
    request: side => ({ url: `${side.baseUrl}/openapi.json` }),
  },
  { name: 'no such address', request: side => ({ url: `${side.baseUrl}/nowhere` }) },
  token('token, wrong secret', ({ producer }) => ({
    headers: { ...form, authorization: basic({ ...producer, client_secret: 'sbs_wrong' }) },
    body: grant,
  })),
  token('token, other grant', ({ producer }) => ({
    headers: { ...form, authorization: basic(producer) },
    body: 'grant_type=password',
  })),
  token('token, secret in the form', ({ producer }) => ({
    headers: form,
    body: `${grant}&client_id=${producer.client_id}&client_secret=${producer.client_secret}`,
  })),
  token('token, no credentials', () => ({ headers: form, body: grant })),
  {
    name: 'publish, no token',
    route: 'publish',
    request: side => ({
      url: `${tenant(side)}/messages`,
      method: 'POST',
      headers: json,
      body: text(link),
    }),
  },
  publish('publish, token that is none', text(link), { authorization: 'Bearer abc' }),
  publish('publish, Basic', text(link), { authorization: 'Basic abc' }),
  {
    name: 'dry run',
    route: 'validate',
    request: side => ({
      url: `${tenant(side)}/validate`,
      method: 'POST',
      headers: asProducer(side),
      body: text(dry),
    }),
  },
  {
    name: 'dry run of an empty object',
    route: 'validate',
    request: side => ({
      url: `${tenant(side)}/validate`,
      method: 'POST',
      headers: asProducer(side),
      body: '{}',
    }),
  },
  publish('publish', text(story)),
  publish('publish again', text(story)),
  publish('publish again with other bytes', text({ ...story, topic: 'som.other' })),
  publish('publish a link', text(link)),
  publish('publish, no JSON', '{nope'),
  publish('publish, no UTF-8', Uint8Array.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])),
  publish('publish, gzip', gzipSync(text(link)), { 'content-encoding': 'gzip' }),
  publish('publish, text/plain', text(link), { 'content-type': 'text/plain' }),
  publish('publish, unknown type', text({ ...linkCommitted(now), message_type: 'link.comitted' })),
  publish(
    'publish, a system of somebody else',
    text(linkCommitted({ ...now, originating_system: { system_id: 'other', system_type: 'ncs' } })),
  ),
  publish(
    'publish, too large',
    text({ ...linkCommitted(now), topic: `som.${'x'.repeat(250_000)}` }),
  ),
  publish('publish, a member twice', `${text(linkCommitted(now)).slice(0, -1)},"topic":"som.a"}`),
  publish('publish, umlauts', text({ ...umlauts, topic: 'som.Größe 😀' }), {
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  }),
  {
    name: 'publish as a consumer',
    route: 'publish',
    request: side => ({
      url: `${tenant(side)}/messages`,
      method: 'POST',
      headers: asConsumer(side),
      body: text(link),
    }),
  },
  {
    name: 'publish to another workspace',
    route: 'publish',
    request: side => ({
      url: `${side.baseUrl}/tenants/waaaaaaaaaaaa/messages`,
      method: 'POST',
      headers: asProducer(side),
      body: text(link),
    }),
  },
  {
    name: 'life of a message',
    route: 'message',
    request: side => ({
      url: `${tenant(side)}/messages/00000000-0000-4000-8000-000000000005`,
      headers: asProducer(side),
    }),
  },
  {
    name: 'pull as a producer',
    route: 'pull',
    request: side => ({ url: `${queue(side)}/messages`, headers: asProducer(side) }),
  },
  {
    name: 'pull, a parameter out of range',
    route: 'pull',
    request: side => ({ url: `${queue(side)}/messages?max=99`, headers: asConsumer(side) }),
  },
  {
    name: 'acknowledge what is no receipt',
    route: 'ack',
    request: side => ({
      url: `${queue(side)}/ack`,
      method: 'POST',
      headers: asConsumer(side),
      body: text({ receipt_handles: ['zzz'] }),
    }),
  },
  {
    name: 'acknowledge, another body',
    route: 'ack',
    request: side => ({
      url: `${queue(side)}/ack`,
      method: 'POST',
      headers: asConsumer(side),
      body: '{"a":1}',
    }),
  },
  {
    name: 'return, another body',
    route: 'nack',
    request: side => ({
      url: `${queue(side)}/nack`,
      method: 'POST',
      headers: asConsumer(side),
      body: '{"a":1}',
    }),
  },
  {
    name: 'registrations',
    route: 'registrations',
    request: side => ({ url: `${queue(side)}/skills`, headers: asConsumer(side) }),
  },
  {
    name: 'start of a run, without a kind',
    route: 'check-start',
    request: side => ({
      url: `${tenant(side)}/checks`,
      method: 'POST',
      headers: asProducer(side),
      body: '{}',
    }),
  },
  {
    name: 'list of runs',
    route: 'check-list',
    request: side => ({ url: `${tenant(side)}/checks`, headers: asProducer(side) }),
  },
  {
    name: 'report of a run that does not exist',
    route: 'check-report',
    request: side => ({ url: `${tenant(side)}/checks/taaaaaaaaaaaa`, headers: asProducer(side) }),
  },
  {
    name: 'report that no run has',
    route: 'check-evidence',
    request: side => ({ url: `${side.baseUrl}/reports/${'0'.repeat(32)}` }),
  },
  {
    name: 'stop of a run that does not exist',
    route: 'check-stop',
    request: side => ({
      url: `${tenant(side)}/checks/taaaaaaaaaaaa/stop`,
      method: 'POST',
      headers: asProducer(side),
      body: '{}',
    }),
  },
  {
    name: 'signed publish, not signed',
    route: 'iam-publish',
    request: side => ({
      url: `${tenant(side)}/iam/messages`,
      method: 'POST',
      headers: json,
      body: text(link),
    }),
  },
  {
    name: 'signed dry run, not signed',
    route: 'iam-validate',
    request: side => ({
      url: `${tenant(side)}/iam/validate`,
      method: 'POST',
      headers: json,
      body: text(link),
    }),
  },
  {
    name: 'proof of a role, not signed',
    route: 'verify-principal',
    request: side => ({
      url: `${tenant(side)}/principals/verify`,
      method: 'POST',
      headers: json,
      body: '{}',
    }),
  },
  {
    name: "publish for the operator's own role, not signed",
    route: 'operator-publish',
    request: side => ({
      url: `${side.baseUrl}/messages`,
      method: 'POST',
      headers: json,
      body: text(link),
    }),
  },
  {
    name: "publish for the operator's own client",
    route: 'jwt-publish',
    request: side => ({
      url: `${side.baseUrl}/jwt/messages`,
      method: 'POST',
      headers: asProducer(side),
      body: text(link),
    }),
  },
  portal('first page of the portal', '/', 'portal'),
  portal('another page of the portal', '/sign-in', 'portal-page'),
  portal('documentation', '/docs', 'docs'),
  portal('a page of the documentation', '/docs/openapi/bus.yaml', 'docs-page'),
  portal('a call without a session', '/api/sign/session', 'portal-call'),
  portal('a call that does not exist', '/api/nowhere', 'portal-call'),
  portal('skill library', '/api/skills/library', 'skill-library'),
  portal('check of skills', '/api/skills/validate', 'skill-validate', {
    method: 'POST',
    headers: json,
    body: '{}',
  }),
];

/**
 * Routes whose responses are compared by what a client does with them (`day.ts`), not by one
 * request.
 */
export const comparedElsewhere: readonly RouteId[] = ['backlog'];

interface Difference {
  readonly of: string;
  readonly what: string;
  readonly why: string;
}

/** How responses may differ, and why. A row that no response needs fails. */
export const knownDifferences: readonly Difference[] = [
  {
    of: '*',
    what: 'header ratelimit',
    why: 'API Gateway counts requests, and tells nobody how many are left; the local service counts itself',
  },
  {
    of: '*',
    what: 'header x-amzn-errortype',
    why: 'API Gateway adds it to its own refusals',
  },
  {
    of: '*',
    what: 'header content-type: application/json there, application/json; charset=utf-8 here',
    why: "a template of API Gateway's own refusals is known by its media type alone",
  },
];
