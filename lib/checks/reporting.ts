import { version } from '../../package.json';
import type { ReportAnswer } from '../contract/checks.ts';
import type { RunAnswer } from '../contract/work-answers.ts';
import { reportOf } from './report.ts';
import { type Run, type RunSummary, recordOf, type Seen } from './run.ts';
import { suiteOf } from './suites.ts';

/** A report is not stored: the cases of today's bus may judge a run that an older one played. */
const judgedAgain = ({ busVersion }: Run): readonly string[] =>
  busVersion === version
    ? []
    : [
        `Judged again from its record by som-bus ${version}: the run was played by som-bus ${busVersion}, whose cases may differ.`,
      ];

/** The report of a run as it is now: judged again from its record each time. */
export const reportOfRun = (run: Run, seen: readonly Seen[]): ReportAnswer => {
  const { id, kind, status, reason, busVersion, workspace, connections, createdAt, endedAt, state } = run;
  const suite = suiteOf(run);
  const record = recordOf(run, seen);
  return reportOf(
    {
      id,
      kind,
      status,
      ...(reason === undefined ? {} : { reason }),
      busVersion,
      workspace,
      connections,
      startedAt: createdAt,
      ...(endedAt === undefined ? {} : { endedAt }),
      notes: [...state.notes, ...judgedAgain(run)],
    },
    suite.judge(record),
    suite.coverage?.(record),
  );
};

const iso = (time: number): string => new Date(time).toISOString();

/** A run in a list. */
export const runAnswer = (run: RunSummary): RunAnswer => ({
  run_id: run.id,
  kind: run.kind,
  status: run.status,
  ...(run.reason === undefined ? {} : { reason: run.reason }),
  connections: run.connections,
  started_at: iso(run.createdAt),
  ...(run.endedAt === undefined ? {} : { ended_at: iso(run.endedAt) }),
});

/** A report of at most so many bytes of JSON: the checks of cases that passed are the first to be left out. */
export const fitting = (report: ReportAnswer, maxBytes: number): ReportAnswer => {
  const fits = (one: ReportAnswer) => Buffer.byteLength(JSON.stringify(one)) <= maxBytes;
  if (fits(report)) return report;
  const failedOnly = report.cases.map(one => (one.verdict === 'passed' ? { ...one, checks: [] } : one));
  const shorter = { ...report, cases: failedOnly };
  if (fits(shorter)) return shorter;
  return { ...shorter, cases: failedOnly.map(one => ({ ...one, checks: one.checks.slice(0, 5) })) };
};
