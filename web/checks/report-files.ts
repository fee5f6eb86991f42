import type { ReportResponse } from '../../lib/contract/portal/checks.ts';

/**
 * The forms of a report, each made where it is read: their code is fetched with the first one. Each
 * byte is as the bus writes it, which has the digests.
 */
export const reportForms = [
  {
    name: 'HTML, to read and to print',
    file: 'html',
    type: 'text/html',
    make: async (report: ReportResponse) =>
      (await import('../../lib/checks/reports/report-html.ts')).htmlReport(report),
  },
  {
    name: 'JUnit XML, for a pipeline',
    file: 'xml',
    type: 'application/xml',
    make: async (report: ReportResponse) =>
      (await import('../../lib/checks/reports/report-text.ts')).junitReport(report),
  },
  {
    name: 'Markdown, for a pull request',
    file: 'md',
    type: 'text/markdown',
    make: async (report: ReportResponse) =>
      (await import('../../lib/checks/reports/report-text.ts')).markdownReport(report),
  },
  {
    name: 'JSON',
    file: 'json',
    type: 'application/json',
    make: async (report: ReportResponse) =>
      (await import('../../lib/checks/reports/report-text.ts')).jsonReport(report),
  },
] as const;
