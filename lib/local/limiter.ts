import { type Quota, type Throttle, throttles, windows } from '../contract/limits.ts';
import type { Route } from '../contract/route.ts';
import { type RouteId, routes } from '../contract/routes.ts';
import { countOfDay, type DailyCount } from '../domain/limits/daily-count.ts';
import { countRequest, type Window } from '../domain/limits/sliding-window.ts';
import { type BucketLevel, takeToken } from '../domain/limits/token-bucket.ts';

/** A request that came too often. */
export interface Limited {
  readonly rule: 'rate.limited' | 'quota.exceeded';
  readonly waitMilliseconds: number;
}

/** What a connection has left. */
export interface Allowance {
  readonly quota: Quota;
  readonly tokens: number;
  readonly requestsToday: number;
  readonly resetMilliseconds: number;
}

/** Who sends a request, as far as the outer fences look. */
export interface Sender {
  readonly address: string;
  readonly authorization: string | undefined;
}

/** The limits that AWS's firewall, throttles and usage plans enforce for the deployed service. */
export interface Limiter {
  /** The fences before anybody is known: firewall windows, then the throttles that all callers share. */
  request(route: RouteId, sender: Sender): Limited | undefined;
  /** The usage plan of one connection. */
  connection(id: string, quota: Quota): Limited | Allowance;
  /** The daily counts, to be kept over a restart. */
  counts(): Readonly<Record<string, DailyCount>>;
}

/** Keys of one window or bucket that are remembered; the oldest go first. */
const remembered = 10_000;

const keep = <V>(map: Map<string, V>, key: string, value: V): void => {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.size > remembered ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
};

/** The windows a request counts in, by the key it counts under. */
const windowsOf = (
  route: RouteId,
  { address, authorization }: Sender,
): readonly (readonly [string, Window])[] => [
  [`any ${address}`, windows.anyRoutePerAddress],
  ...(route === 'token' ? ([[`token ${address}`, windows.tokenPerAddress]] as const) : []),
  ...(route === 'token' && /^basic /i.test(authorization ?? '')
    ? ([[`client ${authorization}`, windows.tokenPerBasicClient]] as const)
    : []),
];

const throttlesOf = ({ api, throttle }: Route): readonly Throttle[] =>
  api === 'bus' && throttle !== 'wholeApi' ? ['wholeApi', throttle] : [throttle];

/** @param now epoch milliseconds @param before the daily counts of an earlier run */
export const limiter = (now: () => number, before: Readonly<Record<string, DailyCount>> = {}): Limiter => {
  const times = new Map<string, readonly number[]>();
  const levels = new Map<string, BucketLevel>();
  const days = new Map(Object.entries(before));

  const overWindow = (route: RouteId, sender: Sender): Limited | undefined => {
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
    request: (route, sender) => overWindow(route, sender) ?? overThrottle(route),

    connection(id, quota) {
      const taken = takeToken(quota, levels.get(`connection ${id}`), now());
      keep(levels, `connection ${id}`, taken.level);
      if (!taken.allowed) return { rule: 'rate.limited', waitMilliseconds: taken.waitMilliseconds };
      const counted = countOfDay(quota.perDay, days.get(id), now());
      keep(days, id, counted.count);
      const { resetMilliseconds } = counted;
      if (!counted.allowed) return { rule: 'quota.exceeded', waitMilliseconds: resetMilliseconds };
      return { quota, tokens: taken.level.tokens, requestsToday: counted.count.requests, resetMilliseconds };
    },

    counts: () => Object.fromEntries(days),
  };
};
