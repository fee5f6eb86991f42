import type { ReceiveRecord } from '../../../lib/bus/activity/records.ts';
import { executorJudge } from '../../../lib/checks/judging/executor-judge.ts';
import type { SeenAttempt } from '../../../lib/checks/judging/record.ts';
import { judgeCases } from '../../../lib/checks/judging/verdict.ts';
import { type InstanceSlot, instanceOf, slots } from '../../../lib/checks/plans.ts';
import {
  attempt,
  context,
  correlationId,
  flag,
  judged,
  plan,
  record,
  runOf,
  second,
} from './judged-case.ts';

const declares = record('raise-flag-on-match/declares', 1);

test('a warning as the case wants it passes every check', () => {
  expect(judged(runOf(declares, [attempt(flag)]))).toMatchObject({
    verdict: 'passed',
    failed: [],
    instance: 'test-r1',
    message_ids: ['trigger-1', 'answer-1'],
  });
});

const oneWrong: readonly (readonly [check: string, attempts: readonly SeenAttempt[]])[] = [
  ['s1 count', []],
  [
    's1 count',
    [attempt(flag), attempt({ ...flag, warning_id: 'w-2' }, { messageId: 'answer-2', at: 2000 })],
  ],
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
    [
      attempt(flag),
      attempt({ ...flag, rule_id: 'nobody', warning_id: 'w-9' }, { messageId: 'more' }),
    ],
  ],
];

test.each(oneWrong)('%s fails, and nothing else does', (check, attempts) => {
  const one = judged(runOf(declares, attempts));
  expect(one).toMatchObject({ verdict: 'failed', failed: [check] });
  // What has to come, and what not, is said by the case itself.
  expect(one.advice).toEqual(check === 's1 count' ? undefined : expect.any(String));
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

test('ref: a warning_id that two responses share fails for both', () => {
  const reopens = record('raise-flag-on-match/reopens', 3);
  const same = attempt(
    { ...flag, skill_warning_ref: 'test-r1/2' },
    { messageId: 'answer-2', at: 41_000, cause: 'trigger-3' },
  );
  expect(judged(runOf(reopens, [attempt(flag), same])).failed).toEqual(['s1 ref', 's3 ref']);
});

test('an instance that is there already is judged by its own values', () => {
  const own = {
    ...instanceOf(slots[0] as InstanceSlot),
    instance_label: 'house',
    values: {
      match_field: 'lifecycle.phase',
      match_value: 'BREAKING',
      flag_name: 'LIVE',
      severity: 'inform',
    },
  };
  const house = { ...context, instances: new Map([['R1', own]]), labels: new Set(['house']) };
  const cases = plan.filter(({ id }) => id === declares.id);
  const payload = {
    ...flag,
    rule_id: 'house',
    severity: 'inform',
    detail: 'LIVE: lifecycle.phase is BREAKING.',
  };
  const [response] = judgeCases(cases, executorJudge(house), runOf(declares, [attempt(payload)]));
  expect(response).toMatchObject({ verdict: 'passed', instance: 'house' });
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
    acceptedAt: 0,
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

test('a warning that comes late belongs to the step of its cause', () => {
  const reopens = record('raise-flag-on-match/reopens', 3);
  expect(judged(runOf(reopens, [attempt(flag, { at: 21 * second })])).failed).toEqual(['s3 count']);
});

describe('acts-first', () => {
  const id = 'conduct/acts-first';
  const receive = (messageId: string, acknowledgedAt?: number): ReceiveRecord => ({
    connection: 'c',
    messageId,
    messageType: 'story.context',
    correlationId,
    pull: `${messageId}.0`,
    acceptedAt: 0,
    takenAt: 500,
    receiveCount: 1,
    visibleAt: 30_000,
    ...(acknowledgedAt !== undefined && { acknowledgedAt }),
  });
  /** Warnings at one second, and their triggers' acknowledgements so much earlier. */
  const earlier = (...milliseconds: readonly (number | undefined)[]) =>
    judged(
      runOf(
        record(id, 1),
        milliseconds.map((_, at) => attempt(flag, { messageId: `w${at}`, cause: `trigger-${at}` })),
        {
          receives: milliseconds.map((early, at) =>
            receive(`trigger-${at}`, early === undefined ? undefined : second - early),
          ),
        },
      ),
    );

  test('the clocks of the bus may differ by 50 ms', () => {
    expect(earlier(-1)).toMatchObject({ verdict: 'passed' });
    expect(earlier(50, -1)).toMatchObject({ verdict: 'passed' });
    expect(earlier(51, -1)).toMatchObject({
      verdict: 'failed',
      failed: ['order'],
      message_ids: ['trigger-1', 'trigger-0', 'w0'],
    });
  });

  test('three that are all a little early are no accident, two may be', () => {
    expect(earlier(1, 1)).toMatchObject({ verdict: 'passed' });
    expect(earlier(1, 1, 0)).toMatchObject({ verdict: 'passed' });
    expect(earlier(1, 1, 1)).toMatchObject({ verdict: 'failed' });
  });

  test('without an acknowledgement nothing is proven', () => {
    expect(earlier(undefined)).toMatchObject({ verdict: 'not run' });
  });
});

test('nothing-else: a warning that answers nothing is named with its story', () => {
  const one = record('conduct/nothing-else', 1);
  const extra = attempt({ ...flag, story_id: 'other-story' }, { messageId: 'extra', cause: '' });
  const run = (strays: readonly string[]) => judged(runOf(one, [attempt(flag), extra], { strays }));
  expect(run([])).toMatchObject({ verdict: 'passed' });
  expect(run(['extra'])).toMatchObject({
    verdict: 'failed',
    checks: [{ found: 'extra about the story other-story, in answer to nothing' }],
    message_ids: ['trigger-1', 'extra'],
  });
  expect(judged(runOf(one, []))).toMatchObject({ verdict: 'not run' });
});
