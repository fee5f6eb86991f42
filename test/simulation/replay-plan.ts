import type { Random } from './random.ts';

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
