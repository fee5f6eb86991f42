import type { Basis } from '../contract/portal/checks.ts';
import { type Fixture, fixtureOf, type WrittenFixture } from './fixture.ts';

/** What happens to what a system under test publishes; `status` is that of the refusals. */
export interface RunFaults {
  readonly refusals: number;
  readonly losses: number;
  readonly status: 401 | 429 | 503;
  readonly retryAfterSeconds?: number;
  readonly slowMilliseconds?: number;
}

export type Action =
  /**
   * Publishes messages, in order, to the consumer under test only. `isWithheld`: to nobody; a later
   * step delivers them with `again`.
   */
  | { readonly kind: 'play'; readonly fixtures: readonly Fixture[]; readonly isWithheld?: true }
  /**
   * Puts the messages of an earlier step (0 is the first) once more into the queue, bytes
   * unchanged.
   */
  | { readonly kind: 'again'; readonly step: number }
  | { readonly kind: 'inject'; readonly faults: Partial<RunFaults> }
  | { readonly kind: 'watch' };

type Settling =
  /**
   * So many new messages came from the producer under test and then none for the quiet time; or the
   * limit is over.
   */
  | { readonly until: 'reactions'; readonly count: number }
  /**
   * All messages of the step were acknowledged, and then the quiet time; or the limit is over.
   * `whenVisible`: the limit is not over before its messages could be received a second time, as
   * far as the run may last.
   */
  | { readonly until: 'acknowledged'; readonly whenVisible?: true }
  /**
   * The producer under test tried to publish so many times since the step began, and then the quiet
   * time; or the limit is over.
   */
  | { readonly until: 'attempts'; readonly count: number }
  /** So many seconds after its action. */
  | { readonly until: 'seconds'; readonly seconds: number };

export interface Step<Expectation> {
  readonly action: Action;
  readonly settles: Settling;
  /** What whoever runs the system has to do while the step goes on. */
  readonly ask?: string;
  /** Instead of the run's limit, in seconds. */
  readonly limitSeconds?: number;
  /** Absent: whatever becomes of it is right. */
  readonly expects?: Expectation;
}

export type CaseNeed =
  | { readonly kind: 'receives' | 'ignores'; readonly messageType: string }
  /**
   * The producer under test may send this message type. If nobody asked for it, the case does not
   * apply to one that may not.
   */
  | { readonly kind: 'sends'; readonly messageType: string; readonly isWanted: boolean }
  | { readonly kind: 'instance'; readonly slot: string }
  /** Somebody, or a command, restarts the system when the run asks for it. */
  | { readonly kind: 'restart' };

export interface Case<Expectation> {
  /** Unique within the plan, such as `raise-flag-on-match/no-match`. */
  readonly id: string;
  readonly title: string;
  readonly basis?: Basis;
  readonly needs: readonly CaseNeed[];
  /** It is played by itself: one at a time, after those before it in the plan. */
  readonly isAlone?: true;
  /** What it waits for. A pending case is listed, and never played. */
  readonly pending?: string;
  readonly steps: readonly Step<Expectation>[];
  readonly ofWholeRun?: true;
  readonly advice?: string;
}

/**
 * A step as the files in `checks` write it: it plays messages, unless it has `again`, `inject` or
 * nothing but `watch`.
 */
export interface WrittenStep<Expectation>
  extends WrittenFixture,
    Pick<Step<Expectation>, 'limitSeconds' | 'expects' | 'ask'> {
  /** What it plays, instead of its own message. */
  readonly fixtures?: readonly Fixture[];
  /** It is kept back, so that a later one overtakes it. */
  readonly withheld?: true;
  /** The messages of an earlier step, counted from 1. */
  readonly again?: number;
  readonly inject?: Partial<RunFaults>;
  /** Until the producer has tried so often. */
  readonly attempts?: number;
  /** For so many seconds. */
  readonly watch?: number;
}

export interface WrittenCase<Expectation>
  extends Pick<Case<Expectation>, 'title' | 'basis' | 'advice' | 'isAlone' | 'ofWholeRun'> {
  /** What it plays is of types that the consumer does not receive. */
  readonly ignores?: true;
  readonly sends?: string;
  readonly slots?: readonly string[];
  /** The system is restarted in the middle of it. */
  readonly restarts?: true;
  readonly steps: readonly WrittenStep<Expectation>[];
}

/** Those that are played by themselves come after all others. */
export const aloneLast = <Expectation>(
  cases: readonly Case<Expectation>[],
): readonly Case<Expectation>[] => [
  ...cases.filter(({ isAlone }) => !isAlone),
  ...cases.filter(({ isAlone }) => isAlone),
];

const actionOf = (written: WrittenStep<unknown>): Action => {
  const { again, inject, watch, withheld } = written;
  if (again !== undefined) return { kind: 'again', step: again - 1 };
  if (inject) return { kind: 'inject', faults: inject };
  const hasOwn = written.story !== undefined || written.message !== undefined;
  const { fixtures = hasOwn ? [fixtureOf(written)] : [] } = written;
  if (watch !== undefined && fixtures.length === 0) return { kind: 'watch' };
  return { kind: 'play', fixtures, ...(withheld && { isWithheld: withheld }) };
};

const stepOf = <E>(
  written: WrittenStep<E>,
  settle: (step: WrittenStep<E>) => Settling,
): Step<E> => {
  const { limitSeconds, expects, ask, attempts, withheld, watch = withheld && 0 } = written;
  const settling = (): Settling => {
    if (attempts !== undefined) return { until: 'attempts', count: attempts };
    return watch === undefined ? settle(written) : { until: 'seconds', seconds: watch };
  };
  return {
    action: actionOf(written),
    settles: settling(),
    ...(limitSeconds && { limitSeconds }),
    ...(expects && { expects }),
    ...(ask && { ask }),
  };
};

/**
 * The cases as a file writes them, by their ids.
 *
 * @param settle when a step is over that does not say so itself
 */
export const casesIn = <E>(
  cases: Readonly<Record<string, WrittenCase<E>>>,
  settle: (step: WrittenStep<E>) => Settling,
): readonly Case<E>[] =>
  Object.entries(cases).map(
    ([id, { ignores, sends, restarts, slots = [], steps: written, ...named }]) => {
      const steps = written.map(step => stepOf(step, settle));
      const types = steps.flatMap(({ action }) =>
        action.kind === 'play' ? action.fixtures.map(({ messageType }) => messageType) : [],
      );
      const needs: readonly CaseNeed[] = [
        ...[...new Set(types)].map(
          messageType => ({ kind: ignores ? 'ignores' : 'receives', messageType }) as const,
        ),
        ...(sends
          ? [{ kind: 'sends', messageType: sends, isWanted: slots.length > 0 } as const]
          : []),
        ...slots.map(slot => ({ kind: 'instance', slot }) as const),
        ...(restarts ? [{ kind: 'restart' } as const] : []),
      ];
      return { id, ...named, needs, steps };
    },
  );
