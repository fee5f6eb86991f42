import type { ReportResponse } from '../../contract/portal/checks.ts';
import { evidenceWords } from './evidence.ts';
import { countsOf, resultOf, xml } from './report-text.ts';

const colours = { passed: '#2e7d32', failed: '#c62828', open: '#5f6368' } as const;

const stateOf = ({ passed, totals }: ReportResponse): keyof typeof colours => {
  if (passed) return 'passed';
  return totals.failed > 0 ? 'failed' : 'open';
};

const wordsOf = (report: ReportResponse): string => {
  const { passed, failed } = report.totals;
  const state = stateOf(report);
  if (state === 'passed') return `${passed} passed`;
  return state === 'failed' ? `${failed} failed` : 'not proven';
};

/** Of an 11 pixel font, as wide as most letters. */
const letterPixels = 6.6;
const padding = 12;

const widthOf = (text: string): number => Math.ceil(text.length * letterPixels) + padding;

/** A badge (SVG): the suite, and how many cases passed or failed. */
export const badgeReport = (report: ReportResponse): string => {
  const label = report.suite;
  const words = wordsOf(report);
  const [left, right] = [widthOf(label), widthOf(words)];
  const width = left + right;
  const title = xml(`${label}: ${resultOf(report)} ${countsOf(report.totals)}`);
  const text = (at: number, content: string) =>
    `<text x="${at}" y="14" text-anchor="middle">${xml(content)}</text>`;
  const attributes = `width="${width}" height="20" role="img" aria-label="${title}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>
<title>${title}</title>
<desc>${xml(evidenceWords(report) ?? '')}</desc>
<rect width="${left}" height="20" fill="#333"/>
<rect x="${left}" width="${right}" height="20" fill="${colours[stateOf(report)]}"/>
<g fill="#fff" font-family="Verdana,Geneva,sans-serif" font-size="11">
${text(left / 2, label)}
${text(left + right / 2, words)}
</g>
</svg>
`;
};
