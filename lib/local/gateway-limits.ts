import type { IncomingMessage } from 'node:http';
import { routes } from '../contract/routes.ts';
import type { DailyCount } from '../domain/limits/daily-count.ts';
import { isJsonObject } from '../domain/message/json-object.ts';
import { quotaOf } from '../domain/registry/quota-of.ts';
import type { HttpAnswer } from '../http/http-answer.ts';
import { limitedAnswer } from '../http/limited-answer.ts';
import { rateLimitHeaders } from '../http/rate-limit-headers.ts';
import type { Registry } from '../ports/registry.ts';
import type { DataFolder } from './data-folder.ts';
import { limiter } from './limiter.ts';
import type { Arrival } from './proxy-event.ts';

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
      const id = routes[route].path.startsWith('/v1/tenants/') ? connectionOf(context) : undefined;
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
