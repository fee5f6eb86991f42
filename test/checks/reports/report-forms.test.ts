import { fittingReport } from '../../../lib/checks/reports/report.ts';
import { badgeReport } from '../../../lib/checks/reports/report-badge.ts';
import { htmlReport } from '../../../lib/checks/reports/report-html.ts';
import {
  byReason,
  countsOf,
  jsonReport,
  junitReport,
  resultOf,
} from '../../../lib/checks/reports/report-text.ts';
import {
  type CaseReport,
  caseVerdicts,
  type ReportResponse,
  suiteId,
} from '../../../lib/contract/portal/checks.ts';
import { noTotals } from '../../support/no-totals.ts';

const oneCase = (case_id: string, more: Partial<CaseReport> = {}): CaseReport => ({
  case_id,
  title: `The case ${case_id}`,
  verdict: 'passed',
  checks: [],
  message_ids: [],
  rules: [],
  ...more,
});

const reportWith = (change: Partial<ReportResponse>): ReportResponse => ({
  run_id: 'taaaaaaaaaaaa',
  kind: 'consumer',
  status: 'finished',
  passed: false,
  unproven: [],
  suite: suiteId,
  versions: { bus: '1.2.3', som: '1.0.0', library: '0.2.2' },
  workspace_id: 'waaaaaaaaaaaa',
  connections: [],
  started_at: '2026-05-04T06:00:00.000Z',
  words: [],
  totals: noTotals,
  notes: [],
  cases: [],
  ...change,
});

const passed = { ...noTotals, passed: 2 };
const failed = { ...noTotals, passed: 1, failed: 1 };

describe('the result of a run in a sentence', () => {
  test.each<[string, Partial<ReportResponse>]>([
    ['The run goes on.', { status: 'running' }],
    ['The run was aborted: somebody stopped it.', { status: 'aborted' }],
    ['The run was aborted: It was late.', { status: 'aborted', reason: 'It was late.' }],
    ['The run passed.', { passed: true, totals: passed, words: ['it passes'] }],
    ['The chosen cases passed.', { passed: true, totals: passed }],
    ['The run passed nothing: no case could be run.', { totals: { ...noTotals, 'not run': 3 } }],
    ['The run did not pass.', { totals: failed }],
    ['The run did not pass.', { totals: { ...noTotals, failed: 1 } }],
    [
      'The run did not pass. It had to prove what was not run: a/1, a/2.',
      { totals: passed, unproven: ['a/1', 'a/2'] },
    ],
  ])('%s', (sentence, change) => {
    expect(resultOf(reportWith(change))).toBe(sentence);
  });

  test('names not more of what was not proven than anybody reads', () => {
    const unproven = Array.from({ length: 200 }, (_, at) => `case/${at}`);
    const words = resultOf(reportWith({ totals: passed, unproven }));
    expect(words).toContain('case/0, case/1');
    expect(words.length).toBeLessThan(700);
  });
});

test('counts are told of the verdicts that there are', () => {
  expect([countsOf(noTotals), countsOf(failed)]).toEqual(['nothing', '1 passed, 1 failed']);
});

test('cases of one reason are told together', () => {
  const cases = [
    oneCase('a/1', { reason: 'one' }),
    oneCase('a/2', { reason: 'other' }),
    oneCase('a/3', { reason: 'one' }),
  ];
  expect(byReason(cases)).toEqual([
    ['a/1, a/3', 'one'],
    ['a/2', 'other'],
  ]);
});

describe('html', () => {
  test('has the sentences of the run and its notes, in their order', () => {
    const page = htmlReport(reportWith({ words: ['All is well'], notes: ['One was late.'] }));
    expect(page).toContain('<p>All is well.</p>\n<p>One was late.</p>\n');
  });

  test.each([
    ['L', 'the library says so'],
    ['S', 'SOM 1.0 says so'],
    ['P', 'our position, where the library is silent'],
  ] as const)('says what a case of the basis %s rests on', (basis, words) => {
    const page = htmlReport(reportWith({ cases: [oneCase('a/1', { basis })] }));
    expect(page).toContain(`<p class="soft">Basis: ${basis}, ${words}.</p>`);
    expect(htmlReport(reportWith({ cases: [oneCase('a/1')] }))).not.toContain('Basis:');
  });

  test('has the colours of each verdict, and what to look at first comes first', () => {
    const cases = caseVerdicts.map(verdict => oneCase(`a/${verdict}`, { verdict }));
    const page = htmlReport(reportWith({ cases }));
    const sections = [...page.matchAll(/class="case (\w+)"( open)?>\n<summary><[^>]+>([^<]+)</g)];
    expect(sections.map(([, ...parts]) => parts)).toEqual([
      ['failed', ' open', 'failed'],
      ['notrun', undefined, 'undecided'],
      ['notrun', undefined, 'not run'],
      ['passed', undefined, 'passed'],
      ['pending', undefined, 'not applicable'],
      ['pending', undefined, 'pending spec'],
    ]);
  });
});

test('junit: a failure names what refused it and its messages, and how long it took', () => {
  const checks = [{ name: 'count', passed: false, expected: '1', found: '2' }];
  const failure = oneCase('a/1', {
    verdict: 'failed',
    checks,
    rules: ['rate.limited'],
    message_ids: ['m1', 'm2'],
    advice: 'Wait.',
    started_at: '2026-05-04T06:00:00.000Z',
    ended_at: '2026-05-04T06:00:01.500Z',
  });
  const file = junitReport(reportWith({ cases: [failure, oneCase('a/2')], totals: failed }));
  const lines = [
    'The case a/1',
    'count: expected 1; found 2',
    'refused by: rate.limited',
    'messages: m1 m2',
    'Wait.',
  ];
  expect(file).toContain(` type="check">${lines.join('&#10;')}</failure>`);
  expect(file).toContain('name="The case a/1 (1)" classname="a" time="1.500"');
  expect(file).toContain('name="The case a/2 (2)" classname="a" time="0"></testcase>');
  expect(file).toMatch(
    /^ {2}<testsuite name="a" tests="2" failures="1" errors="0" skipped="0" time="1.500" timestamp="2026-05-04T06:00:00" hostname="waaaaaaaaaaaa">$/m,
  );
});

test.each([
  ['2 passed', '#2e7d32', { passed: true, totals: passed }],
  ['1 failed', '#c62828', { totals: failed }],
  ['not proven', '#5f6368', { totals: passed }],
])(
  'the badge says %s in its colour, each text in the middle of its half',
  (words, colour, change) => {
    const badge = badgeReport(reportWith(change));
    const [suite, result] = [...badge.matchAll(/<rect(?: x="(\d+)")? width="(\d+)"/g)].map(
      ([, x = '0', width]) => Number(x) + Number(width) / 2,
    );
    const texts = [...badge.matchAll(/<text x="([\d.]+)"[^>]*>([^<]+)</g)];
    expect(texts.map(([, x, text]) => [Number(x), text])).toEqual([
      [suite, suiteId],
      [result, words],
    ]);
    expect(badge).toContain(`height="20" fill="${colour}"`);
  },
);

test('a report that is too long leaves out checks of what passed, then all but five of the rest', () => {
  const check = (passes: boolean) => ({
    name: 'n'.repeat(100),
    passed: passes,
    expected: '',
    found: '',
  });
  const report = reportWith({
    cases: [
      oneCase('a/1', { checks: Array.from({ length: 9 }, () => check(true)) }),
      oneCase('a/2', { verdict: 'failed', checks: Array.from({ length: 9 }, () => check(false)) }),
    ],
  });
  const bytes = JSON.stringify(report).length;
  const kept = (max: number) => fittingReport(report, max).cases.map(one => one.checks.length);
  expect([kept(bytes), kept(bytes - 1), kept(10)]).toEqual([
    [9, 9],
    [0, 9],
    [0, 5],
  ]);
});

test('the report as JSON is a text for people too: two spaces a level, and a last line end', () => {
  const report = reportWith({});
  const text = jsonReport(report);
  expect(JSON.parse(text)).toEqual(report);
  expect(text).toMatch(/^\{\n {2}"run_id": "taaaaaaaaaaaa",\n/);
  expect(text.endsWith('\n}\n')).toBe(true);
});
