import type { CaseRecord, RunRecord } from '../../../lib/checks/judging/record.ts';
import { check, type Findings, judgeCases } from '../../../lib/checks/judging/verdict.ts';
import type { Case } from '../../../lib/checks/plan.ts';
import { reportOf } from '../../../lib/checks/reports/report.ts';
import { suiteId } from '../../../lib/contract/portal/checks.ts';

const oneCase = (id: string, more: Partial<Case<null>> = {}): Case<null> => ({
  id,
  title: 'A case.',
  needs: [],
  steps: [
    { action: { kind: 'watch' }, settles: { until: 'seconds', seconds: 1 }, expects: null },
    { action: { kind: 'watch' }, settles: { until: 'seconds', seconds: 1 }, expects: null },
  ],
  advice: 'Look at the queue.',
  ...more,
});

const settled: CaseRecord['steps'] = [
  { at: 1000, played: [], settledAt: 2000 },
  { at: 2000, played: [], settledAt: 3000 },
];
const recordOf = (
  cases: readonly Partial<CaseRecord>[],
  more: Partial<RunRecord> = {},
): RunRecord => ({
  startedAt: 0,
  cases: cases.map((one, index) => ({
    id: `a/${index}`,
    correlationId: '',
    storyId: '',
    steps: settled,
    ...one,
  })),
  attempts: [],
  receives: [],
  tokens: [],
  ...more,
});

const judged = (one: Case<null>, findings: Findings, record = recordOf([{}])) =>
  judgeCases([one], () => findings, record)[0];

const good = { checks: [check('count', '1', '1')] };
const bad = { checks: [check('count', '1', '1'), check('time', 'within 30 s', '31 s')] };

test('a case passes if all its checks do, and fails with advice if one does not', () => {
  expect(judged(oneCase('a/0'), good)).toMatchObject({
    verdict: 'passed',
    started_at: expect.any(String),
  });
  expect(judged(oneCase('a/0'), bad)).toMatchObject({
    verdict: 'failed',
    advice: 'Look at the queue.',
  });
});

test('a case without checks, or whose record proves nothing, is not run', () => {
  expect(judged(oneCase('a/0'), { checks: [] })?.verdict).toBe('not run');
  expect(judged(oneCase('a/0'), { ...good, unproven: 'no sign of life' })).toMatchObject({
    verdict: 'not run',
    reason: 'no sign of life',
  });
});

test('a case about the whole run is decided when that ends', () => {
  const last = oneCase('a/0', { ofWholeRun: true });
  expect(judged(last, bad)?.verdict).toBe('undecided');
  expect(judged(last, bad, recordOf([{}], { endedAt: 9_000 }))?.verdict).toBe('failed');
});

const attempt = {
  at: 1_500,
  outcome: 'accepted',
  rules: [],
  messageId: 'm-1',
  bodyHash: 'h',
  sizeBytes: 1,
} as const;

describe('a run that was stopped', () => {
  const end = { endedAt: Date.parse('2026-05-04T13:20:05.700Z'), reason: 'Somebody stopped it.' };
  const reason = 'Not reached: the run was stopped at 13:20:05 UTC. Somebody stopped it.';

  test('keeps what was judged before', () => {
    expect(judged(oneCase('a/0'), good, recordOf([{}], end))?.verdict).toBe('passed');
    expect(judged(oneCase('a/0'), bad, recordOf([{}], end))?.verdict).toBe('failed');
  });

  test('says when it was stopped of a case that it did not reach, and what that had sent', () => {
    const played = [{ messageId: 'm-1', messageType: 'story.context', at: 1, rules: [] }];
    const half = recordOf([{ steps: [{ at: 1, played, settledAt: 2 }] }], end);
    const told = { verdict: 'not run', reason, checks: [], message_ids: ['m-1'] };
    expect(judged(oneCase('a/0'), bad, half)).toMatchObject(told);
  });

  test('tells what it saw of a case about the whole run, as no result', () => {
    const last = oneCase('a/0', { ofWholeRun: true });
    const found = { ...bad, messageIds: ['m-1'], rules: ['schema'] };
    expect(judged(last, found, recordOf([{}], { ...end, attempts: [attempt] }))).toMatchObject({
      verdict: 'not run',
      reason: `${reason} What was seen until then proves nothing.`,
      checks: bad.checks,
      message_ids: ['m-1'],
      rules: ['schema'],
    });
    const unseen = judged(last, found, recordOf([{}], end));
    expect(unseen).toMatchObject({ verdict: 'not run', reason, checks: [], message_ids: [] });
  });
});

test('a failed check counts even if the record proves little', () => {
  expect(judged(oneCase('a/0'), { ...bad, unproven: 'no sign of life' })?.verdict).toBe('failed');
});

test('a long list in a check is cut at 600 characters, between its names, and says how many follow', () => {
  const found = Array.from({ length: 100 }, (_, at) => `m-${String(at).padStart(4, '0')}`).join(
    ', ',
  );
  const long = { checks: [{ name: 'order', passed: false, expected: 'nothing', found }] };
  // A name and what parts it from the next one are eight characters.
  const kept = found.slice(0, 75 * 8 - 2);
  expect(judged(oneCase('a/0'), long)?.checks[0]?.found).toBe(`${kept}, and 25 more`);
});

test('a pending case is listed with its reason and not judged', () => {
  expect(judged(oneCase('a/0', { pending: 'no schema' }), bad)).toMatchObject({
    verdict: 'pending spec',
    reason: 'no schema',
    checks: [],
  });
});

test('a case that was not played to its end is not run, and says why', () => {
  const half = recordOf([{ steps: settled.slice(0, 1) }]);
  expect(judged(oneCase('a/0'), good, half)?.verdict).toBe('undecided');
  expect(judged(oneCase('a/0'), good, { ...half, endedAt: 9 })?.reason).toBe(
    'The run ended before this case did.',
  );
  const missing = recordOf([{ notRun: 'The consumer does not receive telling.started.' }]);
  expect(judged(oneCase('a/0'), good, missing)).toMatchObject({
    verdict: 'not run',
    reason: 'The consumer does not receive telling.started.',
  });
});

test('a case about what the connection does not receive is not applicable, and is not judged', () => {
  const record = recordOf([{ notApplicable: 'The consumer does not receive link.*.', steps: [] }]);
  expect(judged(oneCase('a/0'), bad, record)).toMatchObject({
    verdict: 'not applicable',
    reason: 'The consumer does not receive link.*.',
    checks: [],
  });
});

test("a fixture that the gateway refused is the bus's fault", () => {
  const played = [
    { messageId: 'm-1', messageType: 'story.context', at: 1, rules: ['story-context.type'] },
  ];
  const refused = recordOf([{ steps: [{ at: 1, played, settledAt: 2 }, ...settled.slice(1)] }]);
  expect(judged(oneCase('a/0'), good, refused)?.reason).toContain('m-1 (story-context.type)');
});

const facts = {
  id: 'r',
  kind: 'executor',
  status: 'finished',
  busVersion: '1.2.3',
  workspace: 'w',
  connections: [],
  createdAt: 0,
  notes: [],
} as const;

test('a report says of each skill without a failed case that it passes, and never more', () => {
  const cases = [
    oneCase('a/0'),
    oneCase('a/1', { pending: 'Q8' }),
    oneCase('b/0'),
    oneCase('c/0', { pending: 'Q9' }),
  ];
  const record = recordOf([{}, { id: 'b/0' }]);
  const responses = judgeCases(cases, one => (one.id === 'b/0' ? bad : good), record);
  const report = reportOf(facts, responses);
  expect(report.words).toEqual([
    `a passes the som-bus checks for ${suiteId} (1 passed, 1 pending)`,
  ]);
  expect(report.passed).toBe(false);
  expect(report.totals).toEqual({
    passed: 1,
    failed: 1,
    undecided: 0,
    'not run': 0,
    'not applicable': 0,
    'pending spec': 2,
  });
});

test('a run that is not finished passes nothing yet', () => {
  const responses = judgeCases([oneCase('a/0')], () => good, recordOf([{}]));
  expect(reportOf(facts, responses).passed).toBe(true);
  expect(reportOf({ ...facts, status: 'running' }, responses)).toMatchObject({
    passed: false,
    words: [],
  });
  expect(reportOf({ ...facts, status: 'aborted' }, responses)).toMatchObject({
    passed: false,
    words: [],
  });
});
