import { producerPlan } from '../../lib/checks/plans.ts';
import { producerJudge } from '../../lib/checks/producer-judge.ts';
import type { Attempt, RunRecord } from '../../lib/checks/record.ts';
import { judgeCases } from '../../lib/checks/verdict.ts';

const plan = producerPlan(['story.context']);

/** What one case says about some attempts in one step of a minute. */
const judged = (id: string, attempts: readonly Attempt[], more: Partial<RunRecord> = {}) => {
  const steps = [{ at: 0, played: [], settledAt: 60_000 }];
  const [response] = judgeCases(
    plan.filter(one => one.id === id),
    producerJudge,
    {
      startedAt: 0,
      endedAt: 90_000,
      cases: [{ id, correlationId: '', storyId: '', steps: [...steps, ...steps] }],
      attempts,
      receives: [],
      tokens: [],
      ...more,
    },
  );
  return { ...response, failed: response?.checks.filter(({ passed }) => !passed).map(({ name }) => name) };
};

const attempt = (messageId: string, at: number, more: Partial<Attempt> = {}): Attempt => ({
  at,
  outcome: 'accepted',
  rules: [],
  messageId,
  messageType: 'story.context',
  correlationId: messageId,
  bodyHash: messageId,
  sizeBytes: 900,
  ...more,
});

test('one-correlation: snapshots whose content was not kept are not taken for one story', () => {
  const large = [attempt('m-1', 0), attempt('m-2', 1_000)];
  expect(judged('stories/one-correlation', large)).toMatchObject({ verdict: 'not run', failed: [] });
});

test('new-ids: messages of any type prove it, two of them', () => {
  const media = ['m-1', 'm-2'].map(id => attempt(id, 0, { messageType: 'delivery.media_available' }));
  expect(judged('messages/new-ids', media)).toMatchObject({ verdict: 'passed' });
  expect(judged('messages/new-ids', media.slice(1))).toMatchObject({
    verdict: 'not run',
    reason: 'It published fewer than two messages: keep using the product.',
  });
});

describe('rate-limited', () => {
  const met = attempt('m-1', 1_000, { outcome: 'refused', injected: 'refused', retryAfterSeconds: 8 });
  const failedWith = (...later: readonly Attempt[]) => judged('retries/rate-limited', [met, ...later]).failed;
  const again = attempt('m-1', 9_100);

  test('other messages that were on their way need not pause', () => {
    expect(failedWith(attempt('m-2', 1_020), attempt('m-3', 1_900), again)).toEqual([]);
  });

  test('the same message has to pause from the beginning, the others from a second on', () => {
    expect(failedWith(attempt('m-1', 1_900))).toEqual(['pause']);
    expect(failedWith(attempt('m-2', 2_200), again)).toEqual(['pause']);
  });
});

describe('token-ended', () => {
  const met = attempt('m-1', 1_000, { outcome: 'refused', injected: 'refused' });
  const tokens = [{ at: 1_100, refused: false }];
  const failedWith = (...later: readonly Attempt[]) =>
    judged('retries/token-ended', [met, ...later], { tokens }).failed;

  test('the message that met the 401 has to be accepted', () => {
    expect(failedWith(attempt('m-1', 1_200))).toEqual([]);
    expect(failedWith(attempt('m-2', 1_200))).toEqual(['accepted']);
  });

  test('with the same bytes', () => {
    expect(failedWith(attempt('m-1', 1_200, { bodyHash: 'other' }))).toEqual(['accepted']);
  });
});

describe('slow-answer', () => {
  const content = { payload: { headline: 'Fire' } };
  const other = attempt('m-2', 5_000, { message: { payload: { headline: 'Flood' } } });
  const met = attempt('m-1', 13_000, { injected: 'slow', message: { message_id: 'm-1', ...content } });
  const failedWith = (...attempts: readonly Attempt[]) => judged('retries/slow-answer', attempts).failed;

  test('the message that had to wait is judged, and not what was sent meanwhile', () => {
    const anew = attempt('m-3', 8_000, { message: { message_id: 'm-3', ...content } });
    expect(failedWith(other, met)).toEqual([]);
    expect(failedWith(other, anew, met)).toEqual(['identity']);
  });

  test('a repeat that overtakes it has the same bytes', () => {
    expect(failedWith(attempt('m-1', 7_000, { message: met.message ?? {} }), other, met)).toEqual([]);
    expect(failedWith(attempt('m-1', 7_000, { bodyHash: 'other' }), met)).toEqual(['bytes']);
  });
});
