import type { ReportResponse } from '../../lib/contract/portal/checks.ts';
import { save } from '../page/snippet.tsx';
import { reportForms } from './report-files.ts';

/** The report as a file, in one of its forms. */
export const saveReport = async (report: ReportResponse, wanted: string): Promise<void> => {
  const form = reportForms.find(({ file }) => file === wanted);
  if (form)
    save(await form.make(report), { name: `${report.run_id}.${form.file}`, type: form.type });
};
