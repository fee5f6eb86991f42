import { badgeReport } from '../../lib/checks/reports/report-badge.ts';
import { htmlReport } from '../../lib/checks/reports/report-html.ts';
import { junitReport, markdownReport } from '../../lib/checks/reports/report-text.ts';
import { type CaseReport, type ReportResponse, suiteId } from '../../lib/contract/portal/checks.ts';
import { checkJUnit, xmllintLacks } from '../checks/junit-schema.ts';
import { browserLacks, openBrowser } from '../support/browser.ts';
import { testUnless } from '../support/where.ts';

const oneCase = (case_id: string, more: Partial<CaseReport>): CaseReport => ({
  case_id,
  title: 'A title.',
  verdict: 'passed',
  checks: [],
  message_ids: [],
  rules: [],
  ...more,
});

/** A text that would break each of the formats if it were not escaped. */
const hostile = '</td><script>alert(1)</script> | `x` & "y" \u0000 \u2028 ]]> *bold* @everyone #12';

const report: ReportResponse = {
  run_id: 'taaaaaaaaaaaa',
  kind: 'executor',
  status: 'finished',
  passed: false,
  unproven: [],
  suite: suiteId,
  versions: { bus: '1.2.3', som: '1.0.0', library: '0.2.2' },
  workspace_id: 'waaaaaaaaaaaa',
  connections: [
    { connection_id: 'caaaaaaaaaaaa', kind: 'consumer', app_id: 'a', system_ids: [] },
    { connection_id: 'cbbbbbbbbbbbb', kind: 'producer', app_id: 'a', system_ids: [hostile] },
  ],
  started_at: '2026-05-04T06:00:00.000Z',
  ended_at: '2026-05-04T06:05:00.000Z',
  words: [`b passes the som-bus checks for ${suiteId} (1 passed)`],
  totals: {
    passed: 1,
    failed: 1,
    undecided: 0,
    'not run': 1,
    'not applicable': 1,
    'pending spec': 1,
  },
  notes: [hostile],
  cases: [
    oneCase('a/fails', {
      basis: 'L',
      instance: hostile,
      verdict: 'failed',
      advice: 'Look at the trigger.',
      checks: [
        { name: 's1 count', passed: true, expected: '1', found: '1' },
        { name: 's1 detail', passed: false, expected: 'a name', found: hostile },
      ],
      message_ids: ['0190a000-0000-7000-8000-00000000000a'],
      rules: ['skill-warning.enum'],
      started_at: '2026-05-04T06:00:00.000Z',
      ended_at: '2026-05-04T06:00:12.500Z',
    }),
    oneCase('a/not-run', {
      verdict: 'not run',
      reason: 'The consumer does not receive telling.started.',
    }),
    oneCase('a/other-type', {
      verdict: 'not applicable',
      reason: 'The consumer does not receive link.committed.',
    }),
    oneCase('a/pending', { verdict: 'pending spec', reason: 'Q8' }),
    oneCase('b/passes', {}),
  ],
  coverage: {
    percent: 50,
    rows: [{ message_type: 'story.context', member: hostile, required: true, seen: false }],
  },
};

test('html: the first page says in words what the run means', () => {
  const [first = ''] = htmlReport({
    ...report,
    workspace_name: 'Newsroom',
    system_version: '4.2',
    connections: report.connections.map(one => ({ ...one, app_name: 'Caption tool' })),
  }).split('For engineers');
  for (const words of [
    'Caption tool (consumer)',
    '4.2',
    'Newsroom',
    '2026-05-04, 06:05 UTC',
    'In 1 of the 2 cases that were played, the system did not do what SOM 1.0 asks.',
    'Of 1 case nothing is known',
    '1 case cannot be played by anybody yet',
    '<li>A title.</li>',
    '<li>The consumer does not receive telling.started.</li>',
  ])
    expect(first).toContain(words);
});

test.each([
  [{}, '1 failed', '#c62828'],
  [{ passed: true, totals: { ...report.totals, failed: 0 } }, '1 passed', '#2e7d32'],
  [{ totals: { ...report.totals, failed: 0 } }, 'not proven', '#5f6368'],
])('svg: a badge says how many passed or failed: %j', (more, words, colour) => {
  const badge = badgeReport({ ...report, suite: hostile, ...more });
  expect(badge).toContain(`>${words}</text>`);
  expect(badge).toContain(`fill="${colour}"`);
  expect(badge).not.toMatch(/<script/);
});

const readers = { html: htmlReport, junit: junitReport, markdown: markdownReport };

test.each(Object.entries(readers))(
  '%s: names the cases, the suite and the run, and certifies nothing',
  (name, make) => {
    const text = make(report);
    const cases =
      name === 'markdown' ? ['fails'] : report.cases.map(({ case_id }) => case_id.split('/')[1]);
    for (const part of [...cases, report.suite, report.run_id]) expect(text).toContain(part);
    expect(text).not.toMatch(/certif|complian/i);
  },
);

test('html: is one page without anything from elsewhere, and shows texts of others as they are', () => {
  const page = htmlReport(report);
  expect(page).not.toMatch(/<script|<link|<img|https?:|url\(/);
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt; | `x` &amp; &quot;y&quot;');
});

test('html: what was seen of SOM is told apart from what was not, which is no failure', () => {
  const row = { message_type: 'story.context', required: false };
  const rows = [
    { ...row, member: 'slug', seen: true },
    { ...row, member: 'priority', seen: false },
  ];
  const page = htmlReport({ ...report, coverage: { percent: 50, rows } });
  expect(page).toContain('<td class="word passed">seen</td>');
  expect(page).toContain('<td class="word soft">not seen</td>');
});

test('html: what failed is open and says what to do; the rest is folded', () => {
  const page = htmlReport(report);
  expect(page).toMatch(/<details class="case failed" open>.*Look at the trigger\./s);
  expect(page).toMatch(/<details class="case passed">\n<summary>/);
  expect(page).toMatch(
    /<th[^>]*>Check<\/th><th[^>]*>Expected<\/th><th[^>]*>Found<\/th><th[^>]*>Result<\/th>/,
  );
  // On paper nobody can unfold it: the reason is in the line that is always shown.
  expect(page).toMatch(
    /<summary>[^\n]*The consumer does not receive telling\.started\.[^\n]*<\/summary>/,
  );
});

testUnless(browserLacks(), 'html: fits a small screen and a sheet of paper', async () => {
  const long = {
    ...report,
    cases: report.cases.map(one => ({ ...one, case_id: `raise-flag-on-match/${one.case_id}` })),
  };
  const browser = await openBrowser();
  try {
    for (const [width, media] of [
      [360, 'screen'],
      [673, 'print'],
    ] as const) {
      const page = await browser.newPage({ viewport: { width, height: 900 } });
      await page.emulateMedia({ media });
      await page.setContent(htmlReport(long));
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    }
  } finally {
    await browser.close();
  }
});

test('markdown: has the totals, a line for each case that failed, and the way to the rest', () => {
  const lines = markdownReport(report).split('\n');
  expect(lines).toContain(
    '**The run did not pass.** 1 passed, 1 failed, 1 not run, 1 not applicable, 1 pending spec.',
  );
  expect(lines.filter(line => line.startsWith('- '))).toEqual([
    expect.stringMatching(
      /^- \*\*A title\.\*\* \(a\/fails\): s1 detail: expected a name; found .* · Look at the trigger\.$/,
    ),
  ]);
  expect(lines.at(-2)).toContain(`sombus check show ${report.run_id}`);
});

test('markdown: a text of others makes no tag, heading or mention', () => {
  expect(markdownReport(report)).not.toMatch(/(?<!\\)<script>|@everyone|#12/);
});

test('markdown: no address that somebody sent becomes a link', () => {
  const found = 'see https://evil.example or www.evil.example';
  const checks = [{ name: 'text', passed: false, expected: 'a name', found }];
  const one = oneCase('a/fails', { verdict: 'failed', checks });
  const text = markdownReport({ ...report, cases: [one] });
  expect(text).toContain('see https&#8203;://evil.example or www&#8203;.evil.example');
});

test('junit: what was not run, does not apply or is pending counts as skipped', () => {
  const xml = junitReport(report);
  expect(xml).toContain(
    '<testsuite name="a" tests="4" failures="1" errors="0" skipped="3" time="12.500"',
  );
  expect(xml).toContain('<skipped message="pending spec: Q8"/>');
});

test('junit: names cases and the workspace in words before their ids', () => {
  const xml = junitReport({ ...report, workspace_name: 'Newsroom & Co' });
  expect(xml).toContain('<testcase name="A title. (fails)" classname="a"');
  expect(xml).toContain('hostname="Newsroom &amp; Co"');
  expect(xml).not.toContain(report.workspace_id);
  expect(junitReport(report)).toContain(`hostname="${report.workspace_id}"`);
});

testUnless(xmllintLacks, 'junit: is valid by the schema of JUnit reports', async () => {
  expect(await checkJUnit(junitReport(report))).toEqual([]);
  expect(
    await checkJUnit(junitReport(report).replace('failures="1"', 'failures="one"')),
  ).not.toEqual([]);
});
