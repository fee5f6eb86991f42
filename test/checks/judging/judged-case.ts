import type { ExecutorContext } from '../../../lib/checks/judging/executor-judge.ts';
import { executorJudge } from '../../../lib/checks/judging/executor-judge.ts';
import type { CaseRecord, RunRecord, SeenAttempt } from '../../../lib/checks/judging/record.ts';
import { judgeCases } from '../../../lib/checks/judging/verdict.ts';
import { executorPlan, instanceOf, slots } from '../../../lib/checks/plans.ts';
import type { JsonObject } from '../../../lib/platform/json/value.ts';

export const context: ExecutorContext = {
  instances: new Map(slots.map(slot => [slot.id, instanceOf(slot)])),
  labels: new Set(slots.map(slot => instanceOf(slot).instance_label)),
  limitSeconds: 30,
};
export const plan = executorPlan();
export const storyId = 'test-run.y.case';
export const correlationId = '736f6d63-686b-8001-8000-000000000001';

export const second = 1000;
/** Steps of 20 seconds, each with one message. */
export const record = (
  id: string,
  steps: number,
  replayed: readonly number[] = [],
): CaseRecord => ({
  id,
  correlationId,
  storyId,
  steps: Array.from({ length: steps }, (_, at) => ({
    at: at * 20 * second,
    played: [
      {
        messageId: `trigger-${replayed.includes(at) ? 1 : at + 1}`,
        messageType: 'story.context',
        at: at * 20 * second,
        rules: [],
      },
    ],
    settledAt: (at + 1) * 20 * second,
  })),
});

export const runOf = (
  one: CaseRecord,
  attempts: readonly SeenAttempt[],
  more: Partial<RunRecord> = {},
): RunRecord => ({
  startedAt: 0,
  endedAt: 100 * second,
  cases: [one],
  attempts,
  receives: [],
  tokens: [],
  ...more,
});

export const flag: JsonObject = {
  warning_id: 'w-1',
  skill_id: 'smart-stories/raise-flag-on-match',
  skill_version: '0.2.2',
  story_id: storyId,
  scope: `story:${storyId}`,
  severity: 'flag',
  rule_id: 'test-r1',
  non_overridable: false,
  affected_fields: ['lifecycle.phase'],
  detail: 'phase-unsettled: lifecycle.phase is BREAKING, as BREAKING asks; duty-editor clears it.',
  blocks: [],
  skill_warning_ref: 'test-r1/1',
};

export const attempt = (
  payload: JsonObject,
  more: Partial<SeenAttempt> & { readonly cause?: string } = {},
): SeenAttempt => {
  const { cause = 'trigger-1', ...rest } = more;
  const messageId = rest.messageId ?? 'answer-1';
  const own = rest.correlationId ?? correlationId;
  return {
    at: second,
    outcome: 'accepted',
    rules: [],
    messageId,
    messageType: 'skill.warning.raised',
    correlationId: own,
    bodyHash: messageId,
    sizeBytes: 900,
    message: { message_id: messageId, correlation_id: own, causation_id: cause, payload },
    ...rest,
  };
};

export const judged = (run: RunRecord) => {
  const id = run.cases[0]?.id;
  const one = plan.filter(known => known.id === id);
  const [response] = judgeCases(one, executorJudge(context), run);
  return {
    ...response,
    failed: response?.checks.filter(({ passed }) => !passed).map(({ name }) => name),
  };
};
