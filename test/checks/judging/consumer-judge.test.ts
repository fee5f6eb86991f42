import type { ReceiveRecord } from '../../../lib/bus/activity/records.ts';
import { consumerPlan as planFor } from '../../../lib/checks/consumer-plan.ts';
import { consumerJudge } from '../../../lib/checks/judging/consumer-judge.ts';
import type { PlayedStep, RunRecord } from '../../../lib/checks/judging/record.ts';
import { judgeCases } from '../../../lib/checks/judging/verdict.ts';

const consumerPlan = planFor();

const receive = (number: number, more: Partial<ReceiveRecord> = {}): ReceiveRecord => ({
  connection: 'c',
  messageId: `m-${number}`,
  messageType: 'story.context',
  correlationId: 'one',
  pull: 'first.0',
  acceptedAt: 900,
  takenAt: 1_000,
  receiveCount: 1,
  visibleAt: 61_000,
  ...more,
});
const acknowledged = (number: number, acknowledgedAt: number, pull = 'first') =>
  receive(number, { acknowledgedAt, pull: `${pull}.${number}` });

/** What a case that plays five messages says, after the steps that only watch. */
const responseTo = (
  id: string,
  receives: readonly ReceiveRecord[],
  watched: readonly PlayedStep[] = [],
) => {
  const played = [1, 2, 3, 4, 5].map(number => ({
    messageId: `m-${number}`,
    messageType: 'story.context',
    at: 0,
    rules: [],
  }));
  const own = {
    id,
    correlationId: 'one',
    storyId: '',
    steps: [...watched, { at: 0, played, settledAt: 90_000 }],
  };
  const record = {
    startedAt: 0,
    endedAt: 90_000,
    cases: [own],
    attempts: [],
    receives,
    tokens: [],
  };
  const cases = consumerPlan.filter(one => one.id === id);
  const [response] = judgeCases(cases, consumerJudge, record);
  return response;
};

const judged = (id: string, receives: readonly ReceiveRecord[]) => {
  const response = responseTo(id, receives);
  return [
    response?.verdict,
    ...(response?.checks ?? []).filter(({ passed }) => !passed).map(({ name }) => name),
  ];
};

const inPull = (...times: readonly number[]) =>
  times.map((at, index) => acknowledged(index + 1, at));

describe('order', () => {
  test('acknowledgements of one pull may overtake each other on their way', () => {
    expect(judged('delivery/order', inPull(2_003, 2_000, 2_010, 2_020, 2_030))).toEqual(['passed']);
  });

  test('by a second, or all of them, they do not', () => {
    expect(judged('delivery/order', inPull(3_000, 2_000, 3_010, 3_020, 3_030))).toEqual([
      'failed',
      'order',
    ]);
    expect(judged('delivery/order', inPull(2_040, 2_030, 2_020, 2_010, 2_000))).toEqual([
      'failed',
      'order',
    ]);
  });

  test('nor do those of different pulls', () => {
    const later = [2, 3, 4, 5].map(number => acknowledged(number, 2_000));
    const receives = [...later, acknowledged(1, 2_001, 'second')];
    expect(judged('delivery/order', receives)).toEqual(['failed', 'order']);
  });

  test('a message counts that is acknowledged when the step ends, and not a millisecond later', () => {
    expect(judged('delivery/order', inPull(2_000, 2_010, 2_020, 2_030, 90_000))).toEqual([
      'passed',
    ]);
    expect(judged('delivery/order', inPull(2_000, 2_010, 2_020, 2_030, 90_001))).toEqual([
      'failed',
      'acknowledged',
    ]);
  });

  test('a message counts when it was first acknowledged', () => {
    const again = acknowledged(1, 9_000, 'second');
    expect(judged('delivery/order', [...inPull(2_000, 2_010, 2_020, 2_030, 2_040), again])).toEqual(
      ['passed'],
    );
  });
});

test('messages that are acknowledged last first are told from one that overtakes another', () => {
  const overtaken = (...at: readonly number[]) =>
    responseTo('delivery/order', inPull(...at))?.checks.find(({ name }) => name === 'order')?.found;
  expect(overtaken(3_000, 2_000, 3_010, 3_020, 3_030)).toBe('too early: m-2');
  expect(overtaken(2_040, 2_030, 2_020, 2_010, 2_000)).toBe(
    'the last of a pull first: m-2, m-3, m-4, m-5',
  );
});

describe('nack', () => {
  const later = [2, 3, 4, 5].map(number => acknowledged(number, 2_000));

  test('without one, the case is not run', () => {
    expect(judged('delivery/nack', inPull(2_000, 2_010, 2_020, 2_030, 2_040))).toEqual(['not run']);
  });

  test('the later messages come after the one that was returned', () => {
    const returned = [1, 2, 3, 4, 5].map(number => receive(number, { releasedAt: 2_000 }));
    const again = [1, 2, 3, 4, 5].map(number => acknowledged(number, 7_000 + number, 'second'));
    expect(judged('delivery/nack', [...returned, ...again])).toEqual(['passed']);
    const alone = [receive(1, { releasedAt: 1_900 }), ...later, acknowledged(1, 7_000, 'second')];
    expect(judged('delivery/nack', alone)).toEqual(['failed', 'order']);
  });
});

test('a consumer that is stopped need not acknowledge what came with the message at which it is', () => {
  const taken = (messageId: string, pull: string) =>
    receive(0, { messageId, pull, takenAt: 0, visibleAt: 60_000 });
  const step = (...messageIds: readonly string[]) => ({
    at: 0,
    settledAt: 0,
    played: messageIds.map(messageId => ({
      messageId,
      messageType: 'story.context',
      at: 0,
      rules: [],
    })),
  });
  const cases = [
    { id: 'delivery/crash', correlationId: 'crash', storyId: '', steps: [step('stop')] },
    { id: 'delivery/in-time', correlationId: 'in-time', storyId: '', steps: [step()] },
  ];
  const overdueIn = (...receives: readonly ReceiveRecord[]) => {
    const record = { startedAt: 0, endedAt: 100_000, cases, attempts: [], receives, tokens: [] };
    const found = judgeCases(consumerPlan, consumerJudge, record);
    return found.find(one => one.case_id === 'delivery/in-time')?.checks[0]?.found;
  };
  const all = 'each before it became visible again';
  expect(overdueIn(taken('stop', 'a.0'), taken('beside', 'a.1'))).toBe(all);
  expect(overdueIn(taken('stop', 'a.0'), taken('other', 'b.0'))).toBe(
    '1 of 1 not: other (received once, never acknowledged)',
  );
});

describe('nothing-left', () => {
  const played = (messageId: string) => ({
    messageId,
    messageType: 'story.context',
    at: 0,
    rules: [],
  });
  const step = { at: 0, settledAt: 0, played: [played('stop')] };
  const cases = [
    { id: 'delivery/crash', correlationId: 'crash', storyId: '', steps: [step] },
    {
      id: 'delivery/nothing-left',
      correlationId: 'left',
      storyId: '',
      steps: [{ ...step, played: [played('other')] }],
    },
  ];
  const endedAt = 60_000;
  const leftOf = (...receives: readonly ReceiveRecord[]) => {
    const record = { startedAt: 0, endedAt, cases, attempts: [], receives, tokens: [] };
    const found = judgeCases(consumerPlan, consumerJudge, record);
    return found.find(one => one.case_id === 'delivery/nothing-left')?.checks[0]?.found;
  };
  const stop = (more: Partial<ReceiveRecord> = {}) =>
    receive(0, { messageId: 'stop', pull: 'stop.0', visibleAt: endedAt + 1, ...more });
  const other = (more: Partial<ReceiveRecord> = {}) =>
    receive(0, { messageId: 'other', pull: 'other.0', visibleAt: endedAt + 1, ...more });
  const handled = { acknowledgedAt: 2_000 };

  test('the message at which it is stopped may still be hidden at the end, and no longer', () => {
    expect(leftOf(stop(), other(handled))).toBe('none');
    expect(leftOf(stop({ visibleAt: endedAt }), other(handled))).toBe('1 of 2, such as stop');
  });

  test('another that is still hidden is left behind', () => {
    expect(leftOf(stop(handled), other())).toBe('1 of 2, such as other');
    expect(leftOf(stop(handled), other(handled))).toBe('none');
  });

  test('what it received twice is left, hidden or not', () => {
    expect(leftOf(stop(), stop({ pull: 'again.0' }), other(handled))).toBe('1 of 2, such as stop');
  });
});

describe('in-time', () => {
  const cases: RunRecord['cases'] = [
    {
      id: 'delivery/in-time',
      correlationId: 'one',
      storyId: '',
      steps: [{ at: 0, played: [], settledAt: 0 }],
    },
  ];
  const inTime = (receives: readonly ReceiveRecord[], more: RunRecord['cases'] = []) => {
    const own = { startedAt: 0, endedAt: 61_000, attempts: [], receives, tokens: [] };
    const record = { ...own, cases: [...cases, ...more] };
    return judgeCases(consumerPlan, consumerJudge, record).find(
      one => one.case_id === 'delivery/in-time',
    );
  };
  const overdueIn = (...receives: readonly ReceiveRecord[]) => inTime(receives)?.checks[0]?.found;
  const all = 'each before it became visible again';

  test('a message that is visible again before the end is overdue, one that still is hidden is not', () => {
    expect(overdueIn(receive(1, { visibleAt: 61_000 }))).toBe(all);
    expect(overdueIn(receive(1, { visibleAt: 60_999 }))).toBe(
      '1 of 1 not: m-1 (received once, never acknowledged)',
    );
  });

  test('the case of a message is named, and a message that came again is one', () => {
    const played = { messageId: 'm-1', messageType: 'story.context', at: 0, rules: [] };
    const own = { id: 'later-versions/values', correlationId: 'one', storyId: '' };
    const more = [{ ...own, steps: [{ at: 0, played: [played], settledAt: 0 }] }];
    const again = receive(1, { pull: 'second.0', takenAt: 61_000, visibleAt: 62_000 });
    const done = receive(2, { acknowledgedAt: 2_000 });
    expect(inTime([receive(1), again, done], more)?.checks[0]?.found).toBe(
      '1 of 2 not: m-1 (later-versions/values: received 2 times, never acknowledged)',
    );
  });

  test('one that came again is, unless it was acknowledged or returned', () => {
    const again = receive(1, { pull: 'second.0', takenAt: 1_001, acknowledgedAt: 2_000 });
    expect(overdueIn(receive(1), again)).toBe(
      '1 of 1 not: m-1 (received 2 times, acknowledged too late)',
    );
    expect(overdueIn(receive(1, { releasedAt: 1_000 }), again)).toBe(all);
    expect(overdueIn(receive(1), { ...again, takenAt: 1_000 })).toBe(all);
    expect(overdueIn(receive(1), { ...again, messageId: 'm-2' })).toBe(all);
  });

  test('an acknowledgement after the message was visible again is too late', () => {
    expect(overdueIn(receive(1, { acknowledgedAt: 61_000 }))).toBe(all);
    expect(overdueIn(receive(1, { acknowledgedAt: 61_001 }))).toBe(
      '1 of 1 not: m-1 (received once, acknowledged too late)',
    );
  });

  test('what was never acknowledged is late, or proves nothing; it never passes', () => {
    const done = receive(2, { acknowledgedAt: 2_000 });
    expect(inTime([done])).toMatchObject({ verdict: 'passed' });
    expect(inTime([done, receive(1)])).toMatchObject({
      verdict: 'not run',
      reason: expect.stringContaining('1 of 2 messages were neither acknowledged nor visible'),
      message_ids: ['m-1'],
    });
    expect(inTime([done, receive(1, { visibleAt: 60_999 })])).toMatchObject({
      verdict: 'failed',
      advice: expect.stringContaining('visibility that is longer than the work'),
    });
  });
});

const silence: PlayedStep = { at: 0, played: [], settledAt: 0 };

test.each([
  [25_000, true, 'after 25.0 s'],
  [25_001, false, 'after 25.0 s'],
  [31_400, false, 'after 31.4 s'],
])(
  'after a long silence, a message that is taken after %s ms is in time: %s',
  (takenAt, passed, found) => {
    const id = consumerPlan.find(one => one.title.startsWith('After a long silence'))?.id ?? '';
    const look = responseTo(id, [receive(1, { takenAt })], [silence])?.checks.find(
      ({ name }) => name === 'received',
    );
    expect(look).toMatchObject({ passed, expected: 'within 25 s', found });
  },
);
