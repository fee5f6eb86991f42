import type { CaseVerdict, ReportResponse } from '../../lib/contract/portal/checks.ts';
import { differencesOf } from '../../web/checks/compare.ts';
import { noTotals } from '../support/no-totals.ts';

const report = (verdicts: Readonly<Record<string, CaseVerdict>>): ReportResponse => ({
  run_id: 'taaaaaaaaaaaa',
  kind: 'executor',
  status: 'finished',
  unproven: [],
  passed: true,
  suite: 'suite',
  versions: { bus: '1', som: '1', library: '1' },
  workspace_id: 'waaaaaaaaaaaa',
  connections: [],
  started_at: '2026-05-04T09:00:00Z',
  words: [],
  totals: noTotals,
  notes: [],
  cases: Object.entries(verdicts).map(([case_id, verdict]) => ({
    case_id,
    title: `Title of ${case_id}`,
    verdict,
    checks: [],
    message_ids: [],
    rules: [],
  })),
});

test('two runs differ in the cases whose verdicts differ, or that only one of them has', () => {
  const before = report({ one: 'passed', two: 'failed', gone: 'passed' });
  const after = report({ fresh: 'not run', one: 'passed', two: 'passed' });
  expect(differencesOf(before, after)).toEqual([
    { id: 'fresh', title: 'Title of fresh', after: 'not run' },
    { id: 'two', title: 'Title of two', before: 'failed', after: 'passed' },
    { id: 'gone', title: 'Title of gone', before: 'passed' },
  ]);
  expect(differencesOf(after, after)).toEqual([]);
});
