import { version } from '../../../package.json';
import { limits } from '../../contract/limits.ts';
import { somVersion } from '../../contract/message-types.ts';
import { defined, iso } from '../../contract/outside.ts';
import {
  type CaseReport,
  type CheckedConnection,
  type CoverageReport,
  checkedLibrary,
  type ReportResponse,
  suiteId,
} from '../../contract/portal/checks.ts';
import type { RunResponse } from '../../contract/portal/work-responses.ts';
import { isOwnCase } from '../consumer-plan.ts';
import { conductGroup } from '../plans.ts';
import { type RoleFacts, roles, unprovenIn } from '../roles.ts';
import { type Run, type RunSummary, recordOf, type StoredSighting } from '../run.ts';
import { casesToChoose, suiteOf } from '../suites.ts';
import { evidencePathOf } from './evidence.ts';
import { countsOf, totalsOf } from './report-text.ts';

/** What a report says about its run besides the cases. */
export type ReportFacts = RunSummary &
  RoleFacts &
  Pick<Run, 'busVersion' | 'workspace' | 'workspaceName' | 'evidence'> &
  Pick<Run['state'], 'notes'> & {
    readonly options?: Pick<Run['options'], 'systemVersion'>;
    /** The cases of the plan that nobody chose. */
    readonly leftOut?: readonly string[];
  };

/** As people call it, and its id. */
const connectionName = (connection: CheckedConnection | undefined): string => {
  if (connection === undefined) return '';
  const { app_name, connection_id: id } = connection;
  return app_name === undefined ? id : `${app_name} (${id})`;
};

const subjectOf = ({ kind, connections }: ReportFacts, caseId: string): string => {
  if (kind === 'executor') return caseId.split('/')[0] ?? caseId;
  return `${kind} ${connectionName(connections[0])}`.trim();
};

/** What may be said of each subject that has proved all that it has to. */
const wordsOf = (
  facts: ReportFacts,
  cases: readonly CaseReport[],
  unproven: readonly string[],
): readonly string[] => {
  const subjects = [...new Set(cases.map(({ case_id }) => subjectOf(facts, case_id)))];
  const open = [...unproven, ...(facts.leftOut ?? [])].map(id => subjectOf(facts, id));
  // What no skill is about cannot pass by itself.
  const named = subjects.filter(subject => subject !== conductGroup && !open.includes(subject));
  return named.flatMap(subject => {
    const totals = totalsOf(cases.filter(({ case_id }) => subjectOf(facts, case_id) === subject));
    if (totals.failed > 0 || totals.passed === 0) return [];
    const counts = countsOf(totals).replace('pending spec', 'pending');
    return [`${subject} passes the som-bus checks for ${suiteId} (${counts})`];
  });
};

const roleName = (role: string | undefined): string | undefined =>
  role === undefined ? undefined : roles[role]?.name;

export const reportOf = (
  facts: ReportFacts,
  cases: readonly CaseReport[],
  coverage?: CoverageReport,
): ReportResponse => {
  // A house's own cases prove nothing of the standard.
  const others = cases.filter(({ case_id }) => !isOwnCase(case_id));
  const totals = totalsOf(others);
  const hasFailed = cases.some(({ verdict }) => verdict === 'failed');
  const isFinished = facts.status === 'finished';
  const unproven = isFinished ? unprovenIn(facts, others) : [];
  return {
    ...runResponse(facts),
    ...defined({ role: facts.role, role_name: roleName(facts.role), coverage }),
    passed: isFinished && !hasFailed && totals.passed > 0 && unproven.length === 0,
    unproven,
    suite: suiteId,
    versions: { bus: facts.busVersion, som: somVersion, library: checkedLibrary },
    workspace_id: facts.workspace,
    ...defined({
      workspace_name: facts.workspaceName,
      system_version: facts.options?.systemVersion,
      evidence: isFinished && facts.evidence ? evidencePathOf(facts.evidence) : undefined,
    }),
    words: isFinished ? wordsOf(facts, others, unproven) : [],
    totals,
    notes: facts.notes,
    cases,
  };
};

/** The cases that the run would have played if nobody had chosen some. */
const leftOutOf = ({ kind, options }: Run): readonly string[] =>
  casesToChoose(kind, options)
    .map(({ id }) => id)
    .filter(id => !options.cases.includes(id));

/**
 * A report is not stored: the cases of today's bus may judge a run that an older one played. The
 * digests are of the older one's report.
 */
const judgedBy = ({ busVersion, state, evidence }: Run) => {
  const { notes } = state;
  if (busVersion === version) return { notes, evidence };
  const again =
    `Judged again from its record by som-bus ${version}: the run was played by som-bus ` +
    `${busVersion}, whose cases may differ.`;
  return { notes: [...notes, again], evidence: undefined };
};

export const reportOfRun = (run: Run, seen: readonly StoredSighting[]): ReportResponse => {
  const suite = suiteOf(run);
  const record = recordOf(run, seen);
  const { role } = run.options;
  const { evidence: _, ...rest } = run;
  const judgement = defined({ role, ...judgedBy(run) });
  const facts = { ...rest, ...judgement, leftOut: leftOutOf(run) };
  return reportOf(facts, suite.judge(record), suite.coverage?.(record));
};

/** The report as everybody gets it, however long its run was: of it the bus keeps the digests. */
export const wholeReport = (run: Run, seen: readonly StoredSighting[]): ReportResponse =>
  fittingReport(reportOfRun(run, seen), limits.checks.reportBytes);

/** The report in so many bytes. One that is shorter than the whole is not that of the digests. */
export const shortReport = (
  run: Run,
  seen: readonly StoredSighting[],
  maxBytes: number,
): ReportResponse => {
  const whole = wholeReport(run, seen);
  const short = fittingReport(whole, maxBytes);
  if (short === whole) return whole;
  const { evidence: _, ...rest } = short;
  return rest;
};

export const runResponse = (run: RunSummary): RunResponse => ({
  run_id: run.id,
  kind: run.kind,
  status: run.status,
  ...defined({ reason: run.reason }),
  connections: run.connections,
  started_at: iso(run.createdAt),
  ...(run.endedAt !== undefined && { ended_at: iso(run.endedAt) }),
});

/**
 * A report of at most so many bytes of JSON: the checks of cases that passed are the first to be
 * left out.
 */
export const fittingReport = (report: ReportResponse, maxBytes: number): ReportResponse => {
  const fits = (shortened: ReportResponse) =>
    Buffer.byteLength(JSON.stringify(shortened)) <= maxBytes;
  if (fits(report)) return report;
  const failedOnly = report.cases.map(caseReport =>
    caseReport.verdict === 'passed' ? { ...caseReport, checks: [] } : caseReport,
  );
  const shorter = { ...report, cases: failedOnly };
  if (fits(shorter)) return shorter;
  return {
    ...shorter,
    cases: failedOnly.map(caseReport => ({ ...caseReport, checks: caseReport.checks.slice(0, 5) })),
  };
};
