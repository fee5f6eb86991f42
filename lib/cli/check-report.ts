import { writeFileSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { htmlReport } from '../checks/report-html.ts';
import {
  byReason,
  countsOf,
  failedChecks,
  junitReport,
  markdownReport,
  resultOf,
} from '../checks/report-text.ts';
import type { CaseResponse, ReportResponse } from '../contract/checks.ts';
import type { ReachedRuns, ReachOptions } from './check-runs.ts';
import { ChecksFailed, type Terminal } from './command.ts';
import { repeated } from './options.ts';

const writers: readonly (readonly [end: string, make: (report: ReportResponse) => string])[] = [
  ['.html', htmlReport],
  ['.xml', junitReport],
  ['.json', report => `${JSON.stringify(report, undefined, 2)}\n`],
  ['.md', markdownReport],
];

const writerOf = (file: string) => writers.find(([end]) => file.endsWith(end))?.[1];

const reportFile = (file: string, before: readonly string[]): readonly string[] => {
  if (writerOf(file)) return repeated(file, before);
  throw new InvalidArgumentError(`Its name has to end in ${writers.map(([end]) => end).join(', ')}.`);
};

export const reportOption = (command: Command): Command =>
  command.option(
    '--report <file>',
    'write the report: .html, .xml (JUnit), .json or .md (repeatable)',
    reportFile,
    [],
  );

export interface ReportOptions extends ReachOptions {
  readonly report: readonly string[];
}

const caseLine = (one: CaseResponse): string => {
  const { verdict, case_id, reason, advice } = one;
  const words =
    verdict === 'failed' ? [...failedChecks(one), ...(advice === undefined ? [] : [advice])] : [reason ?? ''];
  const text = words.filter(word => word !== '').join(' · ');
  return `${verdict.padEnd(7)}  ${case_id}${verdict === 'passed' || text === '' ? '' : `  ${text}`}`;
};

export const caseLines = (cases: readonly CaseResponse[]): readonly string[] => {
  const notRun = cases.filter(({ verdict }) => verdict === 'not run');
  return [
    ...cases.filter(one => !notRun.includes(one)).map(caseLine),
    ...byReason(notRun).map(([ids, reason]) => `not run  ${ids}  ${reason}`),
  ];
};

export const watch = async (terminal: Terminal, runs: ReachedRuns, id: string): Promise<ReportResponse> => {
  const printed = new Map<string, string>();
  for (;;) {
    const report = await runs.report(id);
    const decided = report.cases.filter(one => one.verdict !== 'pending spec' && one.verdict !== 'undecided');
    // What comes late can change a verdict.
    const news = decided.filter(one => printed.get(one.case_id) !== caseLine(one));
    for (const line of caseLines(news)) terminal.out(line);
    for (const one of news) printed.set(one.case_id, caseLine(one));
    if (report.status !== 'running') return report;
    await runs.pause();
  }
};

/** Writes the wanted files, and prints the result. @throws ChecksFailed unless the run passed */
export const finish = (
  terminal: Terminal,
  report: ReportResponse,
  { report: files, json }: ReportOptions,
): void => {
  for (const file of files) writeFileSync(file, writerOf(file)?.(report) ?? '');
  if (json) terminal.out(JSON.stringify(report));
  else for (const line of [...report.notes, ...report.words]) terminal.out(line);
  const result = `${resultOf(report)} ${countsOf(report.totals)}.`;
  if (!report.passed) throw new ChecksFailed(result);
  if (!json) terminal.out(result);
};
