import type { CaseReport, CaseVerdict } from '../../lib/contract/portal/checks.ts';
import { caseGroups } from '../../web/checks/case-groups.ts';

const caseOf = (case_id: string, verdict: CaseVerdict): CaseReport => ({
  ...{ case_id, verdict, title: case_id },
  ...{ checks: [], message_ids: [], rules: [] },
});

const groupsOf = (...cases: readonly CaseReport[]) =>
  caseGroups(cases).map(({ title, cases: own }) => [title, ...own.map(one => one.case_id)]);

test('of a report, what failed comes first, then each part of the suite in its order', () => {
  const cases = [
    caseOf('publish/accepted', 'passed'),
    caseOf('publish/repeated', 'failed'),
    caseOf('gate-by-scope/declares', 'undecided'),
    caseOf('publish/sequence', 'not run'),
  ];
  expect(groupsOf(...cases)).toEqual([
    ['Failed', 'publish/repeated'],
    ['publish', 'publish/accepted', 'publish/sequence'],
    ['gate-by-scope', 'gate-by-scope/declares'],
  ]);
});

test('a report without a failed case has no group for them', () => {
  expect(groupsOf(caseOf('publish/accepted', 'passed'))).toEqual([['publish', 'publish/accepted']]);
  expect(groupsOf()).toEqual([]);
});
