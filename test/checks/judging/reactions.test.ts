import type { ReceiveRecord } from '../../../lib/bus/activity/records.ts';
import { reactionJudge, type WantedReaction } from '../../../lib/checks/judging/reactions.ts';
import type { SeenAttempt } from '../../../lib/checks/judging/record.ts';
import { judgeCases } from '../../../lib/checks/judging/verdict.ts';
import { reactionPlan } from '../../../lib/checks/plans.ts';

const second = 1_000;

/** The messages of a case, which were played one second after the other from its beginning. */
const played = (id: string, at: number, ...messageIds: readonly string[]) => ({
  id,
  correlationId: `c-${id}`,
  storyId: '',
  steps: [
    {
      at,
      settledAt: 90 * second,
      played: messageIds.map((messageId, number) => ({
        messageId,
        messageType: 'story.context',
        at: at + number * second,
        rules: [],
      })),
    },
  ],
});

const cases = [
  played('delivery/order', 0, 'm1', 'm2'),
  played('delivery/crash', 20 * second, 'stop'),
];

interface Answer {
  readonly to?: string;
  readonly case?: string;
  readonly at?: number;
  readonly type?: string;
  readonly asset?: string;
  readonly rules?: readonly string[];
}

const reaction = (id: string, answer: Answer = {}): SeenAttempt => {
  const { to = 'm1', at = 2 * second, type = 'link.committed', asset = 'a', rules = [] } = answer;
  const correlationId = `c-${answer.case ?? 'delivery/order'}`;
  return {
    at,
    outcome: rules.length > 0 ? 'refused' : 'accepted',
    rules,
    messageId: id,
    messageType: type,
    correlationId,
    bodyHash: id,
    sizeBytes: 900,
    message: { ...(to && { causation_id: to }), payload: { asset_id: asset } },
  };
};

const receive = (messageId: string, takenAt: number): ReceiveRecord => ({
  connection: 'c',
  messageId,
  messageType: 'story.context',
  correlationId: '',
  pull: `${takenAt}.0`,
  acceptedAt: 0,
  takenAt,
  receiveCount: 1,
  visibleAt: takenAt + 30 * second,
});

const judged = (
  name: string,
  attempts: readonly SeenAttempt[],
  more: Partial<WantedReaction> & { readonly receives?: readonly ReceiveRecord[] } = {},
) => {
  const { receives = [], ...wanted } = more;
  const id = `reactions/${name}`;
  const [report] = judgeCases(
    reactionPlan.filter(one => one.id === id),
    reactionJudge({ withinSeconds: 5, ...wanted }),
    {
      startedAt: 0,
      endedAt: 100 * second,
      cases: [...cases, { ...played(id, 0), correlationId: '' }],
      attempts,
      receives,
      tokens: [],
    },
  );
  const found = report?.checks.find(({ passed }) => !passed)?.found;
  return [report?.verdict, ...(found === undefined ? [] : [found])];
};

const good = [reaction('r1'), reaction('r2', { to: 'm2', at: 3 * second })];

describe('which reactions are looked at', () => {
  test('without a name, those of a type that answered two messages', () => {
    expect(judged('once', good)).toEqual(['passed']);
    expect(judged('once', good.slice(0, 1))).toEqual(['not run']);
    const twoOfOne = [reaction('r1'), reaction('r2', { asset: 'b' })];
    expect(judged('once', twoOfOne)).toEqual(['not run']);
  });

  test('with a name, those of the type that was named, one is enough', () => {
    const named = { messageType: 'link.committed' };
    expect(judged('once', good.slice(0, 1), named)).toEqual(['passed']);
    expect(judged('once', good, { messageType: 'telling.started' })).toEqual(['not run']);
  });

  test('one that names no cause answers the last message of its correlation', () => {
    const silent = [reaction('r1', { to: '', at: 999 }), reaction('r2', { to: '', at: second })];
    expect(judged('once', silent)).toEqual(['passed']);
    expect(
      judged('once', [reaction('r1', { to: '', case: 'other' })], {
        messageType: 'link.committed',
      }),
    ).toEqual(['not run']);
  });
});

describe('once', () => {
  test('two reactions to one message are named; the same message again is one', () => {
    expect(judged('once', [...good, reaction('r3')])).toEqual([
      'failed',
      '2 link.committed for m1 (story.context of delivery/order): r1, r3',
    ]);
    expect(judged('once', [...good, { ...reaction('r1'), outcome: 'duplicate' }])).toEqual([
      'passed',
    ]);
  });

  test('reactions about different things are different ones', () => {
    expect(judged('once', [...good, reaction('r3', { asset: 'b' })])).toEqual(['passed']);
  });
});

describe('after-crash', () => {
  const twice = { receives: [receive('stop', 21 * second), receive('stop', 60 * second)] };
  const answer = reaction('r9', { to: 'stop', case: 'delivery/crash', at: 61 * second });

  test('a message that came again has one reaction', () => {
    expect(judged('after-crash', [...good, answer], twice)).toEqual(['passed']);
    expect(judged('after-crash', good, twice)).toEqual([
      'failed',
      'none to stop (story.context of delivery/crash)',
    ]);
    const again = { ...answer, messageId: 'r10' };
    expect(judged('after-crash', [...good, answer, again], twice)).toEqual([
      'failed',
      '2 to stop (story.context of delivery/crash)',
    ]);
  });

  test('without a second receive, or a reaction to anything like it, nothing is proven', () => {
    const one = { receives: twice.receives.slice(0, 1) };
    expect(judged('after-crash', [...good, answer], one)).toEqual(['not run']);
    expect(judged('after-crash', [answer], { ...twice, messageType: 'link.committed' })).toEqual([
      'not run',
    ]);
  });
});

test('correlation: a reaction has that of its cause', () => {
  expect(judged('correlation', good)).toEqual(['passed']);
  expect(judged('correlation', [...good, reaction('r3', { case: 'other', asset: 'b' })])).toEqual([
    'failed',
    'r3 has c-other, and m1 (story.context of delivery/order) has c-delivery/order',
  ]);
});

test('own-system: a reaction that the bus refuses is named with its rules', () => {
  const refused = reaction('r3', { rules: ['producer.system_id_not_allowed'] });
  expect(judged('own-system', good)).toEqual(['passed']);
  expect(judged('own-system', [...good, refused])).toEqual([
    'failed',
    'r3 refused by producer.system_id_not_allowed',
  ]);
});

describe('in-time', () => {
  test('the time begins when the system has the message, if that is known', () => {
    const late = [reaction('r1', { at: 5 * second }), reaction('r2', { to: 'm2', at: 6 * second })];
    expect(judged('in-time', late)).toEqual(['passed']);
    const later = [reaction('r1', { at: 5_001 }), reaction('r2', { to: 'm2', at: 6 * second })];
    expect(judged('in-time', later)).toEqual([
      'failed',
      '5.0 s from m1 (story.context of delivery/order) to r1',
    ]);
    expect(judged('in-time', later, { receives: [receive('m1', 1)] })).toEqual(['passed']);
    expect(judged('in-time', late, { withinSeconds: 4 })).toEqual([
      'failed',
      expect.stringMatching(/r1.*r2/),
    ]);
  });
});

describe('acts-first', () => {
  const acknowledged = (id: string, acknowledgedAt: number): ReceiveRecord => ({
    ...receive(id, second),
    acknowledgedAt,
  });

  test('a message may be acknowledged once its reaction is accepted', () => {
    const receives = [acknowledged('m1', 2 * second), acknowledged('m2', 4 * second)];
    expect(judged('acts-first', good, { receives })).toEqual(['passed']);
  });

  test('one that was acknowledged before is named, with or without a causation_id', () => {
    const receives = [acknowledged('m1', second + 500), acknowledged('m2', 4 * second)];
    const found = 'm1 was acknowledged 500 ms before its reaction r1';
    expect(judged('acts-first', good, { receives })).toEqual(['failed', found]);
    const silent = [
      reaction('r1', { to: '', at: 900 }),
      reaction('r2', { to: 'm2', at: 3 * second }),
    ];
    const early = [{ ...acknowledged('m1', 400), takenAt: 300 }];
    const other = 'm1 was acknowledged 500 ms before its reaction r1';
    expect(judged('acts-first', silent, { receives: early })).toEqual(['failed', other]);
  });

  test('some milliseconds are no proof by themselves, and nothing is without a receive', () => {
    const receives = [acknowledged('m1', 2 * second - 20), acknowledged('m2', 4 * second)];
    expect(judged('acts-first', good, { receives })).toEqual(['passed']);
    expect(judged('acts-first', good)).toEqual(['not run']);
  });
});

test('a second reaction to a message that came again is told from one that came at once', () => {
  const receives = [receive('stop', 21 * second), receive('stop', 60 * second)];
  const stop = { to: 'stop', case: 'delivery/crash' };
  const found = (at: number): unknown => {
    const own = [reaction('r9', { ...stop, at: 22 * second }), reaction('r10', { ...stop, at })];
    return judged('after-crash', [...good, ...own], { receives })[1];
  };
  const two = '2 to stop (story.context of delivery/crash)';
  expect(found(23 * second)).toBe(two);
  expect(found(61 * second)).toBe(`${two}, made anew when it came again`);
});

test('a reaction that was made anew after a crash, and refused, is told there too', () => {
  const receives = [receive('stop', 21 * second), receive('stop', 60 * second)];
  const rules = ['sequence_number.not_increasing'];
  const stop = { to: 'stop', case: 'delivery/crash' };
  const attempts = [
    ...good,
    reaction('r9', { ...stop, at: 22 * second }),
    reaction('r10', { ...stop, at: 61 * second, rules }),
  ];
  expect(judged('after-crash', attempts, { receives })).toEqual([
    'failed',
    '2 to stop (story.context of delivery/crash), made anew when it came again, ' +
      'refused by sequence_number.not_increasing',
  ]);
});
