import { producerJudge } from '../../../lib/checks/judging/producer-judge.ts';
import type { SeenAttempt } from '../../../lib/checks/judging/record.ts';
import { judgeCases } from '../../../lib/checks/judging/verdict.ts';
import { producerPlan } from '../../../lib/checks/plans.ts';
import type { JsonObject } from '../../../lib/platform/json/value.ts';

const noon = Date.parse('2026-05-04T12:00:00Z');
const minute = 60_000;
const day = 24 * 60 * minute;
const isoAt = (milliseconds: number): string => new Date(milliseconds).toISOString();

interface Sent {
  readonly type: string;
  readonly payload: JsonObject;
  readonly correlation?: string;
  /** Of the envelope. */
  readonly at?: number;
  readonly injected?: SeenAttempt['injected'];
}

/** Messages in the order of their arrival: m1, m2, and so on. */
const attemptsOf = (sent: readonly Sent[]): readonly SeenAttempt[] =>
  sent.map(({ type, payload, correlation = 'c1', at = noon, injected }, index) => ({
    at: index * 1_000,
    outcome: 'accepted',
    rules: [],
    messageId: `m${index + 1}`,
    messageType: type,
    correlationId: correlation,
    bodyHash: `m${index + 1}`,
    sizeBytes: 900,
    message: { timestamp: isoAt(at), payload },
    ...(injected && { injected }),
  }));

/** What a case says of some messages: its verdict, what was found, and which messages it names. */
const judged = (id: string, ...sent: readonly Sent[]) => {
  const steps = [{ at: 0, played: [], settledAt: 60_000 }];
  const [report] = judgeCases(
    producerPlan().filter(one => one.id === id),
    producerJudge,
    {
      startedAt: 0,
      endedAt: 90_000,
      cases: [{ id, correlationId: '', storyId: '', steps }],
      attempts: attemptsOf(sent),
      receives: [],
      tokens: [],
    },
  );
  const found = report?.checks.find(({ passed }) => !passed)?.found;
  return { verdict: report?.verdict, found, messages: report?.message_ids, why: report?.reason };
};

const passed = expect.objectContaining({ verdict: 'passed' });
const notRun = expect.objectContaining({ verdict: 'not run' });
const notApplicable = expect.objectContaining({ verdict: 'not applicable' });
const failedWith = (found: string, ...messages: readonly string[]) =>
  expect.objectContaining({
    verdict: 'failed',
    found: expect.stringContaining(found),
    messages,
  });

const started = (telling: string, more: JsonObject = {}, of: Partial<Sent> = {}): Sent => ({
  type: 'telling.started',
  payload: { telling_id: telling, link_id: 'l1', exposure_start: isoAt(noon), ...more },
  ...of,
});
const ended = (telling: string, more: JsonObject = {}, of: Partial<Sent> = {}): Sent => ({
  type: 'telling.ended',
  payload: { telling_id: telling, link_id: 'l1', exposure_end: isoAt(noon + minute), ...more },
  ...of,
});

describe('started-before-ended', () => {
  const order = (...sent: readonly Sent[]) => judged('tellings/started-before-ended', ...sent);

  test('a telling starts, and then it ends', () => {
    expect(order(started('t1'), ended('t1'))).toEqual(passed);
    expect(order(started('t1'), started('t2'), ended('t2'), ended('t1'))).toEqual(passed);
    expect(order(started('t1'), ended('t1'), started('t1'))).toEqual(passed);
  });

  test('what ends before it starts is named', () => {
    expect(order(ended('t1'), started('t1'))).toEqual(
      failedWith('telling t1 ended (m1) before it started (m2)', 'm1', 'm2'),
    );
  });

  test('the order of messages that the run itself delayed is not judged', () => {
    expect(order(ended('t1'), started('t1', {}, { injected: 'slow' }))).toEqual(passed);
  });

  test('what began before the run, or ends after it, proves nothing', () => {
    expect(order(ended('t0'))).toEqual(notApplicable);
    expect(order(ended('t0'), started('t1'))).toMatchObject({
      verdict: 'not run',
      why: expect.stringContaining('It started t1 (m2) and ended t0 (m1)'),
    });
  });

  test('where no ids match at all, the link tells what belongs together', () => {
    const ends = [ended('t1'), ended('t2', { link_id: 'l2' })];
    const starts = [started('t3'), started('t4', { link_id: 'l2' })];
    expect(order(...ends, ...starts)).toEqual(
      failedWith('a telling of link l1 ended (m1) before one started (m3)', 'm1', 'm3', 'm2', 'm4'),
    );
    expect(order(...starts, ...ends)).toEqual(notRun);
  });
});

describe('same-ids', () => {
  const ids = (...sent: readonly Sent[]) => judged('tellings/same-ids', ...sent);

  test('a telling keeps its ids', () => {
    expect(ids(started('t1'), ended('t1'))).toEqual(passed);
    expect(ids(started('t1'), ended('t1', { link_id: 'l2' }))).toEqual(
      failedWith('telling t1 has several links: l1, l2', 'm1', 'm2'),
    );
  });

  test('an end under another id than the open telling of its link is named', () => {
    expect(ids(started('t1'), ended('t2'))).toEqual(
      failedWith('m2 ends telling t2, but the telling of its link is t1 (m1)', 'm1', 'm2'),
    );
  });

  test('a telling of the same link that began before the run may end in it', () => {
    expect(ids(ended('t0'), started('t1'))).toEqual(notRun);
    expect(ids(ended('t0'), started('t1'), ended('t1'))).toEqual(passed);
    expect(ids(started('t1'), ended('t0', { link_id: 'l0' }), ended('t1'))).toEqual(passed);
  });

  test('two starts and two ends without one pair are no chance; one each may be', () => {
    const apart = [started('t1'), started('t2', { link_id: 'l2' })];
    const first = ended('t3', { link_id: 'l3' });
    expect(ids(...apart, first)).toEqual(notRun);
    expect(ids(...apart, first, ended('t4', { link_id: 'l4' }))).toEqual(
      failedWith('2 tellings started and 2 ended, none of them', 'm1', 'm2', 'm3', 'm4'),
    );
    expect(ids(...apart, first, ended('t2', { link_id: 'l2' }))).toEqual(passed);
  });
});

describe('possible-times', () => {
  const times = (...sent: readonly Sent[]) => judged('tellings/possible-times', ...sent);
  const endAt = (milliseconds: number, at = noon) =>
    times(started('t1'), ended('t1', { exposure_end: isoAt(milliseconds) }, { at }));

  test('a telling may end in the moment in which it starts, and not before', () => {
    expect(endAt(noon)).toEqual(passed);
    expect(endAt(noon - 1)).toEqual(failedWith('telling t1 ends before it starts', 'm1', 'm2'));
  });

  test('it may last for 366 days, and no millisecond longer', () => {
    const last = noon + 366 * day;
    expect(endAt(last, last)).toEqual(passed);
    expect(endAt(last + 1, last)).toEqual(failedWith('telling t1 lasts 366 days', 'm1', 'm2'));
  });

  test('its times are at most 366 days from those of its messages', () => {
    const far = (days: number, more = 0) =>
      times(started('t1', { exposure_start: isoAt(noon - days * day - more) }));
    expect(far(366)).toEqual(passed);
    expect(far(366, 1)).toEqual(failedWith('366 days from its own timestamp', 'm1'));
    expect(far(-366)).toEqual(passed);
    expect(far(-366, -1)).toEqual(failedWith('366 days from its own timestamp', 'm1'));
  });

  test('the end of one that began before the run is judged by its message', () => {
    expect(times(ended('t1', { exposure_end: '2020-01-01T00:00:00Z' }))).toEqual(
      failedWith('m1 says exposure_end 2020-01-01T00:00:00Z', 'm1'),
    );
  });

  test('what was exposed has both times in one message', () => {
    const exposed = (exposure_end: string): Sent => ({
      ...ended('t1', { exposure_start: isoAt(noon), exposure_end }),
      type: 'telling.exposed',
    });
    expect(times(exposed(isoAt(noon + minute)))).toEqual(passed);
    expect(times(exposed(isoAt(noon - minute)))).toEqual(
      failedWith('telling t1 ends before it starts', 'm1'),
    );
    expect(times()).toEqual(notApplicable);
  });
});

describe('one-correlation', () => {
  const tellings = (...sent: readonly Sent[]) => judged('tellings/one-correlation', ...sent);

  test('a telling has one; another telling may have another', () => {
    expect(tellings(started('t1'), ended('t1'))).toEqual(passed);
    expect(tellings(started('t1'), ended('t1'), started('t2', {}, { correlation: 'c2' }))).toEqual(
      passed,
    );
    expect(tellings(started('t1'), ended('t1', {}, { correlation: 'c2' }))).toEqual(
      failedWith('telling t1 has c1, c2', 'm1', 'm2'),
    );
    expect(tellings(started('t1'))).toEqual(notRun);
  });

  test('a new one for each message is seen although the ids differ as well', () => {
    const apart = ['c1', 'c2', 'c3', 'c4'].map((correlation, at) =>
      (at < 2 ? started : ended)(`t${at}`, { link_id: `l${at}` }, { correlation }),
    );
    expect(tellings(...apart)).toEqual(
      failedWith('each of 4 messages about tellings', 'm1', 'm2', 'm3', 'm4'),
    );
    expect(tellings(...apart.slice(1))).toEqual(notRun);
  });

  test('a link has one', () => {
    const links = (...sent: readonly Sent[]) => judged('links/one-correlation', ...sent);
    expect(links(committed('l1'), withdrawn('l1'))).toEqual(passed);
    expect(links(committed('l1'), withdrawn('l1', {}, { correlation: 'c2' }))).toEqual(
      failedWith('link l1 has c1, c2', 'm1', 'm2'),
    );
    expect(links(committed('l1'), committed('l2', {}, { correlation: 'c2' }))).toEqual(notRun);
  });

  test('the arrivals of an asset have one', () => {
    const arrivals = (...sent: readonly Sent[]) => judged('arrivals/one-correlation', ...sent);
    expect(arrivals(arrived('[0:0_60:0)'), arrived('[0:0_90:0)'))).toEqual(passed);
    expect(
      arrivals(arrived('[0:0_60:0)'), arrived('[0:0_90:0)', {}, { correlation: 'c2' })),
    ).toEqual(failedWith('asset clip-1 has c1, c2', 'm1', 'm2'));
    expect(arrivals(arrived('[0:0_60:0)'))).toEqual(notRun);
  });
});

describe('exposure-stays', () => {
  const stays = (...sent: readonly Sent[]) => judged('tellings/exposure-stays', ...sent);
  const later = isoAt(noon + 1);

  test('the times are repeated as they were, in any offset; scheduled_start may change', () => {
    expect(stays(started('t1'), ended('t1', { exposure_start: isoAt(noon) }))).toEqual(passed);
    expect(
      stays(started('t1'), ended('t1', { exposure_start: '2026-05-04T14:00:00+02:00' })),
    ).toEqual(passed);
    expect(
      stays(
        started('t1', { scheduled_start: isoAt(noon) }),
        started('t1', { scheduled_start: later }),
      ),
    ).toEqual(passed);
  });

  test('a time that changes by a millisecond has changed', () => {
    expect(stays(started('t1'), ended('t1', { exposure_start: later }))).toEqual(
      failedWith('exposure_start of telling t1 was', 'm1', 'm2'),
    );
    expect(stays(ended('t1'), ended('t1', { exposure_end: later }))).toEqual(
      failedWith('exposure_end of telling t1 was', 'm1', 'm2'),
    );
    expect(stays(started('t1'), started('t2', { exposure_start: later }))).toEqual(notRun);
  });
});

describe('transforms-grow', () => {
  const grow = (...sent: readonly Sent[]) => judged('tellings/transforms-grow', ...sent);
  const of = (...types: readonly string[]) => ({
    transforms: types.map(transform_type => ({ transform_type, applied_at: isoAt(noon) })),
  });

  test('new transforms come at the end', () => {
    expect(grow(started('t1', of('TRIM')), ended('t1', of('TRIM', 'CROP')))).toEqual(passed);
    expect(grow(started('t1', of()), ended('t1', of('TRIM')))).toEqual(passed);
    expect(grow(started('t1', of('TRIM')), ended('t1', of('TRIM')))).toEqual(passed);
  });

  test.each([
    ['one is gone', of()],
    ['one stands before', of('CROP', 'TRIM')],
    ['one has changed', of('x-trim')],
  ])('%s', (_title, transforms) => {
    expect(grow(started('t1', of('TRIM')), ended('t1', transforms))).toEqual(
      failedWith('m2 does not begin with the 1 transforms that m1 had', 'm1', 'm2'),
    );
  });

  test('a message that names none says nothing of them', () => {
    expect(grow(started('t1', of('TRIM')), ended('t1'))).toEqual(notRun);
  });
});

const link = (id: string, more: JsonObject) => ({
  link_id: id,
  asset_id: 'clip-1',
  destination_id: 'bulletin',
  compliance_gate_status: 'CLEARED',
  ...more,
});
const committed = (id: string, more: JsonObject = {}, of: Partial<Sent> = {}): Sent => ({
  type: 'link.committed',
  payload: link(id, { committed_by: 'desk', committed_at: isoAt(noon), ...more }),
  ...of,
});
const withdrawal = { withdrawn_by: 'desk', withdrawn_at: isoAt(noon), reason: 'It was wrong.' };
const withdrawn = (id: string, more: JsonObject = {}, of: Partial<Sent> = {}): Sent => ({
  type: 'link.withdrawn',
  payload: link(id, { withdrawn: { ...withdrawal, ...more } }),
  ...of,
});

describe('withdrawn-after-commit', () => {
  const links = (...sent: readonly Sent[]) => judged('links/withdrawn-after-commit', ...sent);

  test('a link is committed, and then withdrawn', () => {
    expect(links(committed('l1'), withdrawn('l1'))).toEqual(passed);
    expect(links(withdrawn('l1'), committed('l1'))).toEqual(
      failedWith('link l1 was withdrawn (m1) before it was committed (m2)', 'm1', 'm2'),
    );
  });

  test('its times say the same, to the millisecond', () => {
    expect(links(committed('l1'), withdrawn('l1', { withdrawn_at: isoAt(noon - 1) }))).toEqual(
      failedWith('link l1 was withdrawn at 2026-05-04T11:59:59.999Z', 'm1', 'm2'),
    );
  });

  test.each([
    [{ reason: undefined }, 'why (withdrawn.reason)'],
    [{ reason: '  ' }, 'why (withdrawn.reason)'],
    [{ withdrawn_by: '' }, 'who (withdrawn.withdrawn_by)'],
  ])('it says who, when and why: %j', (more, found) => {
    expect(links(committed('l1'), withdrawn('l1', more))).toEqual(
      failedWith(`m2 does not say ${found}`, 'm2'),
    );
  });

  test('what was committed before the run may be withdrawn in it; two without one pair may not', () => {
    expect(links(committed('l1'), withdrawn('l0'))).toEqual(notRun);
    const apart = [committed('l1'), committed('l2'), withdrawn('l3')];
    expect(links(...apart)).toEqual(notRun);
    expect(links(...apart, withdrawn('l4'))).toEqual(
      failedWith('2 links were committed and 2 withdrawn', 'm1', 'm2', 'm3', 'm4'),
    );
    expect(links(...apart, withdrawn('l2'))).toEqual(passed);
  });
});

test('gate-per-destination: a link has one destination and one asset', () => {
  const gates = (...sent: readonly Sent[]) => judged('links/gate-per-destination', ...sent);
  expect(gates(committed('l1'))).toEqual(notRun);
  expect(gates(committed('l1'), committed('l2', { destination_id: 'web' }))).toEqual(passed);
  expect(gates(committed('l1'), committed('l1', { destination_id: 'web' }))).toEqual(
    failedWith('link l1 has several of destination_id: bulletin, web', 'm1', 'm2'),
  );
  expect(gates(committed('l1'), committed('l1', { asset_id: 'clip-2' }))).toEqual(
    failedWith('link l1 has several of asset_id: clip-1, clip-2', 'm1', 'm2'),
  );
});

const arrived = (time_range: unknown, more: JsonObject = {}, of: Partial<Sent> = {}): Sent => ({
  type: 'delivery.media_available',
  payload: { asset_id: 'clip-1', source: 'tams://store/1', time_range, ...more },
  ...of,
});

describe('range-grows', () => {
  const ranges = (...sent: readonly Sent[]) => judged('arrivals/range-grows', ...sent);
  const shrunk = (earlier: string, later: string) =>
    failedWith(`clip-1 of tams://store/1: ${earlier} (m1), and then ${later} (m2)`, 'm1', 'm2');

  test.each([
    ['[0:0_60:0)', '[0:0_60:1)'],
    ['[0:0_60:0)', '[0:0_60:0)'],
    ['[0:0_60:0)', '[0:0_)'],
    ['[0:0_)', '[0:0_60:0)'],
    ['[5:0_60:0)', '[4:999999999_60:0)'],
    ['[5:0_60:0)', '[_60:0)'],
  ])('from %s to %s it has grown, or stayed', (earlier, later) => {
    expect(ranges(arrived(earlier), arrived(later))).toEqual(passed);
  });

  test.each([
    ['[0:0_60:0)', '[0:0_59:999999999)'],
    ['[0:0_60:0)', '[0:1_60:0)'],
    ['[0:0_60:0)', '[60:0_120:0)'],
  ])('from %s to %s it has not', (earlier, later) => {
    expect(ranges(arrived(earlier), arrived(later))).toEqual(shrunk(earlier, later));
  });

  test('of several ranges each has to be there again', () => {
    const two = ['[0:0_10:0)', '[20:0_30:0)'];
    expect(ranges(arrived(two), arrived(['[0:0_10:0)', '[20:0_40:0)']))).toEqual(passed);
    expect(ranges(arrived(two), arrived('[0:0_10:0)'))).toEqual(
      shrunk('[0:0_10:0),[20:0_30:0)', '[0:0_10:0)'),
    );
  });

  test('another source, asset or file has ranges of its own', () => {
    const other = { source: 'tams://store/2' };
    expect(ranges(arrived('[0:0_60:0)'), arrived('[5:0_6:0)', other))).toEqual(notRun);
    const file = (ref: string) => ({ source: undefined, locator: { store: 's', ref } });
    expect(ranges(arrived('[0:0_60:0)', file('a')), arrived('[0:0_9:0)', file('b')))).toEqual(
      notRun,
    );
    expect(ranges(arrived('[0:0_60:0)', file('a')), arrived('[0:0_9:0)', file('a')))).toEqual(
      failedWith('[0:0_9:0) (m2)', 'm1', 'm2'),
    );
  });

  test('an announcement without a range says nothing of it', () => {
    expect(ranges(arrived('[0:0_60:0)'), arrived(undefined))).toEqual(notRun);
  });
});

const audit = (id: string, more: JsonObject = {}): Sent => ({
  type: 'system.audit',
  payload: {
    audit_id: id,
    actor: { actor_id: 'lawyer-2', actor_type: 'user' },
    reason: 'A witness can be recognised.',
    ...more,
  },
});

test('audits/new-ids: each decision has one of its own', () => {
  expect(judged('audits/new-ids', audit('a1'))).toEqual(notRun);
  expect(judged('audits/new-ids', audit('a1'), audit('a2'))).toEqual(passed);
  expect(judged('audits/new-ids', audit('a1'), audit('a2'), audit('a1'))).toEqual(
    failedWith('2 decisions have the audit_id a1', 'm1', 'm3'),
  );
});

test.each([
  [{ reason: undefined }, 'reason'],
  [{ reason: ' ' }, 'reason'],
  [{ actor: { actor_id: '', actor_type: 'user' } }, 'actor.actor_id'],
  [{ actor: 'lawyer-2' }, 'actor.actor_id, no actor.actor_type'],
])('audits/actor-and-reason: a decision says who and why: %j', (more, found) => {
  expect(judged('audits/actor-and-reason', audit('a1'))).toEqual(passed);
  expect(judged('audits/actor-and-reason', audit('a1'), audit('a2', more))).toEqual(
    failedWith(`m2 has no ${found}`, 'm2'),
  );
  expect(judged('audits/actor-and-reason')).toEqual(notApplicable);
});

test('a playout that makes everything up is told each of its faults', () => {
  const faults = [1, 2].flatMap(number => [
    ended(
      `e${number}`,
      { link_id: `l${number}`, exposure_end: '2020-01-01T00:00:00Z' },
      {
        correlation: `ce${number}`,
      },
    ),
    started(`s${number}`, { link_id: `l${number}` }, { correlation: `cs${number}` }),
    audit('a1'),
  ]);
  const failing = [
    'tellings/started-before-ended',
    'tellings/same-ids',
    'tellings/possible-times',
    'tellings/one-correlation',
    'audits/new-ids',
  ];
  expect(failing.map(id => judged(id, ...faults).verdict)).toEqual(failing.map(() => 'failed'));
});

test('a run for some types has the cases of their families, and those of all', () => {
  const groups = (...types: readonly string[]) => [
    ...new Set(producerPlan(types).map(({ id }) => id.split('/')[0])),
  ];
  expect(groups('telling.ended')).toEqual(['messages', 'tellings', 'refusals', 'retries']);
  expect(groups('story.context', 'system.audit')).toEqual([
    'messages',
    'stories',
    'audits',
    'refusals',
    'retries',
  ]);
});
