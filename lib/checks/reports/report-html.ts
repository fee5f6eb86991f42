import {
  type CaseReport,
  type CoverageReport,
  caseVerdicts,
  type ReportResponse,
} from '../../contract/portal/checks.ts';
import { reportStyle } from '../../generated/report-style.generated.ts';
import { evidenceWords } from './evidence.ts';
import { summaryOf } from './report-summary.ts';
import {
  basisWords,
  type CaseGroup,
  caseGroupsOf,
  countsOf,
  resultOf,
  verdictOrder,
} from './report-text.ts';

/** A piece of a page: what was put into it is escaped. */
class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Markup | readonly Markup[] | undefined;

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

const written = (part: Part): string => {
  if (part instanceof Markup) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('');
  return `${part ?? ''}`.replaceAll(/[&<>"]/g, character => escapes[character] ?? '');
};

const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Markup =>
  new Markup(String.raw({ raw: texts }, ...parts.map(written)));

const classOf: Readonly<Record<CaseReport['verdict'], string>> = {
  passed: 'passed',
  failed: 'failed',
  undecided: 'notrun',
  'not run': 'notrun',
  'not applicable': 'pending',
  'pending spec': 'pending',
};

const passedWord = (passed: boolean): string => (passed ? 'passed' : 'failed');

/** Where a row has no room for columns, `data-name` stands before what is in a cell. */
const stackedTable = (heads: readonly string[], bodies: readonly Markup[]): Markup =>
  html`<table class="stacked"><thead><tr>${heads.map(head => html`<th>${head}</th>`)}</tr></thead>
${bodies.map(rows => html`<tbody>${rows}</tbody>`)}</table>`;

const checkTable = ({ checks }: CaseReport): Markup | undefined => {
  if (checks.length === 0) return undefined;
  const rows = [...checks]
    .sort((a, b) => Number(a.passed) - Number(b.passed))
    .map(
      ({ name, expected, found, passed }) =>
        html`<tr><td class="word">${name}</td>
<td class="long" data-name="Expected">${expected}</td><td class="long" data-name="Found">${found}</td>
<td class="word ${passedWord(passed)}">${passedWord(passed)}</td></tr>`,
    );
  return stackedTable(['Check', 'Expected', 'Found', 'Result'], [html`${rows}`]);
};

const codes = (texts: readonly string[]): readonly Markup[] =>
  texts.map((text, at) => html`${at === 0 ? '' : ', '}<code>${text}</code>`);

const factsOf = ({ basis, instance, rules, message_ids }: CaseReport): readonly Markup[] =>
  [
    ...(basis ? [html`Basis: ${basis}, ${basisWords[basis]}.`] : []),
    ...(instance ? [html`Instance: <code>${instance}</code>.`] : []),
    ...(rules.length > 0 ? [html`Refused by ${codes(rules)}.`] : []),
    ...(message_ids.length > 0 ? [html`Messages: ${codes(message_ids)}.`] : []),
  ].map(line => html`<p class="soft">${line}</p>`);

const caseSection = (caseReport: CaseReport): Markup => {
  const { verdict, case_id, title, advice, reason } = caseReport;
  const open = verdict === 'failed' ? ' open' : '';
  // On paper, nobody can unfold it.
  const why = reason === undefined ? undefined : html`<p class="soft reason">${reason}</p>`;
  const paragraphs = advice === undefined ? undefined : html`<p>${advice}</p>`;
  return html`<details class="case ${classOf[verdict]}"${open}>
<summary><span class="badge">${verdict}</span> <h3>${title}</h3> <code>${case_id}</code>${why}</summary>
<div>${paragraphs}${checkTable(caseReport)}${factsOf(caseReport)}</div></details>
`;
};

const groupSection = ({ name, cases, totals }: CaseGroup): Markup => {
  const ordered = verdictOrder.flatMap(verdict =>
    cases.filter(caseReport => caseReport.verdict === verdict),
  );
  return html`<section><h2>${name}</h2><p class="soft">${countsOf(totals)}</p>
${ordered.map(caseSection)}</section>
`;
};

const summaryTable = (groups: readonly CaseGroup[]): Markup => {
  const columns = ['passed', 'failed', 'not run', 'not applicable', 'pending spec'] as const;
  const rows = groups.map(
    ({ name, totals }) =>
      html`<tr><td class="long name">${name}</td>${columns.map(
        column => html`<td class="number">${totals[column]}</td>`,
      )}</tr>`,
  );
  // A small screen has no room for its longest word: it may break at the soft hyphen.
  const heads = columns.map(
    column => html`<th class="number">${column.replace('applicable', 'appli\u00adcable')}</th>`,
  );
  return html`<table><thead><tr><th>Group</th>${heads}</tr></thead><tbody>${rows}</tbody></table>`;
};

/** Nobody needs all of SOM: what was not seen is no error. */
const coverageRow = (row: CoverageReport['rows'][number]): Markup => {
  const { member, required, seen, values_missing = [] } = row;
  return html`<tr><td class="long member"><code>${member}</code></td>
<td class="word">${required ? 'required' : 'optional'}</td>
<td class="word ${seen ? 'passed' : 'soft'}">${seen ? 'seen' : 'not seen'}</td>
<td class="long" data-name="Values not seen">${values_missing.join(', ')}</td></tr>`;
};

const coverageSection = ({ percent, rows }: CoverageReport): Markup => {
  const types = [...new Set(rows.map(({ message_type }) => message_type))];
  const bodies = types.map(type => {
    const own = rows.filter(({ message_type }) => message_type === type);
    const seen = own.filter(row => row.seen).length;
    const heading = `${type}: ${seen} of ${own.length} members`;
    return html`<tr><th colspan="4">${heading}</th></tr>${own.map(coverageRow)}`;
  });
  const table = stackedTable(['Member', '', 'Seen', 'Values not seen'], bodies);
  return html`<section><h2>Coverage of SOM 1.0: ${percent} %</h2>${table}</section>`;
};

const named = (name: string | undefined, id: string): string =>
  name === undefined ? id : `${name} (${id})`;

const nameOf = ({ app_name, connection_id }: ReportResponse['connections'][number]): string =>
  named(app_name, connection_id);

const bulletList = (title: string, texts: readonly string[]): Markup | undefined => {
  if (texts.length === 0) return undefined;
  return html`<h2>${title}</h2><ul>${texts.map(text => html`<li>${text}</li>`)}</ul>`;
};

const definitions = (facts: readonly (readonly [string, string])[]): Markup =>
  html`<dl>${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;

/** One page for who decides: the engineer's pages follow. */
const summarySection = (report: ReportResponse): Markup => {
  const { facts, meaning, failed, open } = summaryOf(report);
  const counts = caseVerdicts.filter(verdict => report.totals[verdict] > 0);
  const cells = counts.map(
    verdict =>
      html`<span class="${classOf[verdict]}"><strong>${report.totals[verdict]}</strong> ${verdict}</span> `,
  );
  const evidence = evidenceWords(report);
  return html`<section class="summary">${definitions(facts)}
<p class="counts">${cells}</p>
<h2>What that means</h2>${meaning.map(text => html`<p>${text}</p>`)}
${bulletList('To be mended', failed)}${bulletList('Not run', open)}
${evidence === undefined ? undefined : html`<p class="soft">${evidence}</p>`}</section>
`;
};

const headFacts = (report: ReportResponse): Markup => {
  const { run_id, kind, versions, workspace_id, workspace_name, connections } = report;
  const { started_at, ended_at } = report;
  const facts: readonly (readonly [string, string])[] = [
    ['Run', run_id],
    ['Kind', kind],
    ...(report.role === undefined ? [] : [['Role', report.role] as const]),
    ['Workspace', named(workspace_name, workspace_id)],
    ...connections.map((connection): readonly [string, string] => [
      connection.kind,
      [nameOf(connection), ...connection.system_ids].join(', sends as '),
    ]),
    ['Started', started_at],
    ...(ended_at === undefined ? [] : [['Ended', ended_at] as const]),
    ['Versions', `som-bus ${versions.bus}, SOM ${versions.som}, skill library ${versions.library}`],
  ];
  return definitions(facts);
};

/** The report as one HTML page: readable, printable, with nothing from elsewhere. */
export const htmlReport = (report: ReportResponse): string => {
  const { suite, status, passed, words, notes, totals, coverage } = report;
  const groups = caseGroupsOf(report);
  const passedClass = passed ? ' passed' : '';
  const state = status === 'running' ? ' running' : passedClass;
  const lines = [...words, ...notes].map(
    line => html`<p>${line.replace(/\.?$/, '.')}</p>
`,
  );
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>som-bus checks for ${suite}</title><style>${new Markup(reportStyle)}</style></head>
<body><header><h1>som-bus checks for ${suite}</h1>
<p class="result${state}">${resultOf(report)} <span class="soft">${countsOf(totals)}</span></p>
${summarySection(report)}</header>
<main><h2>For engineers</h2>${lines}${headFacts(report)}${summaryTable(groups)}
${groups.map(groupSection)}${coverage && coverageSection(coverage)}</main>
<footer><p class="soft">Bases: L: ${basisWords.L}; S: ${basisWords.S}; P: ${basisWords.P}.</p>
</footer></body></html>
`.text;
};
