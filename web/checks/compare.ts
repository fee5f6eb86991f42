import type { CaseReport, CaseVerdict, ReportResponse } from '../../lib/contract/portal/checks.ts';

/** A case whose verdict differs between two runs; absent where a run did not have it. */
export interface Difference {
  readonly id: string;
  readonly title: string;
  readonly before?: CaseVerdict | undefined;
  readonly after?: CaseVerdict | undefined;
}

/** An instance of a skill has the same cases as others: its label belongs to the name of a case. */
export const keyOf = ({ case_id: id, instance }: CaseReport): string =>
  instance === undefined ? id : `${id} (${instance})`;

const casesByKey = ({ cases }: ReportResponse) => new Map(cases.map(one => [keyOf(one), one]));

/**
 * The cases whose verdicts differ, in the order of the later run; those that only the earlier one
 * had come last.
 */
export const differencesOf = (
  before: ReportResponse,
  after: ReportResponse,
): readonly Difference[] => {
  const earlier = casesByKey(before);
  const later = casesByKey(after);
  const ids = new Set([...later.keys(), ...earlier.keys()]);
  return [...ids].flatMap(id => {
    const was = earlier.get(id);
    const is = later.get(id);
    if (was?.verdict === is?.verdict) return [];
    const title = (is ?? was)?.title ?? '';
    return [{ id, title, before: was?.verdict, after: is?.verdict }];
  });
};
