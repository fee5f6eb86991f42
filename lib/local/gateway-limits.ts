import { type Connection, quotaOf } from '../access/registry/connection.ts';
import type { Registry } from '../access/registry/registry.ts';
import { countRequest, type Window } from '../bus/tokens/issue-token.ts';
import {
  type Bucket,
  dayMilliseconds,
  daySeconds,
  type Quota,
  type Throttle,
  throttles,
  windows,
} from '../contract/limits.ts';
import { plainPath } from '../contract/paths.ts';
import { signInPath } from '../contract/portal/portal.ts';
import type { Route } from '../contract/route.ts';
import { type RouteId, routes } from '../contract/routes.ts';
import { type HttpResponse, limitedResponse } from '../platform/http/response.ts';
import { isJsonObject } from '../platform/json/value.ts';
import type { Store } from './engines/store.ts';

export interface DailyCount {
  readonly day: number;
  readonly requests: number;
}

const dayOf = (now: number): number => Math.floor(now / dayMilliseconds);

const usedOn = (day: number, count: DailyCount | undefined): number =>
  count?.day === day ? count.requests : 0;

/** Counts one request against the allowance of its day. @param now epoch milliseconds */
export const countOfDay = (perDay: number, before: DailyCount | undefined, now: number) => {
  const day = dayOf(now);
  const used = usedOn(day, before);
  const allowed = used < perDay;
  const resetMilliseconds = (day + 1) * dayMilliseconds - now;
  return { allowed, used, count: { day, requests: allowed ? used + 1 : used }, resetMilliseconds };
};

export interface BucketLevel {
  readonly tokens: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

/**
 * Takes one token, as API Gateway's throttling does: at most `burst` tokens, refilled at
 * `perSecond`.
 *
 * @param level undefined: the bucket is full
 * @param now epoch milliseconds
 * @returns `waitMilliseconds` until the next request is allowed; 0 when it would be allowed now
 */
export const takeToken = (
  { perSecond, burst }: Bucket,
  level: BucketLevel | undefined,
  now: number,
) => {
  const elapsed = level ? Math.max(0, now - level.at) : 0;
  const filled = level ? Math.min(burst, level.tokens + (elapsed * perSecond) / 1000) : burst;
  const allowed = filled >= 1;
  const tokens = allowed ? filled - 1 : filled;
  const waitMilliseconds = Math.max(0, Math.ceil(((1 - tokens) * 1000) / perSecond));
  return {
    allowed,
    level: { tokens, at: level ? Math.max(level.at, now) : now },
    waitMilliseconds,
  };
};

interface Limited {
  readonly rule: 'rate.limited' | 'quota.exceeded';
  readonly waitMilliseconds: number;
}

/** What is left of a window. */
interface WindowLeft {
  readonly requests: number;
  /** Until the next one is allowed again. */
  readonly milliseconds: number;
}

interface Allowance {
  readonly quota: Quota;
  readonly tokens: number;
  readonly requestsToday: number;
  readonly resetMilliseconds: number;
  readonly limited: Limited | undefined;
}

interface Sender {
  readonly address: string;
  /** Decoded: `/api/sign/%69n` is a sign-in, too. */
  readonly path: string;
}

/** How many keys are kept of all windows, or of all buckets; the oldest are dropped first. */
const maxKeys = 10_000;

const keep = <V>(map: Map<string, V>, key: string, value: V): void => {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.size > maxKeys ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
};

const anyRouteKey = (address: string): string => `any ${address}`;

const windowsOf = (
  route: RouteId | undefined,
  { address, path }: Sender,
): readonly (readonly [string, Window])[] => [
  [anyRouteKey(address), windows.anyRoutePerAddress],
  ...(route === 'token' ? [[`token ${address}`, windows.tokenPerAddress] as const] : []),
  ...(plainPath(path) === signInPath
    ? [[`sign-in ${address}`, windows.signInPerAddress] as const]
    : []),
];

const throttlesOf = ({ api, throttle }: Route): readonly Throttle[] =>
  api === 'bus' && throttle !== 'wholeApi' ? ['wholeApi', throttle] : [throttle];

/** The limits that AWS's firewall, throttles and usage plans enforce for the deployed service. */
const limiter = (now: () => number, before: Readonly<Record<string, DailyCount>>) => {
  const times = new Map<string, readonly number[]>();
  const levels = new Map<string, BucketLevel>();
  const days = new Map(Object.entries(before));
  const take = (key: string, bucket: Bucket) => {
    const taken = takeToken(bucket, levels.get(key), now());
    keep(levels, key, taken.level);
    return taken;
  };
  const limitedBy = ({ waitMilliseconds }: { waitMilliseconds: number }): Limited => ({
    rule: 'rate.limited',
    waitMilliseconds,
  });
  return {
    /**
     * The limits for unknown callers: firewall windows, then the throttles that all callers share.
     */
    request(route: RouteId | undefined, sender: Sender): Limited | undefined {
      for (const [key, window] of windowsOf(route, sender)) {
        const counted = countRequest(window, times.get(key) ?? [], now());
        keep(times, key, counted.times);
        if (!counted.allowed) return limitedBy(counted);
      }
      for (const throttle of route ? throttlesOf(routes[route]) : []) {
        const taken = take(throttle, throttles[throttle]);
        if (!taken.allowed) return limitedBy(taken);
      }
      return undefined;
    },
    connection(id: string, quota: Quota): Allowance {
      const taken = take(`connection ${id}`, quota);
      const { allowed, used, count, resetMilliseconds } = countOfDay(
        quota.perDay,
        days.get(id),
        now(),
      );
      const left = { quota, tokens: taken.level.tokens, resetMilliseconds };
      if (!taken.allowed) return { ...left, requestsToday: used, limited: limitedBy(taken) };
      keep(days, id, count);
      const limited = { rule: 'quota.exceeded', waitMilliseconds: resetMilliseconds } as const;
      return { ...left, requestsToday: count.requests, limited: allowed ? undefined : limited };
    },
    /** What is left to an address, on any route. */
    address(address: string): WindowLeft {
      const window = windows.anyRoutePerAddress;
      const begins = now() - window.seconds * 1000;
      const recent = (times.get(anyRouteKey(address)) ?? []).filter(time => time > begins);
      const requests = window.requests - recent.length;
      return { requests, milliseconds: (recent[0] ?? begins) - begins };
    },
    usedToday: (id: string): number => usedOn(dayOf(now()), days.get(id)),
    counts: (): object => Object.fromEntries(days),
  };
};

/**
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11): `q` requests in a
 * window of `w` seconds, `r` of them left, `t` seconds until more. `burst` is the connection's
 * bucket, `day` its daily quota, `address` what all systems behind the address share.
 */
const rateLimitHeaders = (
  { quota, tokens, requestsToday, resetMilliseconds }: Allowance,
  address: WindowLeft,
) => {
  const window = Math.ceil(quota.burst / quota.perSecond);
  const refill = Math.ceil((quota.burst - tokens) / quota.perSecond);
  const today = Math.max(0, quota.perDay - requestsToday);
  const reset = Math.ceil(resetMilliseconds / 1000);
  const { requests, seconds } = windows.anyRoutePerAddress;
  const addressReset = Math.ceil(address.milliseconds / 1000);
  const policies = [
    `"burst";q=${quota.burst};w=${window}`,
    `"day";q=${quota.perDay};w=${daySeconds}`,
    `"address";q=${requests};w=${seconds}`,
  ];
  const left = [
    `"burst";r=${Math.floor(tokens)};t=${refill}`,
    `"day";r=${today};t=${reset}`,
    `"address";r=${address.requests};t=${addressReset}`,
  ];
  return { 'ratelimit-policy': policies.join(', '), ratelimit: left.join(', ') };
};

export interface GatewayLimits {
  /**
   * Counts a request before its caller is known; one without a route counts for its address only.
   */
  admit(route: RouteId | undefined, sender: Sender): Limited | undefined;
  /**
   * Counts a request of a connection, if the authoriser found one; `headers` belong to the response
   * of an allowed request.
   */
  charge(
    route: RouteId,
    caller: string | undefined,
    address: string,
  ): Promise<{ refusal?: HttpResponse; headers: Record<string, string> }>;
  usedToday(connection: string): number;
  save(): void;
  forget(): void;
}

const saveEveryMilliseconds = 1_000;

/** Where the daily counts are kept. */
interface UsageNote {
  read(): unknown;
  write(value: object): void;
}

export const usageNoteIn = (store: Store): UsageNote => {
  store.define(
    'CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID, STRICT',
  );
  const select = store.sql<{ value: string }>("SELECT value FROM notes WHERE name = 'usage'");
  const insert = store.sql("INSERT OR REPLACE INTO notes VALUES ('usage', ?)");
  return {
    read: () => JSON.parse(select.get()?.value ?? '{}'),
    write: value => void insert.run(JSON.stringify(value)),
  };
};

const isDailyCount = (value: unknown): value is DailyCount =>
  isJsonObject(value) && 'day' in value && Number.isInteger(value['requests']);

const countsIn = (value: unknown): Record<string, DailyCount> =>
  Object.fromEntries(
    Object.entries(Object(value)).filter((entry): entry is [string, DailyCount] =>
      isDailyCount(entry[1]),
    ),
  );

interface LimitPorts {
  readonly registry: Pick<Registry, 'connection'>;
  /** Notes requests of a connection that were refused; never fails. */
  limited(connection: Connection, requests: number): Promise<void>;
}

/**
 * Notes refused requests: those of a connection that come while a note is written go with the next
 * one.
 */
const noting = ({
  limited,
}: Pick<LimitPorts, 'limited'>): ((connection: Connection) => Promise<void>) => {
  const waiting = new Map<string, number>();
  return async connection => {
    const { id } = connection;
    const before = waiting.get(id);
    if (before !== undefined) return void waiting.set(id, before + 1);
    for (let requests = 1; requests > 0; requests = waiting.get(id) ?? 0) {
      waiting.set(id, 0);
      await limited(connection, requests);
    }
    waiting.delete(id);
  };
};

/** The limits of `lib/contract/limits.ts`. */
export const gatewayLimits = (
  ports: LimitPorts,
  usage: UsageNote,
  now: () => number,
): GatewayLimits => {
  let limits = limiter(now, countsIn(usage.read()));
  const note = noting(ports);
  let savedAt = now();
  const save = (): void => {
    savedAt = now();
    usage.write(limits.counts());
  };
  return {
    save,
    forget() {
      limits = limiter(now, {});
      save();
    },
    usedToday: connection => limits.usedToday(connection),
    admit: (route, sender) => limits.request(route, sender),
    async charge(route, caller, address) {
      const { quota: counts }: Route = routes[route];
      const connection =
        counts && caller !== undefined ? await ports.registry.connection(caller) : undefined;
      if (!connection) return { headers: {} };
      const allowance = limits.connection(connection.id, quotaOf(connection));
      if (now() - savedAt >= saveEveryMilliseconds) save();
      const headers = rateLimitHeaders(allowance, limits.address(address));
      const { limited } = allowance;
      if (!limited) return { headers };
      // The response does not wait for it.
      void note(connection);
      return { refusal: limitedResponse('bus', limited, headers), headers };
    },
  };
};
