import type { CaseAnswer, ReportAnswer } from '../contract/checks.ts';
import { countsOf, failedChecks, resultOf } from './report-groups.ts';

/** A text on one line, of which nothing is taken for Markdown or HTML, or calls people or other pull requests. */
const plain = (text: string): string =>
  text
    .replaceAll(/[\\`*_[\]<>|~#!&]/g, character => `\\${character}`)
    .replaceAll(/[@#]/g, character => `${character}&#8203;`)
    .replaceAll(/\s+/g, ' ');

const failedLine = (one: CaseAnswer): string =>
  `- **${plain(one.case_id)}**: ${plain([...failedChecks(one), one.advice ?? ''].join('; '))}`;

/** The short summary for a comment on a pull request: the totals, what failed, and where the rest is. */
export const markdownReport = (report: ReportAnswer): string => {
  const { suite, run_id, versions, cases, totals } = report;
  return [
    `### som-bus checks for ${suite}`,
    '',
    `**${plain(resultOf(report))}** ${countsOf(totals)}.`,
    '',
    ...cases.filter(({ verdict }) => verdict === 'failed').map(failedLine),
    '',
    `Run by som-bus ${versions.bus}. The full report: \`sombus check show ${run_id} --report report.html\``,
    '',
  ].join('\n');
};
