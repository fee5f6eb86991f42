import type { IncomingMessage } from 'node:http';
import { daySeconds, type Quota } from '../contract/limits.ts';
import { type Route, routes } from '../contract/routes.ts';
import { apiRefusal, type HttpAnswer } from '../http/answer.ts';
import { isJsonObject } from '../json/value.ts';
import { quotaOf } from '../registry/connection.ts';
import type { Registry } from '../registry/registry.ts';
import type { DataFolder } from './data-folder.ts';
import { type DailyCount, limiter } from './limiter.ts';
import type { Arrival } from './requests.ts';

/**
 * The 429 of a request that came too often, in the form of its API.
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

/** The fences of the gateway: each gives an answer where a request came too often. */
export interface GatewayLimits {
  /** Before anything of the request is looked at. */
  before(route: Arrival['route'], request: IncomingMessage): HttpAnswer | undefined;
  /** Once the caller is known; `headers` go with the answer of an allowed request. */
  charge(
    arrival: Arrival,
    context: object,
  ): Promise<{ refusal?: HttpAnswer; headers: Record<string, string> }>;
  /** Writes the daily counts that are not in the data folder yet. */
  save(): void;
}

const file = 'usage.json';
const saveEveryMilliseconds = 1_000;
const free = { headers: {} };

const isDailyCount = (value: unknown): value is DailyCount =>
  isJsonObject(value) && 'day' in value && Number.isInteger(value['requests']);

/** The daily counts of the last run. */
const countsBefore = (folder: Pick<DataFolder, 'read'>): Record<string, DailyCount> => {
  const value = folder.read(file);
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, DailyCount] => isDailyCount(entry[1])));
};

const connectionOf = (context: object): string | undefined =>
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
    before(route, request) {
      const address = request.socket.remoteAddress ?? '';
      const limited = limits.request(route, { address, authorization: request.headers.authorization });
      return limited && limitedAnswer(routes[route].api, limited.rule, limited.waitMilliseconds);
    },
    async charge({ route }, context) {
      const { quota: counts }: Route = routes[route];
      const id = counts ? connectionOf(context) : undefined;
      const connection = id === undefined ? undefined : await registry.connection(id);
      if (!connection) return free;
      const quota = quotaOf(connection);
      const charged = limits.connection(connection.id, quota);
      if (now() - savedAt >= saveEveryMilliseconds) save();
      if (!('rule' in charged)) return { headers: rateLimitHeaders(quota, charged) };
      return { refusal: limitedAnswer('bus', charged.rule, charged.waitMilliseconds), headers: {} };
    },
  };
};
