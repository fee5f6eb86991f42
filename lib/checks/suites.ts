import { createHash } from 'node:crypto';
import type { CaseReport, CheckKind, CoverageReport } from '../contract/checks.ts';
import { consumerJudge } from './consumer-judge.ts';
import { consumerPlan } from './consumer-plan.ts';
import { coverageOf } from './coverage.ts';
import { executorJudge } from './executor-judge.ts';
import { executorPlan } from './executor-plan.ts';
import { type ExecutorContext, isReaction } from './executor-warning.ts';
import type { Case, Plan } from './plan.ts';
import { producerJudge } from './producer-judge.ts';
import { producerPlan, typesFor } from './producer-plan.ts';
import type { Attempt, CaseRecord, RunRecord } from './record.ts';
import type { RunOptions, RunState } from './run.ts';
import { judgeCases } from './verdict.ts';

export interface Suite {
  readonly cases: readonly Case<unknown>[];
  /** Whether an attempt of the producer under test is one of the reactions that a step waits for. */
  isReaction(record: CaseRecord, attempt: Attempt): boolean;
  judge(record: RunRecord): readonly CaseReport[];
  coverage?(record: RunRecord): CoverageReport;
}

/** Stands for a label in a run's record, in little space. */
export const labelKey = (label: string): string =>
  createHash('sha256').update(label).digest('base64url').slice(0, 16);

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
  const keys = new Set(state.labels);
  const context: ExecutorContext = {
    instances: new Map(Object.entries(state.instances)),
    labels: { has: label => keys.has(labelKey(label)) },
    limitSeconds: options.limitSeconds,
  };
  const byId = new Map(plan.cases.map(one => [one.id, one]));
  return {
    cases: plan.cases,
    isReaction(record, attempt) {
      const one = byId.get(record.id);
      return one !== undefined && isReaction({ one, record, context }, attempt);
    },
    judge: record => judgeCases(plan, executorJudge(context), record),
  };
};

/** How much of SOM 1.0 a producer has used, of the types that it should send, or else of those that it sent. */
export const coverageIn = ({ attempts }: RunRecord, messageTypes: readonly string[]): CoverageReport => {
  const messages = attempts.flatMap(({ outcome, message }) =>
    outcome === 'accepted' && message ? [message] : [],
  );
  const sent = new Set(messages.map(message => message['message_type']));
  const types = messageTypes.length > 0 ? messageTypes : typesFor({}).filter(type => sent.has(type));
  return coverageOf(messages, types);
};

const producerSuite = ({ options }: SuiteFacts): Suite => {
  const plan = chosen(producerPlan(options), options);
  return {
    cases: plan.cases,
    isReaction: ({ id }, { messageType }) => id === `messages/${messageType}`,
    judge: record => judgeCases(plan, producerJudge, record),
    coverage: record => coverageIn(record, options.messageTypes),
  };
};

const consumerSuite = ({ options }: SuiteFacts): Suite => {
  const plan = chosen(consumerPlan(), options);
  return {
    cases: plan.cases,
    isReaction: () => false,
    judge: record => judgeCases(plan, consumerJudge(plan.cases), record),
  };
};

interface Kind {
  plan(options: Partial<RunOptions>): readonly Case<unknown>[];
  suite(facts: SuiteFacts): Suite;
}

const kinds: Readonly<Record<CheckKind, Kind>> = {
  producer: { plan: options => producerPlan(options).cases, suite: producerSuite },
  consumer: { plan: () => consumerPlan().cases, suite: consumerSuite },
  executor: { plan: options => executorPlan(options).cases, suite: executorSuite },
};

export const casesToChoose = (kind: CheckKind, options: Partial<RunOptions>): readonly Case<unknown>[] =>
  kinds[kind].plan(options);

export const suiteOf = (run: SuiteFacts & { readonly kind: CheckKind }): Suite => kinds[run.kind].suite(run);
