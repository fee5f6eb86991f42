import type { CheckKind, CheckTotals, ReportResponse } from '../../contract/portal/checks.ts';

/** What the bus tells everybody who knows the address of a report. */
export interface Evidence {
  readonly kind: CheckKind;
  readonly suite: string;
  readonly bus_version: string;
  readonly passed: boolean;
  readonly totals: CheckTotals;
  readonly started_at: string;
  readonly ended_at?: string;
  /** SHA-256 of the report in each of its forms, hexadecimal. */
  readonly sha256: Readonly<Record<string, string>>;
}

const evidencePath = '/v1/reports/';

export const evidencePathOf = (evidence: string): string => `${evidencePath}${evidence}`;

/** Whether a text may be the name of a report: anybody may ask for any. */
export const isEvidenceName = (text: string): boolean => /^[0-9a-f]{32}$/.test(text);

/** The name of a report that a file tells; undefined if it tells none. */
export const evidenceIn = (file: string): string | undefined =>
  /\/v1\/reports\/([0-9a-f]{32})/.exec(file)?.[1];

/** How a reader finds out whether a report is as the bus wrote it. */
export const evidenceWords = ({ evidence }: Pick<ReportResponse, 'evidence'>) =>
  evidence === undefined
    ? undefined
    : `The bus has the digest of this report at ${evidence}: sombus check verify <file> compares.`;
