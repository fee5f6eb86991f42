import { askedOf, type ReachedRuns, watch } from '../../../lib/cli/developer/check-runs.ts';
import type { CaseReport, ReportResponse } from '../../../lib/contract/portal/checks.ts';
import { recordingTerminal } from '../../support/fakes/terminal.ts';

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

/** What is printed of a run whose reports come one after the other, and the commands it started. */
const watched = async (
  reports: readonly ReportResponse[],
  commands: Readonly<Record<string, string>> = {},
) => {
  const left = [...reports];
  const { terminal, printed } = recordingTerminal();
  const started: string[] = [];
  const ids: string[] = [];
  let pauses = 0;
  const runs = {
    report: async (id: string) => {
      ids.push(id);
      return left.shift();
    },
    pause: async () => {
      pauses += 1;
    },
  } as unknown as ReachedRuns;
  const asked = {
    commands: new Map(Object.entries(commands)),
    start: (_terminal: unknown, line: string) => void started.push(line),
  };
  expect(await watch(terminal, runs, { id: 't', asked })).toBe(reports.at(-1));
  expect([new Set(ids), pauses]).toEqual([new Set(['t']), reports.length - 1]);
  return { printed, started };
};

test('what a run asks for is said once, and done by the command of its case', async () => {
  const asks = one('delivery/crash', { ask: 'Stop the consumer now.' });
  const other = one('delivery/other', { ask: 'Wait.' });
  const reports = [
    report('running', one('delivery/crash')),
    report('running', asks, other),
    report('running', asks, other),
    report('finished', one('delivery/crash', { verdict: 'passed' })),
  ];
  const commands = { 'delivery/crash': 'systemctl restart display' };
  expect(await watched(reports, commands)).toEqual({
    printed: [
      'now      delivery/crash  Stop the consumer now.',
      'now      delivery/other  Wait.',
      'passed   delivery/crash',
    ],
    started: ['systemctl restart display'],
  });
});

test('a verdict is told once, and again when it changes; those without a run by their reasons', async () => {
  const checks = [{ name: 'count', passed: false, expected: '1', found: '2' }];
  const reports = [
    report('running', one('a'), one('b', { verdict: 'passed', reason: 'It is not told.' })),
    report('running', one('a'), one('b', { verdict: 'passed' }), one('c', { verdict: 'passed' })),
    report(
      'aborted',
      one('a', { reason: 'It went on.' }),
      one('b', { verdict: 'failed', checks, advice: 'Count again.' }),
      one('c', { verdict: 'passed' }),
      one('d', { verdict: 'not run', reason: 'Something was missing.' }),
      one('e', { verdict: 'not applicable', reason: 'It sends no such thing.' }),
      one('f', { verdict: 'not run', reason: 'Something was missing.' }),
      one('g', { verdict: 'pending spec' }),
      one('h', { verdict: 'not run' }),
    ),
  ];
  expect((await watched(reports)).printed).toEqual([
    'passed   b',
    'passed   c',
    'failed   b  A title. · count: expected 1; found 2 · Count again.',
    'not run  d, f  Something was missing.',
    'not run  h  ',
    'not applicable  e  It sends no such thing.',
  ]);
});

test('a command that a case asks for is started, and only its failure is told', async () => {
  const { start, commands } = askedOf(['a', 'b'], 'restart it');
  expect([...commands]).toEqual([
    ['a', 'restart it'],
    ['b', 'restart it'],
  ]);
  expect(askedOf(['a'], undefined).commands.size).toBe(0);
  const told = (line: string) =>
    new Promise<string>(resolve => {
      start({ ...recordingTerminal().terminal, error: resolve }, line);
    });
  expect(await told('exit 3')).toBe('exit 3: it ended with code 3.');
  expect(await told('kill -9 $$')).toBe('kill -9 $$: it was ended by SIGKILL.');
});
