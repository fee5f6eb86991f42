import type { CheckKind, ReportResponse } from '../../contract/portal/checks.ts';
import { resultOf } from './report-text.ts';

/** What somebody wants to know of a run who reads one page of it. */
export interface ReportSummary {
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly result: string;
  readonly meaning: readonly string[];
  /** Titles of the cases that failed, and the reasons of those that were not run. */
  readonly failed: readonly string[];
  readonly open: readonly string[];
}

const roles: Readonly<Record<CheckKind, string>> = {
  producer: 'it publishes messages',
  consumer: 'it receives messages',
  executor: 'it runs skills: it receives stories, and publishes warnings about them',
};

const listedAtMost = 12;

const firstOf = (texts: readonly string[]): readonly string[] => {
  const own = [...new Set(texts)];
  const more = own.length - listedAtMost;
  return more > 0 ? [...own.slice(0, listedAtMost), `${more} more.`] : own;
};

const casesOf = (count: number): string => (count === 1 ? '1 case' : `${count} cases`);

const meaningOf = ({
  status,
  totals,
  unproven,
  passed: hasPassed,
}: ReportResponse): readonly string[] => {
  if (status !== 'finished') return ['The run did not come to its end: it says nothing yet.'];
  const { passed, failed, 'not run': open, 'pending spec': pending } = totals;
  const run = passed + failed;
  const sentences: string[] = [];
  if (failed > 0)
    sentences.push(
      `In ${failed} of the ${casesOf(run)} that were played, the system did not do what SOM 1.0 ` +
        'asks. Systems that work with it may miss messages, get them twice or misread them. ' +
        'Have these mended, and run the checks again.',
    );
  if (failed === 0 && run > 0)
    sentences.push(
      `In all of the ${casesOf(run)} that were played, the system did what SOM 1.0 asks.`,
    );
  if (open > 0)
    sentences.push(
      `Of ${casesOf(open)} nothing is known: something was missing when they were due.`,
    );
  if (unproven.length > 0)
    sentences.push('Some of what it has to prove was not run: nobody can say that it passes.');
  else if (!hasPassed && failed === 0) sentences.push('That is not enough to say that it passes.');
  if (pending > 0)
    sentences.push(`${casesOf(pending)} cannot be played by anybody yet, and count neither way.`);
  sentences.push('A run can show faults. It cannot show that there are none.');
  return sentences;
};

const dateOf = ({ ended_at, started_at }: ReportResponse): string =>
  `${(ended_at ?? started_at).slice(0, 16).replace('T', ', ')} UTC`;

const systemOf = ({ connections }: ReportResponse): string =>
  connections
    .map(({ app_name, app_id, kind, system_ids }) => {
      const as = system_ids.length === 0 ? '' : `, which sends as ${system_ids.join(', ')}`;
      return `${app_name ?? app_id} (${kind}${as})`;
    })
    .join('; ');

export const summaryOf = (report: ReportResponse): ReportSummary => {
  const { kind, versions, workspace_name, workspace_id, system_version, role_name, cases } = report;
  const titles = cases.filter(({ verdict }) => verdict === 'failed').map(({ title }) => title);
  const reasons = cases.flatMap(({ verdict, reason }) =>
    verdict === 'not run' ? (reason ?? []) : [],
  );
  return {
    facts: [
      ['System', systemOf(report)],
      ...(system_version === undefined ? [] : [['Its version', system_version] as const]),
      ['Role', role_name === undefined ? roles[kind] : `${role_name}: ${roles[kind]}`],
      ['Workspace', workspace_name ?? workspace_id],
      ['Date', dateOf(report)],
      ['Measured by', `SOM ${versions.som} and skill library ${versions.library}`],
      ['Run by', `som-bus ${versions.bus}`],
    ],
    result: resultOf(report),
    meaning: meaningOf(report),
    failed: firstOf(titles),
    open: firstOf(reasons),
  };
};
