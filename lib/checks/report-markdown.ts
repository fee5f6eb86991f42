import type { CaseAnswer, ReportAnswer } from '../contract/checks.ts';
import { byReason, countsOf, groupsOf, resultOf } from './report-groups.ts';

/** A text in a cell of a table: on one line, and nothing of it is taken for Markdown or HTML, or calls people or other pull requests. */
const cell = (text: string): string =>
  text
    .replaceAll(/[\\`*_[\]<>|~#!&]/g, character => `\\${character}`)
    .replaceAll(/[@#]/g, character => `${character}&#8203;`)
    .replaceAll(/\s+/g, ' ');

const code = (text: string): string => `\`${text.replaceAll('`', "'").replaceAll(/\s+/g, ' ')}\``;

const failed = ({ case_id, title, checks, advice, message_ids, rules }: CaseAnswer): readonly string[] => [
  `#### ${cell(case_id)}`,
  '',
  cell(title),
  '',
  '| Check | Expected | Found |',
  '| --- | --- | --- |',
  ...checks
    .filter(({ passed }) => !passed)
    .map(({ name, expected, found }) => `| ${cell(name)} | ${cell(expected)} | ${cell(found)} |`),
  '',
  ...(rules.length > 0 ? [`Refused by ${rules.map(code).join(', ')}.`, ''] : []),
  ...(message_ids.length > 0 ? [`Messages: ${message_ids.map(code).join(', ')}`, ''] : []),
  ...(advice === undefined ? [] : [cell(advice), '']),
];

const list = (title: string, cases: readonly CaseAnswer[]): readonly string[] =>
  folded(
    title,
    cases.length,
    cases.map(one => [one.case_id, one.reason ?? one.title]),
  );

const folded = (
  title: string,
  count: number,
  lines: readonly (readonly [ids: string, text: string])[],
): readonly string[] =>
  count === 0
    ? []
    : [
        '<details>',
        `<summary>${title} (${count})</summary>`,
        '',
        ...lines.map(([ids, text]) => `- ${cell(ids)}: ${cell(text)}`),
        '',
        '</details>',
        '',
      ];

/** The report as Markdown, for the comment on a pull request: what failed in full, the rest folded away. */
export const markdownReport = (report: ReportAnswer): string => {
  const { suite, versions, started_at, run_id, words, notes, cases, totals, coverage } = report;
  const of = (verdict: CaseAnswer['verdict']) => cases.filter(one => one.verdict === verdict);
  return [
    `### som-bus checks for ${suite}`,
    '',
    `**${cell(resultOf(report))}** ${countsOf(totals)}.`,
    '',
    '| Group | Passed | Failed | Not run | Pending spec |',
    '| --- | --- | --- | --- | --- |',
    ...groupsOf(report).map(
      ({ name, totals: own }) =>
        `| ${cell(name)} | ${own.passed} | ${own.failed} | ${own['not run']} | ${own['pending spec']} |`,
    ),
    '',
    ...words.map(line => `- ${cell(line)}`),
    ...(words.length > 0 ? [''] : []),
    ...(coverage ? [`Coverage of SOM 1.0: ${coverage.percent} %.`, ''] : []),
    ...of('failed').flatMap(failed),
    ...notes.flatMap(note => [cell(note), '']),
    ...list('Undecided', of('undecided')),
    ...folded('Not run', totals['not run'], byReason(of('not run'))),
    ...list('Pending spec', of('pending spec')),
    ...list('Passed', of('passed')),
    `Run ${code(run_id)} of ${started_at}, som-bus ${versions.bus}, SOM ${versions.som}, skill library ${versions.library}.`,
    '',
  ].join('\n');
};
