import type { CaseAnswer, CaseVerdict, ReportAnswer } from '../contract/checks.ts';
import { totalsOf } from './verdict.ts';

/** The cases of one skill, or of the whole run. */
export interface CaseGroup {
  readonly name: string;
  readonly cases: readonly CaseAnswer[];
  readonly totals: ReturnType<typeof totalsOf>;
}

/** The cases of a report by the first part of their ids, in the report's order. */
export const groupsOf = ({ cases }: ReportAnswer): readonly CaseGroup[] => {
  const nameOf = ({ case_id }: CaseAnswer) => case_id.split('/')[0] ?? case_id;
  return [...new Set(cases.map(nameOf))].map(name => {
    const own = cases.filter(one => nameOf(one) === name);
    return { name, cases: own, totals: totalsOf(own) };
  });
};

/** Cases that were not run, those with the same reason together. */
export const byReason = (
  cases: readonly CaseAnswer[],
): readonly (readonly [ids: string, reason: string])[] => {
  const ids = new Map<string, readonly string[]>();
  for (const { case_id, reason = '' } of cases) ids.set(reason, [...(ids.get(reason) ?? []), case_id]);
  return [...ids].map(([reason, own]) => [own.join(', '), reason]);
};

/** What is looked at first comes first. */
export const verdictOrder: readonly CaseVerdict[] = [
  'failed',
  'undecided',
  'not run',
  'passed',
  'pending spec',
];

/** The result of a run in a few words. */
export const resultOf = ({ status, passed, totals, reason }: ReportAnswer): string => {
  if (status === 'running') return 'The run goes on.';
  if (status === 'aborted') return `The run was aborted: ${reason ?? 'somebody stopped it.'}`;
  if (passed) return 'The run passed.';
  return totals.failed > 0 ? 'The run did not pass.' : 'The run passed nothing: no case could be run.';
};

/** `19 passed, 1 failed, 5 pending spec`: only what there is. */
export const countsOf = (totals: ReportAnswer['totals']): string =>
  (['passed', 'failed', 'undecided', 'not run', 'pending spec'] as const)
    .filter(verdict => totals[verdict] > 0)
    .map(verdict => `${totals[verdict]} ${verdict}`)
    .join(', ') || 'nothing';

/** What failed in a case, a text for each check. */
export const failedChecks = ({ checks }: CaseAnswer): readonly string[] =>
  checks
    .filter(({ passed }) => !passed)
    .map(({ name, expected, found }) => `${name}: expected ${expected}; found ${found}`);

/** What a basis means. */
export const basisWords = {
  L: 'the library says so',
  S: 'SOM 1.0 says so',
  P: 'our position, where the library is silent',
} as const;
