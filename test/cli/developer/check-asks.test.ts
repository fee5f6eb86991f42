import { type ReachedRuns, watch } from '../../../lib/cli/developer/check-runs.ts';
import type { CaseReport, ReportResponse } from '../../../lib/contract/portal/checks.ts';

const one = (case_id: string, more: Partial<CaseReport> = {}): CaseReport => ({
  case_id,
  title: 'A title.',
  verdict: 'undecided',
  checks: [],
  message_ids: [],
  rules: [],
  ...more,
});

const report = (status: ReportResponse['status'], ...cases: readonly CaseReport[]) =>
  ({ status, cases }) as unknown as ReportResponse;

test('what a run asks for is said once, and done by the command of its case', async () => {
  const asks = one('delivery/crash', { ask: 'Stop the consumer now.' });
  const other = one('delivery/other', { ask: 'Wait.' });
  const reports = [
    report('running', one('delivery/crash')),
    report('running', asks, other),
    report('running', asks, other),
    report('finished', one('delivery/crash', { verdict: 'passed' })),
  ];
  const runs = {
    report: async () => reports.shift(),
    pause: async () => undefined,
  } as unknown as ReachedRuns;
  const [lines, started]: [string[], string[]] = [[], []];
  const terminal = {
    out: (line: string) => void lines.push(line),
    error: (line: string) => void lines.push(line),
    deliver: async () => true,
    writeError: async () => undefined,
  };
  await watch(terminal, runs, {
    id: 't',
    asked: {
      commands: new Map([['delivery/crash', 'systemctl restart display']]),
      start: (_terminal, line) => void started.push(line),
    },
  });
  expect(lines).toEqual([
    'now      delivery/crash  Stop the consumer now.',
    'now      delivery/other  Wait.',
    'passed   delivery/crash',
  ]);
  expect(started).toEqual(['systemctl restart display']);
});
