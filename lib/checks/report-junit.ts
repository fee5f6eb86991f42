import type { CaseAnswer, ReportAnswer } from '../contract/checks.ts';
import { type CaseGroup, countsOf, failedChecks, groupsOf } from './report-groups.ts';

/** What XML 1.0 does not allow, even escaped (section 2.2). */
const forbidden = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\r': '&#13;',
  '\t': '&#9;',
};

const xml = (text: string): string =>
  text.replaceAll(forbidden, '\ufffd').replaceAll(/[&<>"\n\r\t]/g, character => escapes[character] ?? '');

const secondsOf = ({ started_at, ended_at }: Pick<CaseAnswer, 'started_at' | 'ended_at'>): string =>
  started_at === undefined || ended_at === undefined
    ? '0'
    : ((Date.parse(ended_at) - Date.parse(started_at)) / 1000).toFixed(3);

/** The checks that failed, and what to do. */
const failureText = (one: CaseAnswer): string => {
  const { advice, message_ids, rules } = one;
  return [
    ...failedChecks(one),
    ...(rules.length > 0 ? [`refused by: ${rules.join(', ')}`] : []),
    ...(message_ids.length > 0 ? [`messages: ${message_ids.join(' ')}`] : []),
    ...(advice === undefined ? [] : [advice]),
  ].join('\n');
};

const outcomeOf = (one: CaseAnswer): string => {
  if (one.verdict === 'passed') return '';
  if (one.verdict === 'failed') {
    const [message = 'failed'] = failedChecks(one);
    return `<failure message="${xml(message)}" type="check">${xml(failureText(one))}</failure>`;
  }
  return `<skipped message="${xml(`${one.verdict}: ${one.reason ?? ''}`)}"/>`;
};

const testCase = (one: CaseAnswer): string => {
  const [group, ...name] = one.case_id.split('/');
  const facts = `name="${xml(name.join('/') || one.case_id)}" classname="${xml(group ?? '')}" time="${secondsOf(one)}"`;
  return `    <testcase ${facts}>${outcomeOf(one)}</testcase>`;
};

const suite = ({ started_at, workspace_id }: ReportAnswer, { name, cases, totals }: CaseGroup): string => {
  const counts = `tests="${cases.length}" failures="${totals.failed}" errors="0" skipped="${totals.undecided + totals['not run'] + totals['pending spec']}"`;
  const seconds = cases.reduce((sum, one) => sum + Number(secondsOf(one)), 0).toFixed(3);
  return [
    `  <testsuite name="${xml(name)}" ${counts} time="${seconds}" timestamp="${started_at.slice(0, 19)}" hostname="${xml(workspace_id)}">`,
    ...cases.map(testCase),
    '  </testsuite>',
  ].join('\n');
};

/** The report as JUnit XML, for pipelines: a test suite for each skill, a case each; what was not run counts as skipped. */
export const junitReport = (report: ReportAnswer): string => {
  const { cases, totals, suite: id, run_id } = report;
  const counts = `tests="${cases.length}" failures="${totals.failed}" errors="0"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<!-- som-bus checks for ${xml(id)}, run ${xml(run_id)}: ${countsOf(totals)} -->`,
    `<testsuites name="som-bus checks for ${xml(id)}" ${counts}>`,
    ...groupsOf(report).map(group => suite(report, group)),
    '</testsuites>',
    '',
  ].join('\n');
};
