import { crossOriginHeaders } from '../../lib/contract/paths.ts';
import { meaningOn, outcomeUnknown, refusalBody, violation } from '../../lib/contract/refusals.ts';
import type { Api, Route } from '../../lib/contract/route.ts';
import { type RouteId, routes } from '../../lib/contract/routes.ts';
import { type RuleId, rules, rulesOfType } from '../../lib/contract/rules.ts';
import { type Json, ref, type Schema } from './components.ts';

const ids = Object.keys(rules) as RuleId[];

/** What the platform refuses before any route is asked. */
const everywhere: readonly RuleId[] = [
  'request.blocked',
  'message.too_large',
  'rate.limited',
  'registry.unavailable',
  outcomeUnknown.bus.rule,
];

const identified: readonly RuleId[] = ['producer.unauthenticated', 'producer.not_registered'];

const judged: readonly RuleId[] = rulesOfType('story.context').filter(
  id => rules[id].status >= 400,
);

const published: readonly RuleId[] = [...judged, 'correlation_id.reserved', 'commit.contention'];

const own: Readonly<Partial<Record<RouteId, readonly RuleId[]>>> = {
  publish: published,
  'iam-publish': published,
  'jwt-publish': published,
  'operator-publish': published,
  validate: judged,
  'iam-validate': judged,
  'verify-principal': [
    'message.not_json',
    'message.unsupported_media_type',
    'principal.challenge_invalid',
  ],
  message: ['message_id.unknown', 'pull.invalid_parameter'],
  registrations: ['pull.invalid_parameter'],
  pull: ['pull.invalid_parameter'],
  ack: ['pull.invalid_body', 'message.unsupported_media_type'],
  nack: ['pull.invalid_body', 'message.unsupported_media_type'],
  'check-start': [
    'check.invalid',
    'check.declined',
    'limit.reached',
    'message.unsupported_media_type',
  ],
  'check-list': ['pull.invalid_parameter'],
  'check-report': ['check.unknown', 'pull.invalid_parameter'],
  'check-evidence': ['check.unknown'],
  'check-stop': ['check.unknown', 'pull.invalid_parameter'],
};

const ofAuth = ({ auth, quota }: Route): readonly RuleId[] => [
  ...(auth === 'none' ? [] : identified),
  ...(quota ? (['quota.exceeded'] as const) : []),
];

const ofPath = ({ path, auth }: Route): readonly RuleId[] => {
  if (path.includes('{t}') && auth === 'bearer') return ['tenant.mismatch'];
  return [];
};

/** The rules that a route of the bus may refuse with, by status. */
const refusalsOf = (route: RouteId): ReadonlyMap<number, readonly RuleId[]> => {
  const row: Route = routes[route];
  const all = new Set([...ofAuth(row), ...ofPath(row), ...(own[route] ?? []), ...everywhere]);
  const byStatus = new Map<number, RuleId[]>();
  // In the order of the catalogue, so that the description does not change with this file.
  for (const id of ids) {
    if (!all.has(id)) continue;
    const { status } = rules[id];
    byStatus.set(status, [...(byStatus.get(status) ?? []), id]);
  }
  return new Map([...byStatus].sort(([a], [b]) => a - b));
};

/** Whether a message is judged by the schemas there. */
const judges = (route: RouteId): boolean => own[route]?.includes('message_type.unknown') ?? false;

const header = (
  description: string,
  required: boolean,
  schema: Schema = { type: 'string' },
): Schema => ({
  description,
  required,
  schema,
});

const headers: Readonly<Record<string, Schema>> = {
  'x-request-id': header(
    'Identifies the request in the logs. Quote it when you ask for help.',
    true,
  ),
  'cache-control': header('How long the response may be cached.', true),
  pragma: header('The same, for HTTP/1.0 caches.', true),
  etag: header('A strong validator of the content, for If-None-Match.', true),
  allow: header('The methods that the address supports.', true),
  vary: header('The request headers that the response depends on.', true),
  'content-encoding': header('How the body is compressed.', false),
  'content-security-policy': header('What the page may load: nothing from other origins.', true),
  'www-authenticate': header(
    'Basic on the token route, Bearer on all others. Signed routes say Bearer too, although ' +
      'they need a signature.',
    true,
  ),
  'x-amzn-remapped-www-authenticate': header(
    'The name that API Gateway gives to WWW-Authenticate of the token route on AWS.',
    true,
  ),
  'retry-after': header(
    'Seconds until the next request is allowed. On AWS it is missing when the daily quota is ' +
      'used up, which resets at 00:00 UTC.',
    true,
    { type: 'integer', minimum: 1 },
  ),
  'ratelimit-policy': header(
    'The limits of the connection and of its address ' +
      '(draft-ietf-httpapi-ratelimit-headers-11). Sent by the local service.',
    false,
  ),
  ratelimit: header(
    'What is left of these limits, and when it refills. Sent by the local service.',
    false,
  ),
  'access-control-allow-origin': header('Any web page may call the route.', true, {
    type: 'string',
    const: '*',
  }),
  'access-control-expose-headers': header('The headers that a web page may read.', true),
  'access-control-allow-methods': header('The methods that a web page may use.', true),
  'access-control-allow-headers': header('The headers that a web page may send.', true),
  'access-control-max-age': header('Seconds that a browser may cache this preflight.', true),
  'x-content-type-options': header('Browsers must not guess another content type.', true),
  'referrer-policy': header('What links on the page may reveal as their referrer.', true),
};

/** Every header as a component; those that may be missing end in `-or-none`. */
export const headerComponents: Schema = Object.fromEntries(
  Object.entries(headers).flatMap(([name, described]) => [
    [name, described],
    [`${name}-or-none`, { ...described, required: false }],
  ]),
);

/**
 * Headers by name, those that end in `?` not always there; every response has `x-request-id` unless
 * it is named so.
 */
const headersOf = (names: readonly string[]): Schema =>
  Object.fromEntries(
    ['x-request-id', ...names].map(name => [
      name.replace('?', ''),
      { $ref: `#/components/headers/${name.replace('?', '-or-none')}` },
    ]),
  );

export const corsHeaders = Object.keys(crossOriginHeaders);

interface ResponseFacts {
  readonly schema?: Schema;
  readonly headers?: readonly string[];
  readonly examples?: Readonly<Record<string, Json>>;
  readonly mediaType?: string;
  /** The rules, codes or errors that the response may name. */
  readonly rules?: readonly string[];
}

/** One response of an operation. */
export const response = (description: string, facts: ResponseFacts = {}): Schema => {
  const { schema, examples, mediaType = 'application/json' } = facts;
  const named = Object.entries(examples ?? {}).map(([name, value]) => [name, { value }]);
  const content = {
    schema,
    ...(named.length > 0 && { examples: Object.fromEntries(named) }),
  };
  return {
    description,
    headers: headersOf(facts.headers ?? []),
    ...(schema && { content: { [mediaType]: content } }),
    ...(facts.rules && { 'x-rules': facts.rules }),
  };
};

const meanings = (ids: readonly RuleId[]): string =>
  ids.map(id => `- \`${id}\`: ${rules[id].meaning}`).join('\n');

const extraHeaders: Readonly<Record<number, readonly string[]>> = {
  401: ['www-authenticate'],
  // AWS WAF cannot put a request id into its own 429, and AWS's usage plans do not tell when a
  // quota ends.
  429: ['x-request-id?', 'retry-after?'],
};

/** Stands for the rules of the schemas. */
export const schemaRules = '<schema>.<keyword>';

const schemaFailures = `\n- \`${schemaRules}\`: The message does not match a SOM 1.0 schema.`;

/** Headers that a response may have where requests are charged to a connection. */
const quotaHeaders = (route: RouteId): readonly string[] => {
  const { quota }: Route = routes[route];
  if (quota) return ['ratelimit-policy', 'ratelimit'];
  return [];
};

const example = (api: Api, id: RuleId): Json => JSON.parse(JSON.stringify(refusalBody(api, id)));

/** The bus-shaped refusals of a route, by status. */
export const refusals = (route: RouteId): Readonly<Record<string, Schema>> =>
  Object.fromEntries(
    [...refusalsOf(route)].map(([status, ids]) => {
      const orSchema = status === 400 && judges(route);
      const refusal = response(`${meanings(ids)}${orSchema ? schemaFailures : ''}`, {
        schema: ref('Refusal'),
        rules: [...ids, ...(orSchema ? [schemaRules] : [])],
        headers: [...(extraHeaders[status] ?? []), ...quotaHeaders(route)],
        examples: Object.fromEntries(ids.map(id => [id, example('bus', id)])),
      });
      return [String(status), refusal];
    }),
  );

const portalRules: readonly RuleId[] = [
  'request.blocked',
  'message.too_large',
  'rate.limited',
  'registry.unavailable',
];

/** What the platform refuses before a route of the portal is asked. */
export const portalRefusals = (): Readonly<Record<string, Schema>> =>
  Object.fromEntries(
    portalRules.map(id => {
      const { status } = rules[id];
      const meaning = meaningOn('portal', id);
      const refusal = response(`- \`${id}\`: ${meaning}`, {
        schema: ref('PortalError'),
        rules: [id],
        // On AWS, what refuses in front of the routes does not know which one is open.
        headers: [...corsHeaders.map(name => `${name}?`), ...(extraHeaders[status] ?? [])],
        examples: { [id]: example('portal', id) },
      });
      return [String(status), refusal];
    }),
  );

/** How a route answers a successful call. */
export const success = (route: RouteId, description: string, facts: ResponseFacts): Schema =>
  response(description, { ...facts, headers: [...(facts.headers ?? []), ...quotaHeaders(route)] });

/** A response of addresses and methods that are not described. */
export const elsewhere = (
  api: Route['api'],
  rule: 'route.not_found' | 'route.method_not_allowed',
): Schema => {
  const { meaning, status } = rules[rule];
  return response(`- \`${rule}\`: ${meaning}`, {
    schema: ref(api === 'bus' ? 'Refusal' : 'PortalError'),
    rules: [rule],
    headers: status === 405 ? ['allow'] : [],
    examples: {
      [rule]:
        api === 'bus'
          ? { accepted: false, violations: [{ ...violation(rule) }] }
          : { code: rule, message: meaning },
    },
  });
};
