import { producerJudge } from '../../../lib/checks/judging/producer-judge.ts';
import type { RunRecord, SeenAttempt } from '../../../lib/checks/judging/record.ts';
import { judgeCases } from '../../../lib/checks/judging/verdict.ts';
import { producerPlan } from '../../../lib/checks/plans.ts';

const plan = producerPlan(['story.context']);

/** What one case says about some attempts in one step of a minute. */
const judged = (id: string, attempts: readonly SeenAttempt[], more: Partial<RunRecord> = {}) => {
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
  return {
    ...response,
    failed: response?.checks.filter(({ passed }) => !passed).map(({ name }) => name),
  };
};

const attempt = (messageId: string, at: number, more: Partial<SeenAttempt> = {}): SeenAttempt => ({
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
  expect(judged('stories/one-correlation', large)).toMatchObject({
    verdict: 'not run',
    failed: [],
  });
});

test('new-ids: messages of any type prove it, two of them', () => {
  const media = ['m-1', 'm-2'].map(id =>
    attempt(id, 0, { messageType: 'delivery.media_available' }),
  );
  expect(judged('messages/new-ids', media)).toMatchObject({ verdict: 'passed' });
  expect(judged('messages/new-ids', media.slice(1))).toMatchObject({
    verdict: 'not run',
    reason: 'It published fewer than two messages: keep using the product.',
  });
});

describe('a type that it publishes', () => {
  const sent = (...attempts: readonly SeenAttempt[]) => judged('messages/story.context', attempts);
  const refusal = (id: string, at: number, more: Partial<SeenAttempt> = {}) =>
    attempt(id, at, { outcome: 'refused', rules: ['envelope.pattern'], ...more });

  test('of what was accepted the last message is shown, and the type of no other', () => {
    const others = attempt('m-3', 2_000, { messageType: 'link.committed' });
    expect(sent(attempt('m-1', 0), attempt('m-2', 1_000), others)).toMatchObject({
      verdict: 'passed',
      message_ids: ['m-2'],
    });
    expect(sent(others)).toMatchObject({ verdict: 'failed', failed: ['accepted'] });
  });

  test('what was refused for good is shown with its rules, and with nothing else', () => {
    expect(sent(attempt('m-1', 0), refusal('m-2', 1_000))).toMatchObject({
      failed: ['refused'],
      message_ids: ['m-2'],
      rules: ['envelope.pattern'],
    });
  });

  test('what the test run itself refused, or the bus for a while, is no fault', () => {
    const passing = [
      refusal('m-1', 0, { injected: 'refused' }),
      refusal('m-2', 0, { rules: ['rate.limited'] }),
    ];
    expect(sent(...passing, attempt('m-1', 9_000))).toMatchObject({ failed: [] });
  });
});

describe('rate-limited', () => {
  const met = attempt('m-1', 1_000, {
    outcome: 'refused',
    injected: 'refused',
    retryAfterSeconds: 8,
  });
  const failedWith = (...later: readonly SeenAttempt[]) =>
    judged('retries/rate-limited', [met, ...later]).failed;
  const again = attempt('m-1', 9_100);

  test('other messages that were on their way need not pause', () => {
    expect(failedWith(attempt('m-2', 1_020), attempt('m-3', 1_900), again)).toEqual([]);
  });

  test('the same message has to pause from the beginning, the others from a second on', () => {
    expect(failedWith(attempt('m-1', 1_900))).toEqual(['pause']);
    expect(failedWith(attempt('m-2', 2_200), again)).toEqual(['pause']);
  });

  test('a pause may be 50 ms too short, as the clocks of the bus may differ by that, and no more', () => {
    expect(failedWith(attempt('m-1', 8_950))).toEqual([]);
    expect(failedWith(attempt('m-1', 8_949))).toEqual(['pause']);
  });

  test('other messages have to pause once more than a second has passed', () => {
    expect(failedWith(attempt('m-2', 2_000), again)).toEqual([]);
    expect(failedWith(attempt('m-2', 2_001), again)).toEqual(['pause']);
  });

  test('a repeat whose response is lost is not accepted in the end', () => {
    const lost = attempt('m-1', 9_100, { injected: 'lost' });
    expect(failedWith(lost)).toEqual(['accepted']);
    expect(failedWith(lost, attempt('m-1', 12_000))).toEqual([]);
  });

  test('it is met within the step, to its last millisecond', () => {
    const late = (at: number) =>
      judged('retries/rate-limited', [{ ...met, at }, attempt('m-1', 90_000)]);
    expect(late(60_000)).toMatchObject({ verdict: 'passed' });
    expect(late(60_001)).toMatchObject({ verdict: 'not run' });
  });
});

describe('unavailable', () => {
  const met = attempt('m-1', 1_000, { outcome: 'refused', injected: 'refused' });
  /** So many attempts with one message, the last a while after the first. */
  const failedAfter = (attempts: number, milliseconds: number) => {
    const again = Array.from({ length: attempts - 2 }, () => attempt('m-1', 1_000));
    return judged('retries/unavailable', [met, ...again, attempt('m-1', 1_000 + milliseconds)])
      .failed;
  };

  test('eight attempts within two seconds are a storm; seven are none, nor are eight that take two seconds', () => {
    expect(failedAfter(8, 1_999)).toEqual(['storm']);
    expect(failedAfter(7, 1_999)).toEqual([]);
    expect(failedAfter(8, 2_000)).toEqual([]);
  });
});

describe('a message that is made anew at each retry', () => {
  const made = (number: number, more: Partial<SeenAttempt> = {}, headline = 'Fire') =>
    attempt(`m-${number}`, 1_000 + number, {
      message: {
        message_id: `m-${number}`,
        timestamp: `t-${number}`,
        correlation_id: `c-${number}`,
        payload: { headline, sequence_number: number, updated_at: `t-${number}` },
      },
      ...more,
    });
  const met = made(1, { outcome: 'refused', injected: 'refused' });
  const foundIn = (...later: readonly SeenAttempt[]) =>
    Object.fromEntries(
      judged('retries/unavailable', [met, ...later])
        .checks?.filter(({ passed }) => !passed)
        .map(({ name, found }) => [name, found]) ?? [],
    );

  test('is the same content under so many ids, and a storm of them is one', () => {
    const eleven = Array.from({ length: 11 }, (_, at) => made(at + 2));
    expect(foundIn(...eleven)).toEqual({
      again: expect.stringMatching(/^the same content under 12 ids: m-1, m-2, .*m-12$/),
      storm: '12',
      accepted: 'only under another message_id',
    });
  });

  test('news is not the same content, and a message that comes again has no twins', () => {
    expect(foundIn(made(2, {}, 'Flood'))).toEqual({ again: 'nothing', accepted: 'given up' });
    expect(foundIn(made(2), made(1))).toEqual({});
  });
});

describe('secret-rotated', () => {
  const failedAfter = (requests: number, milliseconds: number) => {
    const first = Array.from({ length: requests - 1 }, () => ({ at: 0, refused: true }));
    const tokens = [...first, { at: milliseconds, refused: true }];
    return judged('retries/secret-rotated', [], { tokens }).failed;
  };

  test('eleven requests for a token within a minute are too many; ten are not, nor are eleven that take a minute', () => {
    expect(failedAfter(11, 59_999)).toEqual(['requests']);
    expect(failedAfter(10, 59_999)).toEqual([]);
    expect(failedAfter(11, 60_000)).toEqual([]);
  });
});

describe('token-ended', () => {
  const met = attempt('m-1', 1_000, { outcome: 'refused', injected: 'refused' });
  const tokens = [{ at: 1_100, refused: false }];
  const failedWith = (...later: readonly SeenAttempt[]) =>
    judged('retries/token-ended', [met, ...later], { tokens }).failed;

  test('the message that met the 401 has to be accepted', () => {
    expect(failedWith(attempt('m-1', 1_200))).toEqual([]);
    expect(failedWith(attempt('m-2', 1_200))).toEqual(['accepted']);
  });

  test('a token that it had before is no new one', () => {
    const attempts = [met, attempt('m-1', 1_200)];
    const failedOf = (at: number) =>
      judged('retries/token-ended', attempts, { tokens: [{ at, refused: false }] }).failed;
    expect([failedOf(999), failedOf(1_000)]).toEqual([['token'], []]);
    expect([failedOf(60_000), failedOf(60_001)]).toEqual([[], ['token']]);
  });

  test('what else it sent in the step is named too', () => {
    const attempts = [met, attempt('m-1', 1_200), attempt('m-2', 1_300)];
    expect(judged('retries/token-ended', attempts, { tokens }).message_ids).toEqual(['m-1', 'm-2']);
  });

  test('with the same bytes', () => {
    expect(failedWith(attempt('m-1', 1_200, { bodyHash: 'other' }))).toEqual(['accepted']);
  });
});

describe('slow-answer', () => {
  const content = { payload: { headline: 'Fire' } };
  const other = attempt('m-2', 5_000, { message: { payload: { headline: 'Flood' } } });
  const met = attempt('m-1', 13_000, {
    injected: 'slow',
    message: { message_id: 'm-1', ...content },
  });
  const failedWith = (...attempts: readonly SeenAttempt[]) =>
    judged('retries/slow-answer', attempts).failed;

  test('the message that had to wait is judged, and not what was sent meanwhile', () => {
    const anew = attempt('m-3', 8_000, { message: { message_id: 'm-3', ...content } });
    expect(failedWith(other, met)).toEqual([]);
    expect(failedWith(other, anew, met)).toEqual(['identity']);
  });

  test('the same content is the same message for a minute: what comes later may be news again', () => {
    const anew = (at: number) => attempt('m-3', at, { message: { message_id: 'm-3', ...content } });
    expect(failedWith(met, anew(13_000 + 59_999))).toEqual(['identity']);
    expect(failedWith(met, anew(13_000 + 60_000))).toEqual([]);
  });

  test('a repeat that overtakes it has the same bytes', () => {
    expect(failedWith(attempt('m-1', 7_000, { message: met.message ?? {} }), other, met)).toEqual(
      [],
    );
    expect(failedWith(attempt('m-1', 7_000, { bodyHash: 'other' }), met)).toEqual(['bytes']);
  });
});
