import { hash } from 'node:crypto';
import { defined } from '../../contract/outside.ts';
import type { ReportResponse } from '../../contract/portal/checks.ts';
import type { Evidence } from './evidence.ts';
import { badgeReport } from './report-badge.ts';
import { htmlReport } from './report-html.ts';
import { jsonReport, junitReport, markdownReport } from './report-text.ts';

/** A report as a file, by the end of its name. */
export const reportForms: Readonly<Record<string, (report: ReportResponse) => string>> = {
  html: htmlReport,
  xml: junitReport,
  json: jsonReport,
  md: markdownReport,
  svg: badgeReport,
};

/** What a house that is shown a report can compare it with. */
export const evidenceOf = (report: ReportResponse): Evidence => {
  const { kind, suite, versions, passed, totals, started_at, ended_at } = report;
  const digests = Object.entries(reportForms).map(
    ([form, write]) => [form, hash('sha256', write(report))] as const,
  );
  return {
    kind,
    suite,
    bus_version: versions.bus,
    passed,
    totals,
    started_at,
    ...defined({ ended_at }),
    sha256: Object.fromEntries(digests),
  };
};
