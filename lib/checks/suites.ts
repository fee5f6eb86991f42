import { hash } from 'node:crypto';
import { messageTypes } from '../contract/message-types.ts';
import { defined } from '../contract/outside.ts';
import type { CaseReport, CheckKind, CoverageReport } from '../contract/portal/checks.ts';
import { consumerPlan } from './consumer-plan.ts';
import { consumerJudge } from './judging/consumer-judge.ts';
import { coverageOf } from './judging/coverage.ts';
import { executorJudge, isReaction } from './judging/executor-judge.ts';
import { producerJudge } from './judging/producer-judge.ts';
import { reactionJudge } from './judging/reactions.ts';
import type { CaseRecord, RunRecord, SeenAttempt } from './judging/record.ts';
import { judgeCases } from './judging/verdict.ts';
import type { Case } from './plan.ts';
import { executorPlan, producerPlan, reactionPlan } from './plans.ts';
import type { Run, RunOptions, RunState } from './run.ts';

export interface Suite {
  /** By their ids, in the order of the plan. */
  readonly cases: ReadonlyMap<string, Case<unknown>>;
  /**
   * Whether an attempt of the producer under test is one of the reactions that a step waits for.
   */
  isReaction(record: CaseRecord, attempt: SeenAttempt): boolean;
  judge(record: RunRecord): readonly CaseReport[];
  coverage?(record: RunRecord): CoverageReport;
}

/** Stands for a label in a run's record, in little space. */
export const labelKey = (label: string): string => hash('sha256', label, 'base64url').slice(0, 16);

export const casesToChoose = (
  kind: CheckKind,
  { messageTypes, bindsFirstSeen, receives, isReacting, ownCases }: Partial<RunOptions>,
): readonly Case<unknown>[] => {
  if (kind === 'consumer')
    return [...consumerPlan(receives, ownCases), ...(isReacting ? reactionPlan : [])];
  return kind === 'producer' ? producerPlan(messageTypes) : executorPlan(bindsFirstSeen);
};

interface SuiteFacts extends Pick<Run, 'kind' | 'options'> {
  readonly state: Pick<RunState, 'instances' | 'labels'>;
}

const chosen = <E>(cases: readonly Case<E>[], { options }: SuiteFacts): readonly Case<E>[] => {
  const wanted = new Set(options.cases);
  return cases.filter(({ id }) => wanted.has(id));
};

const idsOf = <E>(cases: readonly Case<E>[]): ReadonlyMap<string, Case<E>> =>
  new Map(cases.map(one => [one.id, one]));

/**
 * How much of SOM 1.0 the accepted messages of a producer have used.
 *
 * @param wanted the types that it should send; none: those that it sent
 */
export const coverageIn = (
  attempts: readonly SeenAttempt[],
  wanted: readonly string[],
): CoverageReport => {
  const messages = attempts.flatMap(({ outcome, message }) =>
    outcome === 'accepted' && message ? [message] : [],
  );
  const sent = new Set(messages.map(message => message['message_type']));
  return coverageOf(
    messages,
    wanted.length > 0 ? wanted : messageTypes.filter(type => sent.has(type)),
  );
};

const executorSuite = (run: SuiteFacts): Suite => {
  const { options, state } = run;
  const cases = chosen(executorPlan(options.bindsFirstSeen), run);
  const keys = new Set(state.labels);
  const context = {
    instances: new Map(Object.entries(state.instances)),
    labels: { has: (label: string) => keys.has(labelKey(label)) },
    limitSeconds: options.limitSeconds,
  };
  const byId = idsOf(cases);
  return {
    cases: byId,
    isReaction(record, attempt) {
      const testCase = byId.get(record.id);
      return testCase !== undefined && isReaction({ testCase, record, context }, attempt);
    },
    judge: record => judgeCases(cases, executorJudge(context), record),
  };
};

export const suiteOf = (run: SuiteFacts): Suite => {
  if (run.kind === 'executor') return executorSuite(run);
  if (run.kind === 'consumer') {
    const { receives, limitSeconds, isReacting, reaction, withinSeconds, ownCases } = run.options;
    const cases = chosen(consumerPlan(receives, ownCases), run);
    const reactions = isReacting ? chosen(reactionPlan, run) : [];
    const wanted = {
      ...defined({ messageType: reaction }),
      withinSeconds: withinSeconds ?? limitSeconds,
    };
    return {
      cases: new Map<string, Case<unknown>>([...idsOf(cases), ...idsOf(reactions)]),
      isReaction: () => false,
      judge: record => [
        ...judgeCases(cases, consumerJudge, record),
        ...judgeCases(reactions, reactionJudge(wanted), record),
      ],
    };
  }
  const wanted = run.options.messageTypes;
  const cases = chosen(producerPlan(wanted), run);
  return {
    cases: idsOf(cases),
    isReaction: ({ id }, attempt) => id === `messages/${attempt.messageType}`,
    judge: record => judgeCases(cases, producerJudge, record),
    coverage: ({ attempts }) => coverageIn(attempts, wanted),
  };
};
