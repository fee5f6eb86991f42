import {
  type CaseAnswer,
  type CheckedConnection,
  type CheckKind,
  type CoverageAnswer,
  checkedLibrary,
  type ReportAnswer,
  type RunStatus,
  suiteId,
} from '../contract/checks.ts';
import { somVersion } from '../contract/message-types.ts';
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

/** What the cases are grouped by: the skill of an executor, otherwise the connection. */
const subjectOf = ({ kind, connections }: ReportFacts, { case_id }: CaseAnswer): string =>
  kind === 'executor'
    ? (case_id.split('/')[0] ?? case_id)
    : `${kind} ${connections[0]?.connection_id ?? ''}`.trim();

/** The subjects that may be said to pass: those with a passed and without a failed case. */
const wordsOf = (facts: ReportFacts, cases: readonly CaseAnswer[]): readonly string[] => {
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

/** A run with its judged cases: what is answered, printed and exported. */
export const reportOf = (
  facts: ReportFacts,
  cases: readonly CaseAnswer[],
  coverage?: CoverageAnswer,
): ReportAnswer => {
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
