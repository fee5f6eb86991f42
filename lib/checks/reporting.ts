import type { ReportAnswer } from '../contract/checks.ts';
import { reportOf } from './report.ts';
import { type Run, recordOf, type Seen } from './run.ts';
import { suiteOf } from './suites.ts';

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
      notes: state.notes,
    },
    suite.judge(record),
    suite.coverage?.(record),
  );
};
