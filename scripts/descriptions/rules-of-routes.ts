import { outcomeUnknown } from '../../lib/contract/refusals.ts';
import { type Route, type RouteId, routes } from '../../lib/contract/routes.ts';
import { type RuleId, rules } from '../../lib/contract/rules.ts';

const ids = Object.keys(rules) as RuleId[];

const startingWith = (...prefixes: readonly string[]): readonly RuleId[] =>
  ids.filter(id => prefixes.some(prefix => id.startsWith(prefix)));

/** What the platform refuses before any route is asked. */
const everywhere: readonly RuleId[] = [
  'request.blocked',
  'message.too_large',
  'rate.limited',
  'registry.unavailable',
  outcomeUnknown.bus.rule,
];

const identified: readonly RuleId[] = ['producer.unauthenticated', 'producer.not_registered'];

const judged: readonly RuleId[] = [
  ...startingWith('message.', 'som_version.'),
  'payload.message_type_mismatch',
  'message_type.unknown',
  'producer.system_id_not_allowed',
  'producer.message_type_not_allowed',
  'message_id.reused',
  ...ids.filter(id => rules[id].source === 'sequence' && rules[id].status === 409),
];

const published: readonly RuleId[] = [...judged, 'commit.contention'];

const own: Readonly<Partial<Record<RouteId, readonly RuleId[]>>> = {
  publish: published,
  'iam-publish': published,
  'jwt-publish': published,
  'operator-publish': published,
  validate: judged,
  'iam-validate': judged,
  'verify-principal': ['message.not_json', 'message.unsupported_media_type', 'principal.challenge_invalid'],
  pull: ['pull.invalid_parameter'],
  ack: ['pull.invalid_body', 'message.unsupported_media_type'],
  nack: ['pull.invalid_body', 'message.unsupported_media_type'],
};

const ofAuth = ({ auth, quota }: Route): readonly RuleId[] => [
  ...(auth === 'none' ? [] : identified),
  ...(quota ? (['quota.exceeded'] as const) : []),
];

const ofPath = ({ path, auth }: Route): readonly RuleId[] =>
  path.includes('{t}') && auth === 'bearer' ? ['tenant.mismatch'] : [];

/** The rules that a route of the bus may refuse with, by status. */
export const refusalsOf = (route: RouteId): ReadonlyMap<number, readonly RuleId[]> => {
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
export const judges = (route: RouteId): boolean => own[route]?.includes('message_type.unknown') ?? false;
