import type { Random } from './random.ts';

/** What happens in one run, derived from the seed alone. */
export interface Plan {
  readonly producers: number;
  readonly consumers: number;
  readonly correlations: number;
  readonly messagesPerProducer: number;
  /** 0: nothing goes wrong. */
  readonly faultRate: number;
  /** When faults stop: everything must finish after that. */
  readonly faultyMilliseconds: number;
  readonly relayEveryMilliseconds: number;
  readonly relaysAtOnce: number;
  readonly deletesQueue: boolean;
  readonly replays: boolean;
  /** Sends an old message again after the idempotency window. */
  readonly outlastsWindow: boolean;
  /** When a consumer is paused, and for how long; milliseconds. */
  readonly pause?: { readonly after: number; readonly lasts: number };
}

export const planOf = (random: Random): Plan => ({
  producers: 1 + random.below(3),
  consumers: 1 + random.below(3),
  correlations: 1 + random.below(2),
  messagesPerProducer: 2 + random.below(4),
  faultRate: random.pick([0, 0.02, 0.05, 0.1, 0.2]),
  faultyMilliseconds: 5_000 + random.below(40_000),
  relayEveryMilliseconds: random.pick([2_000, 15_000, 60_000]),
  relaysAtOnce: 1 + random.below(2),
  deletesQueue: random.chance(0.15),
  replays: random.chance(0.4),
  outlastsWindow: random.chance(0.1),
  ...(random.chance(0.2)
    ? { pause: { after: random.below(8_000), lasts: 2_000 + random.below(20_000) } }
    : {}),
});

/** One replay that the operator starts; times in milliseconds. */
export interface PlannedReplay {
  /** When it is started, counted from the beginning of the run. */
  readonly after: number;
  /** Messages that are published right before it. */
  readonly burst: number;
  /** How far before its start its range begins. */
  readonly back: number;
  /** Which consumer, counted from the last. */
  readonly consumer: number;
  /** Only one correlation. */
  readonly correlation?: number;
  readonly type?: string;
  /** When it is cancelled, from its first send. */
  readonly cancelAfter?: number;
}

/** What happens around replays in one run. */
export interface ReplayPlan {
  readonly replays: readonly PlannedReplay[];
  /** Messages that are there when it begins. */
  readonly messages: number;
  /** The most entries in one page of the archive or of a log. */
  readonly pageSize: number;
  /** The longest delay of the archive's index. */
  readonly indexLag: number;
  /** The first runner that sends something is paused after that. */
  readonly freezes: boolean;
  /** A time in which one consumer's queue accepts nothing. */
  readonly outage?: { readonly consumer: number; readonly after: number; readonly lasts: number };
}

const replayOf = (random: Random): PlannedReplay => ({
  after: random.below(15_000),
  burst: random.pick([0, 3, 6]),
  back: random.pick([3_600_000, 3_600_000, random.below(10_000)]),
  consumer: random.below(3),
  ...(random.chance(0.25) ? { correlation: random.below(2) } : {}),
  ...(random.chance(0.2) ? { type: random.pick(['link.*', 'story.context']) } : {}),
  ...(random.chance(0.4) ? { cancelAfter: random.below(300) } : {}),
});

export const replayPlanOf = (random: Random): ReplayPlan => ({
  replays: Array.from({ length: 1 + random.below(2) }, () => replayOf(random)),
  messages: random.below(16),
  pageSize: 1 + random.below(4),
  indexLag: random.pick([0, 2_000, 8_000]),
  freezes: random.chance(0.4),
  ...(random.chance(0.5)
    ? {
        outage: {
          consumer: random.below(3),
          after: random.below(4_000),
          lasts: 20_000 + random.below(40_000),
        },
      }
    : {}),
});
