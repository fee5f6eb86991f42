import type { ExecutorContext } from '../../lib/checks/executor-answers.ts';
import { executorJudge } from '../../lib/checks/executor-judge.ts';
import { executorPlan } from '../../lib/checks/executor-plan.ts';
import { instanceOf, type Slot, slots } from '../../lib/checks/executor-slots.ts';
import { derivedUuid } from '../../lib/checks/fixture.ts';
import type { Attempt, CaseRecord, RunRecord } from '../../lib/checks/record.ts';
import { judgeCases } from '../../lib/checks/verdict.ts';
import type { JsonObject } from '../../lib/json/value.ts';

const context: ExecutorContext = {
  instances: new Map(slots.map(slot => [slot.id, instanceOf(slot)])),
  labels: new Set(slots.map(slot => instanceOf(slot).instance_label)),
  limitSeconds: 30,
};
const plan = executorPlan();
const storyId = 'test-run.y.case';
const correlationId = '736f6d63-686b-8001-8000-000000000001';

const second = 1000;
/** Steps of 20 seconds, each with one message. */
const record = (id: string, steps: number, replayed: readonly number[] = []): CaseRecord => ({
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

const runOf = (one: CaseRecord, attempts: readonly Attempt[], more: Partial<RunRecord> = {}): RunRecord => ({
  startedAt: 0,
  endedAt: 100 * second,
  cases: [one],
  attempts,
  receives: [],
  tokens: [],
  ...more,
});

const flag: JsonObject = {
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

const attempt = (payload: JsonObject, more: Partial<Attempt> & { readonly cause?: string } = {}): Attempt => {
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

const judged = (run: RunRecord) => {
  const id = run.cases[0]?.id;
  const one = plan.cases.filter(known => known.id === id);
  const [answer] = judgeCases({ kind: 'executor', cases: one }, executorJudge(context), run);
  return { ...answer, failed: answer?.checks.filter(({ passed }) => !passed).map(({ name }) => name) };
};

const declares = record('raise-flag-on-match/declares', 1);

test('a warning as the case wants it passes every check', () => {
  expect(judged(runOf(declares, [attempt(flag)]))).toMatchObject({
    verdict: 'passed',
    failed: [],
    instance: 'test-r1',
    message_ids: ['trigger-1', 'answer-1'],
  });
});

const oneWrong: readonly (readonly [check: string, attempts: readonly Attempt[]])[] = [
  ['s1 count', []],
  ['s1 count', [attempt(flag), attempt({ ...flag, warning_id: 'w-2' }, { messageId: 'answer-2', at: 2000 })]],
  ['s1 time', [attempt(flag, { at: 31 * second })]],
  ['s1 causation', [attempt(flag, { cause: 'something-else' })]],
  ['s1 correlation', [attempt(flag, { correlationId: 'another' })]],
  ['s1 identity', [attempt({ ...flag, skill_version: '0.2.1' })]],
  ['s1 identity', [attempt({ ...flag, scope: 'story:other' })]],
  ['s1 severity', [attempt({ ...flag, severity: 'inform' })]],
  ['s1 override', [attempt({ ...flag, non_overridable: true })]],
  ['s1 blocks', [attempt({ ...flag, blocks: ['air'] })]],
  ['s1 fields', [attempt({ ...flag, affected_fields: ['headline'] })]],
  ['s1 detail', [attempt({ ...flag, detail: 'phase-unsettled' })]],
  ['s1 ref', [attempt({ ...flag, skill_warning_ref: '' })]],
  ['unchanged', [attempt(flag), attempt({}, { messageId: 'edit', messageType: 'story.context' })]],
  [
    'unchanged',
    [attempt(flag), attempt({ ...flag, rule_id: 'nobody', warning_id: 'w-9' }, { messageId: 'more' })],
  ],
];

test.each(oneWrong)('%s fails, and nothing else does', (check, attempts) => {
  const one = judged(runOf(declares, attempts));
  expect(one).toMatchObject({ verdict: 'failed', failed: [check], advice: expect.any(String) });
});

test('schema: a refused attempt is shown with its rules, and is no warning', () => {
  const refused = attempt(flag, { outcome: 'refused', rules: ['skill-warning.required'] });
  expect(judged(runOf(declares, [refused]))).toMatchObject({
    failed: ['s1 count', 'schema'],
    rules: ['skill-warning.required'],
  });
});

test('a message that is sent again with the same bytes counts once', () => {
  const repeat = attempt(flag, { outcome: 'duplicate', at: 2 * second });
  expect(judged(runOf(declares, [attempt(flag), repeat])).verdict).toBe('passed');
});

const redelivered = record('raise-flag-on-match/redelivered', 2, [1]);
const later = 21 * second;

test('idempotent: silence or the same bytes after a redelivery', () => {
  expect(judged(runOf(redelivered, [attempt(flag)])).verdict).toBe('passed');
  const same = attempt(flag, { outcome: 'duplicate', at: later });
  expect(judged(runOf(redelivered, [attempt(flag), same])).verdict).toBe('passed');
});

test('idempotent: a new message, or other bytes under the same message_id, fails', () => {
  const fresh = attempt({ ...flag, warning_id: 'w-2' }, { messageId: 'answer-2', at: later });
  expect(judged(runOf(redelivered, [attempt(flag), fresh])).failed).toEqual(['s2 idempotent']);
  const reused = attempt(flag, { outcome: 'refused', rules: ['message_id.reused'], at: later });
  expect(judged(runOf(redelivered, [attempt(flag), reused])).failed).toEqual(['s2 idempotent']);
});

test('ref: a declaration that opens again has a new ref', () => {
  const reopens = record('raise-flag-on-match/reopens', 3);
  const second1 = (ref: string) =>
    attempt(
      { ...flag, warning_id: 'w-2', skill_warning_ref: ref },
      { messageId: 'answer-2', at: 41_000, cause: 'trigger-3' },
    );
  expect(judged(runOf(reopens, [attempt(flag), second1('test-r1/2')])).verdict).toBe('passed');
  expect(judged(runOf(reopens, [attempt(flag), second1('test-r1/1')])).failed).toEqual(['s3 ref']);
});

test('ref: a warning_id that two answers share fails for both', () => {
  const reopens = record('raise-flag-on-match/reopens', 3);
  const same = attempt(
    { ...flag, skill_warning_ref: 'test-r1/2' },
    { messageId: 'answer-2', at: 41_000, cause: 'trigger-3' },
  );
  expect(judged(runOf(reopens, [attempt(flag), same])).failed).toEqual(['s1 ref', 's3 ref']);
});

test('ref: each opening has a ref of its own, also of several in one step', () => {
  const permits = record('gate-by-scope/permits-recorded', 1);
  const links = ['link1', 'link2', 'link3'].map(name => derivedUuid(storyId, name));
  const warnings = (refOf: (link: string) => string) =>
    links.map((link, at) =>
      attempt(
        {
          ...flag,
          ...{ skill_id: 'smart-stories/gate-by-scope', rule_id: 'test-g2', severity: 'inform' },
          ...{ warning_id: `w-${at}`, scope: `link:${link}`, skill_warning_ref: refOf(link) },
          affected_fields: ['editorial_gates[0].status'],
          detail: 'test-air g-air APPROVED APPROVED; test-web g-web',
        },
        { messageId: `answer-${at}` },
      ),
    );
  const failedWith = (refOf: (link: string) => string) => {
    const { failed } = judged(runOf(permits, warnings(refOf)));
    return failed?.filter(name => name.endsWith(' ref'));
  };
  expect(failedWith(link => link)).toEqual([]);
  expect(failedWith(() => 'one')).toEqual(['s1.1 ref', 's1.2 ref', 's1.3 ref']);
});

const holds = record('hold-while-flagged/holds', 1);
const hold: JsonObject = {
  ...flag,
  skill_id: 'smart-stories/hold-while-flagged',
  rule_id: 'test-h1',
  severity: 'hold',
  non_overridable: true,
  affected_fields: ['editorial_gates[0].status'],
  detail: 'TEST_RESTRICTION holds air until legal, on this story, says otherwise.',
  blocks: [`air ${storyId}`],
};

test('override and blocks: a hold cannot be overridden and says what it withholds', () => {
  const good = { ...hold, detail: 'TEST_RESTRICTION: air is held; clears by legal, on this story.' };
  expect(judged(runOf(holds, [attempt(good)])).failed).toEqual([]);
  expect(judged(runOf(holds, [attempt({ ...good, non_overridable: false })])).failed).toEqual([
    's1 override',
  ]);
  expect(judged(runOf(holds, [attempt({ ...good, blocks: [] })])).failed).toEqual(['s1 blocks']);
  expect(judged(runOf(holds, [attempt({ ...good, blocks: ['publish'] })])).failed).toEqual(['s1 blocks']);
});

test('detail: what could not be read is said with its path, and the loudest severity is taken', () => {
  const unreadable = record('raise-flag-on-match/unreadable', 1);
  const payload = {
    ...flag,
    rule_id: 'test-r3',
    affected_fields: ['story_owner'],
    detail: 'night-owned: story_owner could not be read; duty-editor clears it.',
  };
  expect(judged(runOf(unreadable, [attempt(payload)])).failed).toEqual([]);
  const claims = { ...payload, detail: 'night-owned: story_owner is night-desk; duty-editor clears it.' };
  expect(judged(runOf(unreadable, [attempt(claims)])).failed).toEqual(['s1 detail']);
  expect(judged(runOf(unreadable, [attempt({ ...payload, severity: 'inform' })])).failed).toEqual([
    's1 severity',
  ]);
});

test('detail: of several elements the one that is meant is named, here or in affected_fields', () => {
  const array = record('raise-flag-on-match/array', 1);
  const payload = {
    ...flag,
    rule_id: 'test-r2',
    severity: 'inform',
    affected_fields: ['editorial_source[].credibility'],
    detail: 'SOURCE-OPEN: editorial_source[].credibility is UNVERIFIED; desk-editor clears it.',
  };
  expect(judged(runOf(array, [attempt(payload)])).failed).toEqual(['s1 detail']);
  const indexed = { ...payload, affected_fields: ['editorial_source[1].credibility'] };
  expect(judged(runOf(array, [attempt(indexed)])).failed).toEqual([]);
  expect(judged(runOf(array, [attempt({ ...payload, detail: `${payload.detail} (s-2)` })])).failed).toEqual(
    [],
  );
});

test('detail: a text counts as a whole, not as a part of a longer one', () => {
  const proposes = record('match-and-propose/proposes', 1);
  const failedWith = (detail: string) => {
    const own = { skill_id: 'smart-stories/match-and-propose', rule_id: 'test-c1' };
    return judged(runOf(proposes, [attempt({ ...flag, ...own, severity: 'inform', detail })])).failed;
  };
  const target = `${storyId}.loose-9`;
  expect(failedWith(`${target} for ${storyId}: 0.91, at least 0.8.`)).toEqual([]);
  expect(failedWith(`${target} for story ${storyId}. Score 0.910, threshold 0.80.`)).toEqual([]);
  expect(failedWith(`${target}: 0.91, at least 0.8.`)).toEqual(['s1 detail']);
  expect(failedWith(`${target} for ${storyId}: 0.91, at least 0.85.`)).toEqual(['s1 detail']);
});

test('detail: a provider that was not chosen is not named, unless it is the default', () => {
  const byDefault = record('select-provider-by-context/default', 1);
  const failedWith = (detail: string) => {
    const own = { skill_id: 'smart-stories/select-provider-by-context', rule_id: 'test-s1' };
    const payload = { ...flag, ...own, severity: 'inform', affected_fields: [], detail };
    return judged(runOf(byDefault, [attempt(payload)])).failed;
  };
  expect(failedWith('speech-to-text: ear-c (default); default_provider is ear-c')).toEqual([]);
  expect(failedWith('speech-to-text: ear-a (default); default_provider is ear-c')).toEqual(['s1 detail']);
});

test('an instance that is there already is judged by its own values', () => {
  const own = {
    ...instanceOf(slots[0] as Slot),
    instance_label: 'house',
    values: {
      match_field: 'lifecycle.phase',
      match_value: 'BREAKING',
      flag_name: 'LIVE',
      severity: 'inform',
    },
  };
  const house = { ...context, instances: new Map([['R1', own]]), labels: new Set(['house']) };
  const cases = plan.cases.filter(({ id }) => id === declares.id);
  const payload = {
    ...flag,
    rule_id: 'house',
    severity: 'inform',
    detail: 'LIVE: lifecycle.phase is BREAKING.',
  };
  const [answer] = judgeCases(
    { kind: 'executor', cases },
    executorJudge(house),
    runOf(declares, [attempt(payload)]),
  );
  expect(answer).toMatchObject({ verdict: 'passed', instance: 'house' });
});

const quiet = record('raise-flag-on-match/no-match', 1);

test('silence passes if the trigger was acknowledged, or another case got its warning', () => {
  expect(judged(runOf(quiet, []))).toMatchObject({
    verdict: 'not run',
    reason: expect.stringContaining('No sign of life'),
  });
  const acknowledged = {
    connection: 'c',
    messageId: 'trigger-1',
    messageType: 'story.context',
    correlationId,
    pull: 'p',
    takenAt: 1,
    receiveCount: 1,
    visibleAt: 2,
    acknowledgedAt: 2,
  };
  expect(judged(runOf(quiet, [], { receives: [acknowledged] })).verdict).toBe('passed');
  const elsewhere = attempt({ ...flag, story_id: 'other' }, { correlationId: 'other' });
  expect(judged(runOf(quiet, [elsewhere])).verdict).toBe('passed');
});

test('a warning where none was expected fails, however silent the rest is', () => {
  expect(judged(runOf(quiet, [attempt(flag)])).failed).toEqual(['s1 count']);
});

test('a warning without its causation belongs to a step by its time', () => {
  const opens = record('raise-flag-on-match/opens-later', 3);
  const one = attempt(flag, { at: 22 * second, cause: 'unknown' });
  expect(judged(runOf(opens, [one])).failed).toEqual(['s2 causation']);
});
