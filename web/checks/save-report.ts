import type { ReportResponse } from '../../lib/contract/portal/checks.ts';
import { save } from '../page/snippet.tsx';

/** The forms of a report, each made where it is read: their code is fetched with the first one. */
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
    make: async (report: ReportResponse) => JSON.stringify(report, undefined, 2),
  },
] as const;

/** The report as a file. */
export const saveReport = async (report: ReportResponse, wanted: string): Promise<void> => {
  const form = reportForms.find(({ file }) => file === wanted);
  if (form)
    save(await form.make(report), { name: `${report.run_id}.${form.file}`, type: form.type });
};
