import type { CaseReport } from '../../lib/contract/portal/checks.ts';

interface CaseGroup {
  readonly title: string;
  readonly cases: readonly CaseReport[];
}

/** The part of the suite that a case is of: a skill, or what is asked of every system. */
const sectionOf = ({ case_id: id }: CaseReport): string => id.split('/')[0] ?? id;

/** What a reader looks for: what failed, then part by part of the suite, in its order. */
export const caseGroups = (cases: readonly CaseReport[]): readonly CaseGroup[] => {
  const failed = cases.filter(({ verdict }) => verdict === 'failed');
  const others = cases.filter(({ verdict }) => verdict !== 'failed');
  const sections = [...new Set(others.map(sectionOf))].map(title => ({
    title,
    cases: others.filter(one => sectionOf(one) === title),
  }));
  return failed.length === 0 ? sections : [{ title: 'Failed', cases: failed }, ...sections];
};
