import { daySeconds, type Quota } from '../contract/limits.ts';
import { type Route, type RouteId, routes } from '../contract/routes.ts';
import { apiRefusal, type HttpAnswer } from '../http/answer.ts';
import { isJsonObject } from '../json/value.ts';
import { quotaOf } from '../registry/connection.ts';
import type { Registry } from '../registry/registry.ts';
import type { DataFolder } from './data-folder.ts';
import type { Caller } from './gateway-event.ts';
import { type DailyCount, limiter, type Sender } from './limiter.ts';

/**
 * The 429 for too many requests, in the shape of the API.
 *
 * @param waitMilliseconds until the next one is allowed; `Retry-After` is in whole seconds, rounded up
 */
const limitedAnswer = (
  api: Route['api'],
  rule: 'rate.limited' | 'quota.exceeded',
  waitMilliseconds: number,
): HttpAnswer =>
  apiRefusal(api, rule, {
    headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMilliseconds / 1000))) },
  });

/**
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers): `q` requests in a window of `w` seconds,
 * `r` of them left, `t` seconds until more. `burst` is the bucket, `day` the daily quota.
 */
const rateLimitHeaders = (
  quota: Quota,
  left: { readonly tokens: number; readonly requestsToday: number; readonly resetMilliseconds: number },
): Record<string, string> => {
  const window = Math.ceil(quota.burst / quota.perSecond);
  const refill = Math.ceil((quota.burst - left.tokens) / quota.perSecond);
  const today = quota.perDay - left.requestsToday;
  const reset = Math.ceil(left.resetMilliseconds / 1000);
  return {
    'ratelimit-policy': `"burst";q=${quota.burst};w=${window}, "day";q=${quota.perDay};w=${daySeconds}`,
    ratelimit: `"burst";r=${Math.floor(left.tokens)};t=${refill}, "day";r=${today};t=${reset}`,
  };
};

/** The limits of the gateway: each refuses requests above its rate. */
export interface GatewayLimits {
  /** Counts a request before its caller is known. */
  admit(route: RouteId, sender: Sender): HttpAnswer | undefined;
  /** Counts a request of a verified caller; `headers` belong to the answer of an allowed request. */
  charge(route: RouteId, caller: Caller): Promise<{ refusal?: HttpAnswer; headers: Record<string, string> }>;
  /** Writes the daily counts to the data folder. */
  save(): void;
}

const file = 'usage.json';
const saveEveryMilliseconds = 1_000;
const unlimited = { headers: {} };

const isDailyCount = (value: unknown): value is DailyCount =>
  isJsonObject(value) && 'day' in value && Number.isInteger(value['requests']);

/** The daily counts of the last run. */
const countsBefore = (folder: Pick<DataFolder, 'read'>): Record<string, DailyCount> => {
  const value = folder.read(file);
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, DailyCount] => isDailyCount(entry[1])));
};

const connectionOf = ({ context = {} }: Caller): string | undefined =>
  'connection' in context && typeof context.connection === 'string' ? context.connection : undefined;

/** The limits of `lib/contract/limits.ts`, with the daily counts kept in the data folder. */
export const gatewayLimits = (
  registry: Pick<Registry, 'connection'>,
  folder: Pick<DataFolder, 'read' | 'write'>,
  now: () => number,
): GatewayLimits => {
  const limits = limiter(now, countsBefore(folder));
  let savedAt = now();

  const save = (): void => {
    savedAt = now();
    folder.write(file, limits.counts());
  };

  return {
    save,
    admit(route, sender) {
      const limited = limits.request(route, sender);
      return limited && limitedAnswer(routes[route].api, limited.rule, limited.waitMilliseconds);
    },
    async charge(route, caller) {
      const { quota: counts }: Route = routes[route];
      const id = counts ? connectionOf(caller) : undefined;
      const connection = id === undefined ? undefined : await registry.connection(id);
      if (!connection) return unlimited;
      const quota = quotaOf(connection);
      const charged = limits.connection(connection.id, quota);
      if (now() - savedAt >= saveEveryMilliseconds) save();
      if (!('rule' in charged)) return { headers: rateLimitHeaders(quota, charged) };
      return { refusal: limitedAnswer('bus', charged.rule, charged.waitMilliseconds), headers: {} };
    },
  };
};
