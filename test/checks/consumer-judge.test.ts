import type { ReceiveRecord } from '../../lib/activity/records.ts';
import { consumerJudge } from '../../lib/checks/consumer-judge.ts';
import { consumerPlan } from '../../lib/checks/consumer-plan.ts';
import type { CaseRecord, RunRecord } from '../../lib/checks/record.ts';
import { judgeCases } from '../../lib/checks/verdict.ts';

const second = 1_000;

const played = (id: string, ...messageIds: readonly string[]): CaseRecord => ({
  id,
  correlationId: id,
  storyId: id,
  steps: [
    {
      at: 0,
      settledAt: 0,
      played: messageIds.map(messageId => ({ messageId, messageType: 'story.context', at: 0, rules: [] })),
    },
  ],
});

/** Taken at once, and never acknowledged. */
const taken = (messageId: string, pull: string): ReceiveRecord => ({
  connection: 'c',
  pull,
  messageId,
  messageType: 'story.context',
  correlationId: messageId,
  takenAt: 0,
  visibleAt: 60 * second,
  receiveCount: 1,
});

const overdueIn = (receives: readonly ReceiveRecord[]): string | undefined => {
  const plan = consumerPlan();
  const record: RunRecord = {
    startedAt: 0,
    endedAt: 100 * second,
    cases: [played('delivery/crash', 'stop'), played('delivery/in-time')],
    attempts: [],
    receives,
    tokens: [],
  };
  const cases = judgeCases(plan, consumerJudge(plan.cases), record);
  return cases.find(one => one.case_id === 'delivery/in-time')?.checks[0]?.found;
};

test('a consumer that is stopped need not acknowledge what came with the message at which it is', () => {
  const all = 'each before it became visible again';
  expect(overdueIn([taken('stop', 'a.0'), taken('beside', 'a.1')])).toBe(all);
  expect(overdueIn([taken('stop', 'a.0'), taken('other', 'b.0')])).toBe('not other');
});
