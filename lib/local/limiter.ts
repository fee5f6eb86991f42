import {
  type Bucket,
  dayMilliseconds,
  type Quota,
  type Throttle,
  throttles,
  windows,
} from '../contract/limits.ts';
import { plainPath } from '../contract/paths.ts';
import { signInPath } from '../contract/portal.ts';
import type { Route } from '../contract/route.ts';
import { type RouteId, routes } from '../contract/routes.ts';
import { countRequest, type Window } from '../tokens/issue-token.ts';

export interface DailyCount {
  readonly day: number;
  readonly requests: number;
}

interface DayCounted {
  readonly allowed: boolean;
  readonly count: DailyCount;
  readonly resetMilliseconds: number;
}

/** Counts one request against the allowance of its day. @param now epoch milliseconds */
export const countOfDay = (perDay: number, before: DailyCount | undefined, now: number): DayCounted => {
  const day = Math.floor(now / dayMilliseconds);
  const requests = before?.day === day ? before.requests : 0;
  const allowed = requests < perDay;
  const resetMilliseconds = (day + 1) * dayMilliseconds - now;
  return { allowed, count: { day, requests: allowed ? requests + 1 : requests }, resetMilliseconds };
};

export interface BucketLevel {
  readonly tokens: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface Taken {
  readonly allowed: boolean;
  readonly level: BucketLevel;
  /** Until the next request is allowed; 0 when it would be allowed now. */
  readonly waitMilliseconds: number;
}

/**
 * Takes one token, as API Gateway's throttling does: at most `burst` tokens, refilled at `perSecond`.
 *
 * @param level undefined: the bucket is full
 * @param now epoch milliseconds
 */
export const takeToken = (
  { perSecond, burst }: Bucket,
  level: BucketLevel | undefined,
  now: number,
): Taken => {
  const elapsed = level ? Math.max(0, now - level.at) : 0;
  const filled = level ? Math.min(burst, level.tokens + (elapsed * perSecond) / 1000) : burst;
  const allowed = filled >= 1;
  const tokens = allowed ? filled - 1 : filled;
  const waitMilliseconds = tokens >= 1 ? 0 : Math.ceil(((1 - tokens) * 1000) / perSecond);
  return { allowed, level: { tokens, at: level ? Math.max(level.at, now) : now }, waitMilliseconds };
};

export interface Limited {
  readonly rule: 'rate.limited' | 'quota.exceeded';
  readonly waitMilliseconds: number;
}

export interface Allowance {
  readonly quota: Quota;
  readonly tokens: number;
  readonly requestsToday: number;
  readonly resetMilliseconds: number;
  readonly limited?: Limited;
}

export interface Sender {
  readonly address: string;
  /** Decoded: `/api/sign/%69n` is a sign-in, too. */
  readonly path: string;
}

/** The limits that AWS's firewall, throttles and usage plans enforce for the deployed service. */
interface Limiter {
  /** The limits for unknown callers: firewall windows, then the throttles that all callers share. */
  request(route: RouteId | undefined, sender: Sender): Limited | undefined;
  connection(id: string, quota: Quota): Allowance;
  usedToday(id: string): number;
  counts(): Readonly<Record<string, DailyCount>>;
}

/** How many keys are kept of all windows, or of all buckets; the oldest are dropped first. */
const maxKeys = 10_000;

const keep = <V>(map: Map<string, V>, key: string, value: V): void => {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.size > maxKeys ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
};

const windowsOf = (
  route: RouteId | undefined,
  { address, path }: Sender,
): readonly (readonly [string, Window])[] => [
  [`any ${address}`, windows.anyRoutePerAddress],
  ...(route === 'token' ? [[`token ${address}`, windows.tokenPerAddress] as const] : []),
  ...(plainPath(path) === signInPath ? [[`sign-in ${address}`, windows.signInPerAddress] as const] : []),
];

const throttlesOf = ({ api, throttle }: Route): readonly Throttle[] =>
  api === 'bus' && throttle !== 'wholeApi' ? ['wholeApi', throttle] : [throttle];

/** @param now epoch milliseconds @param before the daily counts of an earlier run */
export const limiter = (now: () => number, before: Readonly<Record<string, DailyCount>> = {}): Limiter => {
  const times = new Map<string, readonly number[]>();
  const levels = new Map<string, BucketLevel>();
  const days = new Map(Object.entries(before));

  const overWindow = (route: RouteId | undefined, sender: Sender): Limited | undefined => {
    for (const [key, window] of windowsOf(route, sender)) {
      const counted = countRequest(window, times.get(key) ?? [], now());
      keep(times, key, counted.times);
      if (!counted.allowed) return { rule: 'rate.limited', waitMilliseconds: counted.waitMilliseconds };
    }
    return undefined;
  };

  const overThrottle = (route: RouteId): Limited | undefined => {
    for (const throttle of throttlesOf(routes[route])) {
      const taken = takeToken(throttles[throttle], levels.get(throttle), now());
      keep(levels, throttle, taken.level);
      if (!taken.allowed) return { rule: 'rate.limited', waitMilliseconds: taken.waitMilliseconds };
    }
    return undefined;
  };

  return {
    request: (route, sender) => overWindow(route, sender) ?? (route && overThrottle(route)),

    connection(id, quota) {
      const taken = takeToken(quota, levels.get(`connection ${id}`), now());
      keep(levels, `connection ${id}`, taken.level);
      const before = days.get(id);
      const counted = countOfDay(quota.perDay, before, now());
      const { resetMilliseconds } = counted;
      const left = { quota, tokens: taken.level.tokens, resetMilliseconds };
      if (!taken.allowed) {
        const requestsToday = before?.day === counted.count.day ? before.requests : 0;
        const limited = { rule: 'rate.limited', waitMilliseconds: taken.waitMilliseconds } as const;
        return { ...left, requestsToday, limited };
      }
      keep(days, id, counted.count);
      const requestsToday = counted.count.requests;
      if (counted.allowed) return { ...left, requestsToday };
      return {
        ...left,
        requestsToday,
        limited: { rule: 'quota.exceeded', waitMilliseconds: resetMilliseconds },
      };
    },

    usedToday(id) {
      const known = days.get(id);
      return known?.day === countOfDay(1, undefined, now()).count.day ? known.requests : 0;
    },

    counts: () => Object.fromEntries(days),
  };
};
