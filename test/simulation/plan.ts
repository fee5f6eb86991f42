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
