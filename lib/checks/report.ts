import { version } from '../../package.json';
import {
  type CaseReport,
  type CheckedConnection,
  type CheckKind,
  type CoverageReport,
  checkedLibrary,
  type ReportResponse,
  type RunStatus,
  suiteId,
} from '../contract/checks.ts';
import { somVersion } from '../contract/message-types.ts';
import type { RunResponse } from '../contract/work-responses.ts';
import { type Run, type RunSummary, recordOf, type Seen } from './run.ts';
import { suiteOf } from './suites.ts';
import { totalsOf } from './verdict.ts';

/** What a report says about its run besides the cases. Times are epoch milliseconds. */
export interface ReportFacts {
  readonly id: string;
  readonly kind: CheckKind;
  readonly status: RunStatus;
  readonly reason?: string;
  readonly busVersion: string;
  readonly workspace: string;
  readonly connections: readonly CheckedConnection[];
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly notes: readonly string[];
}

const subjectOf = ({ kind, connections }: ReportFacts, { case_id }: CaseReport): string =>
  kind === 'executor'
    ? (case_id.split('/')[0] ?? case_id)
    : `${kind} ${connections[0]?.connection_id ?? ''}`.trim();

const wordsOf = (facts: ReportFacts, cases: readonly CaseReport[]): readonly string[] => {
  const subjects = [...new Set(cases.map(one => subjectOf(facts, one)))];
  return subjects.flatMap(subject => {
    const totals = totalsOf(cases.filter(one => subjectOf(facts, one) === subject));
    if (totals.failed > 0 || totals.passed === 0) return [];
    const counts = [
      `${totals.passed} passed`,
      ...(totals['not run'] > 0 ? [`${totals['not run']} not run`] : []),
      ...(totals['pending spec'] > 0 ? [`${totals['pending spec']} pending`] : []),
    ];
    return [`${subject} passes the som-bus checks for ${suiteId} (${counts.join(', ')})`];
  });
};

const iso = (time: number): string => new Date(time).toISOString();

export const reportOf = (
  facts: ReportFacts,
  cases: readonly CaseReport[],
  coverage?: CoverageReport,
): ReportResponse => {
  const totals = totalsOf(cases);
  const isFinished = facts.status === 'finished';
  return {
    run_id: facts.id,
    kind: facts.kind,
    status: facts.status,
    ...(facts.reason === undefined ? {} : { reason: facts.reason }),
    passed: isFinished && totals.failed === 0 && totals.passed > 0,
    suite: suiteId,
    versions: { bus: facts.busVersion, som: somVersion, library: checkedLibrary },
    workspace_id: facts.workspace,
    connections: facts.connections,
    started_at: iso(facts.startedAt),
    ...(facts.endedAt === undefined ? {} : { ended_at: iso(facts.endedAt) }),
    words: isFinished ? wordsOf(facts, cases) : [],
    totals,
    notes: facts.notes,
    cases,
    ...(coverage === undefined ? {} : { coverage }),
  };
};

/** A report is not stored: the cases of today's bus may judge a run that an older one played. */
const judgedAgain = ({ busVersion }: Run): readonly string[] =>
  busVersion === version
    ? []
    : [
        `Judged again from its record by som-bus ${version}: the run was played by som-bus ${busVersion}, whose cases may differ.`,
      ];

export const reportOfRun = (run: Run, seen: readonly Seen[]): ReportResponse => {
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

export const runResponse = (run: RunSummary): RunResponse => ({
  run_id: run.id,
  kind: run.kind,
  status: run.status,
  ...(run.reason === undefined ? {} : { reason: run.reason }),
  connections: run.connections,
  started_at: iso(run.createdAt),
  ...(run.endedAt === undefined ? {} : { ended_at: iso(run.endedAt) }),
});

/** A report of at most so many bytes of JSON: the checks of cases that passed are the first to be left out. */
export const fitting = (report: ReportResponse, maxBytes: number): ReportResponse => {
  const fits = (one: ReportResponse) => Buffer.byteLength(JSON.stringify(one)) <= maxBytes;
  if (fits(report)) return report;
  const failedOnly = report.cases.map(one => (one.verdict === 'passed' ? { ...one, checks: [] } : one));
  const shorter = { ...report, cases: failedOnly };
  if (fits(shorter)) return shorter;
  return { ...shorter, cases: failedOnly.map(one => ({ ...one, checks: one.checks.slice(0, 5) })) };
};
