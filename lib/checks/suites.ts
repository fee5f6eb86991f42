import type { CaseAnswer, CheckKind, CoverageAnswer } from '../contract/checks.ts';
import { type ExecutorContext, isAnswer } from './executor-answers.ts';
import { executorJudge } from './executor-judge.ts';
import { executorPlan } from './executor-plan.ts';
import type { Case, Plan } from './plan.ts';
import type { Attempt, CaseRecord, RunRecord } from './record.ts';
import type { RunOptions, RunState } from './run.ts';
import { judgeCases } from './verdict.ts';

/** The cases of one run, and who judges them. */
export interface Suite {
  /** In the order of the report, pending ones included. */
  readonly cases: readonly Case<unknown>[];
  /** Whether an attempt of the producer under test is one of the answers that a step waits for. */
  isAnswer(record: CaseRecord, attempt: Attempt): boolean;
  judge(record: RunRecord): readonly CaseAnswer[];
  /** How much of SOM 1.0 was seen. */
  coverage?(record: RunRecord): CoverageAnswer;
}

/** What a suite is made of. */
export interface SuiteFacts {
  readonly options: RunOptions;
  readonly state: Pick<RunState, 'instances' | 'labels'>;
}

const chosen = <E>({ kind, cases }: Plan<E>, { cases: ids }: RunOptions): Plan<E> => {
  const wanted = new Set(ids);
  return { kind, cases: cases.filter(({ id }) => wanted.has(id)) };
};

const executorSuite = ({ options, state }: SuiteFacts): Suite => {
  const plan = chosen(executorPlan(options), options);
  const context: ExecutorContext = {
    instances: new Map(Object.entries(state.instances)),
    labels: new Set(state.labels),
    limitSeconds: options.limitSeconds,
  };
  const byId = new Map(plan.cases.map(one => [one.id, one]));
  return {
    cases: plan.cases,
    isAnswer(record, attempt) {
      const one = byId.get(record.id);
      return one !== undefined && isAnswer({ one, record, context }, attempt);
    },
    judge: record => judgeCases(plan, executorJudge(context), record),
  };
};

/** One kind of run. */
interface Kind {
  /** The cases to choose from. */
  plan(options: Partial<RunOptions>): readonly Case<unknown>[];
  suite(facts: SuiteFacts): Suite;
}

/** The kinds of runs that there are. */
const kinds: Partial<Readonly<Record<CheckKind, Kind>>> = {
  executor: { plan: options => executorPlan(options).cases, suite: executorSuite },
};

/** Everything that a kind of run can check. */
export const casesToChoose = (kind: CheckKind, options: Partial<RunOptions>): readonly Case<unknown>[] =>
  kinds[kind]?.plan(options) ?? [];

/** @throws Error if the run is of a kind that this version does not know */
export const suiteOf = (run: SuiteFacts & { readonly kind: CheckKind }): Suite => {
  const kind = kinds[run.kind];
  if (!kind) throw new Error(`There is no suite of the kind ${run.kind}.`);
  return kind.suite(run);
};
