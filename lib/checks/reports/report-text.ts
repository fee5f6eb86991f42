import {
  type CaseReport,
  type CaseVerdict,
  type CheckTotals,
  caseVerdicts,
  type ReportResponse,
} from '../../contract/portal/checks.ts';
import { shorten } from '../../platform/json/value.ts';

import { evidenceWords } from './evidence.ts';

export const totalsOf = (cases: readonly CaseReport[]): CheckTotals => {
  const count = (verdict: CaseVerdict) =>
    cases.filter(caseReport => caseReport.verdict === verdict).length;
  const counts = caseVerdicts.map(verdict => [verdict, count(verdict)] as const);
  return Object.fromEntries(counts) as CheckTotals; // of all verdicts
};

export interface CaseGroup {
  readonly name: string;
  readonly cases: readonly CaseReport[];
  readonly totals: CheckTotals;
}

export const caseGroupsOf = ({ cases }: ReportResponse): readonly CaseGroup[] => {
  const nameOf = ({ case_id }: CaseReport) => case_id.split('/')[0] ?? case_id;
  return [...new Set(cases.map(nameOf))].map(name => {
    const own = cases.filter(caseReport => nameOf(caseReport) === name);
    return { name, cases: own, totals: totalsOf(own) };
  });
};

export const byReason = (
  cases: readonly CaseReport[],
): readonly (readonly [ids: string, reason: string])[] => {
  const ids = new Map<string, readonly string[]>();
  for (const { case_id, reason = '' } of cases)
    ids.set(reason, [...(ids.get(reason) ?? []), case_id]);
  return [...ids].map(([reason, own]) => [own.join(', '), reason]);
};

/** What is looked at first comes first. */
export const verdictOrder: readonly CaseVerdict[] = [
  'failed',
  'undecided',
  'not run',
  'passed',
  'not applicable',
  'pending spec',
];

const maxUnprovenCharacters = 600;

const unprovenWords = ({ unproven }: ReportResponse): string => {
  const ids = shorten(unproven.join(', '), maxUnprovenCharacters);
  return ids && ` It had to prove what was not run: ${ids}.`;
};

export const resultOf = (report: ReportResponse): string => {
  const { status, passed, totals, reason, words } = report;
  if (status === 'running') return 'The run goes on.';
  if (status === 'aborted') return `The run was aborted: ${reason ?? 'somebody stopped it.'}`;
  if (passed) return words.length > 0 ? 'The run passed.' : 'The chosen cases passed.';
  if (totals.failed === 0 && totals.passed === 0)
    return 'The run passed nothing: no case could be run.';
  return `The run did not pass.${unprovenWords(report)}`;
};

/** `19 passed, 1 failed, 5 pending spec`: only what there is. */
export const countsOf = (totals: ReportResponse['totals']): string =>
  caseVerdicts
    .filter(verdict => totals[verdict] > 0)
    .map(verdict => `${totals[verdict]} ${verdict}`)
    .join(', ') || 'nothing';

const failedChecks = ({ checks }: CaseReport): readonly string[] =>
  checks
    .filter(({ passed }) => !passed)
    .map(({ name, expected, found }) => `${name}: expected ${expected}; found ${found}`);

/** What was found that should not be, and what to do. */
const findings = (caseReport: CaseReport): readonly string[] => [
  ...failedChecks(caseReport),
  ...(caseReport.advice === undefined ? [] : [caseReport.advice]),
];

/** What a person reads first about a failure: what was meant, what was found, and what to do. */
export const failureWords = (caseReport: CaseReport): readonly string[] => [
  caseReport.title,
  ...findings(caseReport),
];

export const basisWords = {
  L: 'the library says so',
  S: 'SOM 1.0 says so',
  P: 'our position, where the library is silent',
} as const;

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

export const xml = (text: string): string =>
  text
    .replaceAll(forbidden, '\ufffd')
    .replaceAll(/[&<>"\n\r\t]/g, character => escapes[character] ?? '');

const secondsOf = ({
  started_at,
  ended_at,
}: Pick<CaseReport, 'started_at' | 'ended_at'>): string => {
  if (started_at === undefined || ended_at === undefined) return '0';
  const milliseconds = Date.parse(ended_at) - Date.parse(started_at);
  return (milliseconds / 1000).toFixed(3);
};

const failureText = (caseReport: CaseReport): string => {
  const { title, advice, message_ids, rules } = caseReport;
  return [
    title,
    ...failedChecks(caseReport),
    ...(rules.length > 0 ? [`refused by: ${rules.join(', ')}`] : []),
    ...(message_ids.length > 0 ? [`messages: ${message_ids.join(' ')}`] : []),
    ...(advice === undefined ? [] : [advice]),
  ].join('\n');
};

const outcomeOf = (caseReport: CaseReport): string => {
  if (caseReport.verdict === 'passed') return '';
  if (caseReport.verdict === 'failed') {
    const [message = 'failed'] = failedChecks(caseReport);
    return `<failure message="${xml(message)}" type="check">${xml(failureText(caseReport))}</failure>`;
  }
  return `<skipped message="${xml(`${caseReport.verdict}: ${caseReport.reason ?? ''}`)}"/>`;
};

const testCase = (caseReport: CaseReport): string => {
  const [group = '', ...rest] = caseReport.case_id.split('/');
  const name = `${caseReport.title} (${rest.join('/') || caseReport.case_id})`;
  const names = `name="${xml(name)}" classname="${xml(group)}"`;
  return `    <testcase ${names} time="${secondsOf(caseReport)}">${outcomeOf(caseReport)}</testcase>`;
};

const suite = (
  { started_at, workspace_id, workspace_name }: ReportResponse,
  { name, cases, totals }: CaseGroup,
): string => {
  const skipped = cases.length - totals.passed - totals.failed;
  const counts = `tests="${cases.length}" failures="${totals.failed}" errors="0" skipped="${skipped}"`;
  const seconds = cases
    .reduce((sum, caseReport) => sum + Number(secondsOf(caseReport)), 0)
    .toFixed(3);
  const when = `time="${seconds}" timestamp="${started_at.slice(0, 19)}"`;
  const host = `hostname="${xml(workspace_name ?? workspace_id)}"`;
  return [
    `  <testsuite name="${xml(name)}" ${counts} ${when} ${host}>`,
    ...cases.map(testCase),
    '  </testsuite>',
  ].join('\n');
};

export const junitReport = (report: ReportResponse): string => {
  const { cases, totals, suite: id, run_id } = report;
  const counts = `tests="${cases.length}" failures="${totals.failed}" errors="0"`;
  const evidence = evidenceWords(report);
  const known = evidence === undefined ? [] : [`<!-- ${xml(evidence)} -->`];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    ...known,
    `<!-- som-bus checks for ${xml(id)}, run ${xml(run_id)}: ${countsOf(totals)} -->`,
    `<testsuites name="som-bus checks for ${xml(id)}" ${counts}>`,
    ...caseGroupsOf(report).map(group => suite(report, group)),
    '</testsuites>',
    '',
  ].join('\n');
};

export const jsonReport = (report: ReportResponse): string =>
  `${JSON.stringify(report, undefined, 2)}\n`;

/**
 * A text on one line, of which nothing is taken for Markdown, HTML or an address, or calls people or
 * other pull requests.
 */
const plain = (text: string): string =>
  text
    .replaceAll(/[\\`*_[\]<>|~#!&]/g, character => `\\${character}`)
    .replaceAll(/[@#]/g, character => `${character}&#8203;`)
    .replaceAll(/www(?=\.)|\w(?=:\/\/)/gi, end => `${end}&#8203;`)
    .replaceAll(/\s+/g, ' ');

const failedLine = (caseReport: CaseReport): string => {
  const name = `**${plain(caseReport.title)}** (${plain(caseReport.case_id)})`;
  return `- ${name}: ${plain(findings(caseReport).join(' · '))}`;
};

export const markdownReport = (report: ReportResponse): string => {
  const { suite, run_id, versions, cases, totals } = report;
  const evidence = evidenceWords(report);
  return [
    `### som-bus checks for ${suite}`,
    '',
    `**${plain(resultOf(report))}** ${countsOf(totals)}.`,
    '',
    ...cases.filter(({ verdict }) => verdict === 'failed').map(failedLine),
    '',
    ...(evidence === undefined ? [] : [plain(evidence), '']),
    `Run by som-bus ${versions.bus}. The full report: \`sombus check show ${run_id} --report report.html\``,
    '',
  ].join('\n');
};
