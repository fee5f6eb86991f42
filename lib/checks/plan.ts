import type { Basis, CheckKind } from '../contract/checks.ts';
import type { Faults } from '../contract/faults.ts';
import type { JsonObject } from '../json/value.ts';

/**
 * A message that the bus plays, as data. In its texts `{story}` stands for the case's story_id and `{now}` for the time of the play. A
 * `story.context` gets `story_id`, `newsroom_id`, `updated_at` and the next `sequence_number` of its story on top of `payload`.
 */
export interface Fixture {
  readonly messageType: string;
  readonly payload: JsonObject;
  /** Members of the envelope that differ, such as `som_version` or `extensions`. */
  readonly envelope?: JsonObject;
  readonly bytes?: number;
  /** All characters beyond ASCII are written as `\uXXXX`. */
  readonly escaped?: true;
}

export type Action =
  /** Publishes messages, in order, to the consumer under test only. `isWithheld`: to nobody; a later step delivers them with `again`. */
  | { readonly kind: 'play'; readonly fixtures: readonly Fixture[]; readonly isWithheld?: true }
  /** Puts the messages of an earlier step (0 is the first) once more into the queue, bytes unchanged. */
  | { readonly kind: 'again'; readonly step: number }
  | { readonly kind: 'inject'; readonly faults: Pick<Faults, 'refuse' | 'loseResponses' | 'slow'> }
  | { readonly kind: 'endTokens' }
  | { readonly kind: 'watch' };

export type Settling =
  /** So many new messages came from the producer under test and then none for the quiet time; or the limit is over. */
  | { readonly until: 'reactions'; readonly count: number }
  /**
   * All messages of the step were acknowledged, and then the quiet time; or the limit is over. `whenVisible`: the limit is not over
   * before its messages could be received a second time, as far as the run may last.
   */
  | { readonly until: 'acknowledged'; readonly whenVisible?: true }
  /** The producer under test tried to publish so many times since the step began, and then the quiet time; or the limit is over. */
  | { readonly until: 'attempts'; readonly count: number }
  /** So many seconds after its action. */
  | { readonly until: 'seconds'; readonly seconds: number };

export interface Step<Expectation> {
  readonly action: Action;
  readonly settles: Settling;
  /** Instead of the run's limit, in seconds. */
  readonly limitSeconds?: number;
  readonly expects: Expectation;
}

export type Need =
  | { readonly kind: 'receives'; readonly messageType: string }
  | { readonly kind: 'ignores'; readonly messageType: string }
  /** The producer under test may send this message type. If nobody asked for it, the case does not apply to one that may not. */
  | { readonly kind: 'sends'; readonly messageType: string; readonly isWanted: boolean }
  | { readonly kind: 'instance'; readonly slot: string };

export interface Case<Expectation> {
  /** Unique within the plan, such as `raise-flag-on-match/no-match`. */
  readonly id: string;
  readonly title: string;
  readonly basis?: Basis;
  readonly needs: readonly Need[];
  /** It is played by itself: one at a time, after those before it in the plan. */
  readonly isAlone?: true;
  /** What it waits for. A pending case is listed, and never played. */
  readonly pending?: string;
  readonly steps: readonly Step<Expectation>[];
  readonly ofWholeRun?: true;
  readonly advice?: string;
}

export interface Plan<Expectation> {
  readonly kind: CheckKind;
  readonly cases: readonly Case<Expectation>[];
}
