import type { CaseReport, CoverageReport, ReportResponse } from '../contract/checks.ts';
import { basisWords, type CaseGroup, countsOf, groupsOf, resultOf, verdictOrder } from './report-text.ts';

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const html = (text: string): string => text.replaceAll(/[&<>"]/g, character => escapes[character] ?? '');

/** Light and dark by the reader's system; on paper always light, and what passed stays folded there. */
const style = `
:root { color-scheme: light dark; --text: #1c2024; --soft: #5a6169; --line: #d5d9de; --back: #fff; --panel: #f5f6f8;
  --passed: #1a7f37; --failed: #b42318; --notrun: #8a5a00; --pending: #4f5d75; }
@media (prefers-color-scheme: dark) { :root { --text: #e7e9ec; --soft: #a3abb5; --line: #3a4048; --back: #16191d; --panel: #1f2329;
  --passed: #57c97a; --failed: #ff8a7a; --notrun: #e7b34d; --pending: #a9b6cc; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.5rem 4rem; max-width: 62rem; background: var(--back); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; } h2 { font-size: 1.2rem; margin: 2.25rem 0 .5rem; }
h3 { font-size: 1rem; margin: 0; display: inline; font-weight: 600; overflow-wrap: anywhere; }
p { margin: .4rem 0; } .soft { color: var(--soft); } code { font: .9em ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; } caption { text-align: left; color: var(--soft); padding-bottom: .25rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); }
td.long { overflow-wrap: anywhere; min-width: 8rem; } td.name { min-width: 5rem; } td.member { min-width: 17rem; } td.number, th.number { text-align: right; } tbody th { padding-top: 1rem; }
td.word { white-space: nowrap; } dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: 1rem 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
.reason { font-weight: 400; } .result { font-size: 1.15rem; font-weight: 600; padding: .75rem 1rem; border-left: .35rem solid var(--failed); background: var(--panel); margin: 1rem 0; }
.result.passed { border-color: var(--passed); } .result.running { border-color: var(--notrun); }
.case { border: 1px solid var(--line); border-radius: .4rem; margin: .5rem 0; background: var(--panel); break-inside: avoid; }
.case > summary, .case > div { padding: .5rem .8rem; } summary { cursor: pointer; }
.badge { display: inline-block; min-width: 6.5rem; font-weight: 600; } .passed .badge, td.passed { color: var(--passed); }
.failed .badge, td.failed { color: var(--failed); } .notrun .badge { color: var(--notrun); } .pending .badge { color: var(--pending); }
@media (max-width: 40rem) { body { padding: 1.25rem 1rem 3rem; } td.number, th.number { padding: .3rem .2rem; font-size: .85em; } td.name { min-width: 6rem; }
  td.member { min-width: 0; } .stacked thead { display: none; }
  .stacked tr { display: block; padding: .4rem 0; border-bottom: 1px solid var(--line); }
  .stacked td, .stacked th { display: block; border: 0; padding: .1rem 0; } .stacked td:empty { display: none; }
  .stacked td[data-name]::before { content: attr(data-name) ": "; color: var(--soft); } }
@media print { :root { --text: #000; --soft: #444; --line: #bbb; --back: #fff; --panel: #fff; --passed: #14612a; --failed: #9b1c12;
  --notrun: #6b4500; --pending: #3d4759; } @page { margin: 16mm; } body { padding: 0; max-width: none; font-size: 10pt; }
  h2, tbody th { break-after: avoid; } tr { break-inside: avoid; } .case { margin: .25rem 0; }
  th, td { padding-top: .15rem; padding-bottom: .15rem; } }
`;

const classOf: Readonly<Record<CaseReport['verdict'], string>> = {
  passed: 'passed',
  failed: 'failed',
  undecided: 'notrun',
  'not run': 'notrun',
  'pending spec': 'pending',
};

/** `name`: what stands before it where a row has no room for columns. */
interface Cell {
  readonly html: string;
  readonly look: string;
  readonly name?: string;
}

const word = (text: string, look = ''): Cell => ({ html: html(text), look: `word ${look}`.trim() });

const long = (content: string, name?: string): Cell => ({
  html: content,
  look: 'long',
  ...(name === undefined ? {} : { name }),
});

const rowOf = (cells: readonly Cell[]): string =>
  `<tr>${cells
    .map(({ html: content, look, name }) => {
      const named = name === undefined ? '' : ` data-name="${name}"`;
      return `<td class="${look}"${named}>${content}</td>`;
    })
    .join('')}</tr>`;

const stackedTable = (heads: readonly string[], bodies: readonly string[]): string =>
  `<table class="stacked"><thead><tr>${heads.map(head => `<th>${head}</th>`).join('')}</tr></thead>${bodies
    .map(rows => `<tbody>${rows}</tbody>`)
    .join('')}</table>`;

const passedWord = (passed: boolean): string => (passed ? 'passed' : 'failed');

const checkTable = ({ checks }: CaseReport): string => {
  if (checks.length === 0) return '';
  const rows = [...checks]
    .sort((a, b) => Number(a.passed) - Number(b.passed))
    .map(({ name, expected, found, passed }) =>
      rowOf([
        word(name),
        long(html(expected), 'Expected'),
        long(html(found), 'Found'),
        word(passedWord(passed), passedWord(passed)),
      ]),
    );
  return stackedTable(['Check', 'Expected', 'Found', 'Result'], [rows.join('')]);
};

const codes = (texts: readonly string[]): string =>
  texts.map(text => `<code>${html(text)}</code>`).join(', ');

const factsOf = (one: CaseReport): string =>
  [
    ...(one.basis ? [`Basis: ${one.basis}, ${basisWords[one.basis]}.`] : []),
    ...(one.instance ? [`Instance: <code>${html(one.instance)}</code>.`] : []),
    ...(one.rules.length > 0 ? [`Refused by ${codes(one.rules)}.`] : []),
    ...(one.message_ids.length > 0 ? [`Messages: ${codes(one.message_ids)}.`] : []),
  ]
    .map(line => `<p class="soft">${line}</p>`)
    .join('');

const caseSection = (one: CaseReport): string => {
  const paragraph = (text: string | undefined) => (text === undefined ? '' : `<p>${html(text)}</p>`);
  const open = one.verdict === 'failed' ? ' open' : '';
  // On paper, nobody can unfold it.
  const reason = one.reason === undefined ? '' : `<p class="soft reason">${html(one.reason)}</p>`;
  return `<details class="case ${classOf[one.verdict]}"${open}><summary><span class="badge">${one.verdict}</span> <h3>${html(one.case_id)}</h3>${reason}</summary><div>${paragraph(one.title)}${paragraph(one.advice)}${checkTable(one)}${factsOf(one)}</div></details>`;
};

const groupSection = ({ name, cases, totals }: CaseGroup): string => {
  const ordered = verdictOrder.flatMap(verdict => cases.filter(one => one.verdict === verdict));
  return `<section><h2>${html(name)}</h2><p class="soft">${countsOf(totals)}</p>${ordered.map(caseSection).join('\n')}</section>`;
};

const summaryTable = (groups: readonly CaseGroup[]): string => {
  const columns = ['passed', 'failed', 'not run', 'pending spec'] as const;
  const head = columns.map(column => `<th class="number">${column}</th>`).join('');
  const rows = groups.map(
    ({ name, totals }) =>
      `<tr><td class="long name">${html(name)}</td>${columns.map(column => `<td class="number">${totals[column]}</td>`).join('')}</tr>`,
  );
  return `<table><thead><tr><th>Group</th>${head}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
};

type CoverageRow = CoverageReport['rows'][number];

const coverageRow = ({ member, required, seen, values_missing = [] }: CoverageRow): string =>
  rowOf([
    { html: `<code>${html(member)}</code>`, look: 'long member' },
    word(required ? 'required' : 'optional'),
    // Nobody needs all of SOM: what was not seen is no error.
    word(seen ? 'seen' : 'not seen', seen ? 'passed' : 'soft'),
    long(html(values_missing.join(', ')), 'Values not seen'),
  ]);

const coverageSection = (coverage: CoverageReport | undefined): string => {
  if (!coverage) return '';
  const types = [...new Set(coverage.rows.map(({ message_type }) => message_type))];
  const bodies = types.map(type => {
    const rows = coverage.rows.filter(({ message_type }) => message_type === type);
    const seen = rows.filter(row => row.seen).length;
    const head = `<tr><th colspan="4">${html(type)}: ${seen} of ${rows.length} members</th></tr>`;
    return head + rows.map(coverageRow).join('');
  });
  const heads = ['Member', '', 'Seen', 'Values not seen'];
  return `<section><h2>Coverage of SOM 1.0: ${coverage.percent} %</h2>${stackedTable(heads, bodies)}</section>`;
};

const headFacts = (report: ReportResponse): string => {
  const { run_id, kind, versions, workspace_id, connections, started_at, ended_at } = report;
  const facts: readonly (readonly [string, string])[] = [
    ['Run', run_id],
    ['Kind', kind],
    ['Workspace', workspace_id],
    ...connections.map(
      one => [one.kind, [one.connection_id, ...one.system_ids].join(', sends as ')] as const,
    ),
    ['Started', started_at],
    ...(ended_at === undefined ? [] : [['Ended', ended_at] as const]),
    ['Versions', `som-bus ${versions.bus}, SOM ${versions.som}, skill library ${versions.library}`],
  ];
  return `<dl>${facts.map(([name, value]) => `<dt>${html(name)}</dt><dd>${html(value)}</dd>`).join('')}</dl>`;
};

/** The report as one HTML page: readable, printable, with nothing from elsewhere. */
export const htmlReport = (report: ReportResponse): string => {
  const { suite, status, passed, words, notes, totals, coverage } = report;
  const groups = groupsOf(report);
  const state = status === 'running' ? ' running' : passed ? ' passed' : '';
  const lines = [...words, ...notes].map(line => `<p>${html(line)}.</p>`.replace('..</p>', '.</p>'));
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>som-bus checks for ${html(suite)}</title><style>${style}</style></head>
<body><header><h1>som-bus checks for ${html(suite)}</h1>
<p class="result${state}">${html(resultOf(report))} <span class="soft">${countsOf(totals)}</span></p>
${lines.join('\n')}
${headFacts(report)}</header>
<main>${summaryTable(groups)}
${groups.map(groupSection).join('\n')}
${coverageSection(coverage)}</main>
<footer><p class="soft">Bases: L: ${basisWords.L}; S: ${basisWords.S}; P: ${basisWords.P}.</p></footer></body></html>
`;
};
