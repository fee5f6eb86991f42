import { dayMilliseconds } from '../../contract/limits.ts';
import type { Activity, Handling } from './records.ts';

/** What is counted of a connection. `delivered`: copies of accepted messages for consumers. */
export const counters = [
  'accepted',
  'refused',
  'repeated',
  'limited',
  'delivered',
  'pulled',
  'acknowledged',
  'released',
] as const;

export type Counter = (typeof counters)[number];

const minuteMilliseconds = 60_000;

/**
 * How long it took from accepted to acknowledged: each bucket ends here (milliseconds), and the
 * last one has no end.
 */
const latencyBuckets: readonly number[] = [
  ...[10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 20].map(seconds => seconds * 1_000),
  ...[1, 5, 15, 60, 240, 1_440].map(minutes => minutes * minuteMilliseconds),
];

export const latencySlotMinutes = 5;

/**
 * When a connection last did something. `frontAt`: when the newest message that it acknowledged was
 * accepted.
 */
export const moments = ['messageAt', 'pullAt', 'ackAt', 'frontAt'] as const;

type Moments = { readonly [Moment in (typeof moments)[number]]?: number };

interface Increments {
  readonly counts: Readonly<Partial<Record<Counter, number>>>;
  /** By bucket. */
  readonly latencies: ReadonlyMap<number, number>;
  readonly moments: Moments;
}

const acknowledged = ({ at, receives }: Pick<Handling, 'at' | 'receives'>): Increments => {
  const latencies = new Map<number, number>();
  // A replay sends what was accepted long ago.
  const fresh = receives
    .filter(({ replay }) => replay === undefined)
    .map(({ acceptedAt }) => acceptedAt);
  for (const acceptedAt of fresh) {
    const bucket = latencyBuckets.filter(end => end < at - acceptedAt).length;
    latencies.set(bucket, (latencies.get(bucket) ?? 0) + 1);
  }
  const front = fresh.length > 0 ? { frontAt: Math.max(...fresh) } : {};
  return { counts: { acknowledged: receives.length }, latencies, moments: { ackAt: at, ...front } };
};

export const incrementsOf = (activity: Activity): Increments | undefined => {
  const { at } = activity;
  const counted = (counts: Increments['counts'], moments: Moments = {}): Increments => ({
    counts,
    latencies: new Map(),
    moments,
  });
  switch (activity.kind) {
    case 'accepted':
      return counted({ accepted: 1, delivered: activity.copies }, { messageAt: at });
    case 'refused':
      return counted({ refused: 1 });
    case 'repeated':
      return counted({ repeated: 1 }, { messageAt: at });
    case 'limited':
      return counted({ limited: activity.requests });
    case 'received':
      return counted({ pulled: activity.receives.length }, { pullAt: at });
    case 'released':
      if (activity.receives.length > 0) return counted({ released: activity.receives.length });
      return undefined;
    case 'acknowledged':
      if (activity.receives.length > 0) return acknowledged(activity);
      return undefined;
    default:
      return undefined;
  }
};

export interface HourOfCounts extends Moments {
  readonly connection: string;
  /** Epoch milliseconds: the start of the hour. */
  readonly hour: number;
  readonly counts: readonly {
    readonly counter: Counter;
    readonly minute: number;
    readonly count: number;
  }[];
  /** By the minute in which their slot begins. */
  readonly latencies: readonly {
    readonly bucket: number;
    readonly minute: number;
    readonly count: number;
  }[];
}

/** Reads what was counted: `isComplete` is false if that is more than one request may read. */
export interface CountHistory {
  /** By the minute; `from` and `to` are epoch milliseconds, at most a day apart. */
  hours(workspace: string, range: { from: number; to: number }): Promise<CountsRead>;
  /**
   * By the hour. Days that are over are summed up when they are first read: what is not complete
   * now may be the next time.
   */
  days(workspace: string, range: { from: number; to: number }): Promise<CountsRead>;
}

interface CountsRead {
  readonly hours: readonly HourOfCounts[];
  readonly isComplete: boolean;
}

export interface SummedCounts {
  readonly counts: Record<Counter, number>;
  readonly latencies: number[];
}

export const noSums = (): SummedCounts => ({
  counts: Object.fromEntries(counters.map(counter => [counter, 0])) as Record<Counter, number>,
  latencies: [],
});

/** @param sumsAt the sums to which a time belongs; undefined if they are not asked for */
export const addTo = (
  sumsAt: (time: number) => SummedCounts | undefined,
  of: HourOfCounts,
): void => {
  for (const { counter, minute, count } of of.counts) {
    const sums = sumsAt(of.hour + minute * minuteMilliseconds);
    if (sums) sums.counts[counter] += count;
  }
  for (const { bucket, minute, count } of of.latencies) {
    const sums = sumsAt(of.hour + minute * minuteMilliseconds);
    if (sums) sums.latencies[bucket] = (sums.latencies[bucket] ?? 0) + count;
  }
};

/**
 * The latency (milliseconds) that a part of the messages stayed within, as far as the buckets tell;
 * undefined if there were none.
 */
export const percentile = (latencies: readonly number[], part: number): number | undefined => {
  const total = latencies.reduce((sum, count = 0) => sum + count, 0);
  if (total === 0) return undefined;

  let seen = 0;
  // A bucket without messages may be a hole in the list.
  for (const [bucket, count = 0] of latencies.entries()) {
    seen += count;
    if (seen >= total * part) return latencyBuckets[bucket] ?? dayMilliseconds;
  }
  return dayMilliseconds;
};
