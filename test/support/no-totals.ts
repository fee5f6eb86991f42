import type { CheckTotals } from '../../lib/contract/portal/checks.ts';

/** The counts of a report without cases. */
export const noTotals: CheckTotals = {
  passed: 0,
  failed: 0,
  undecided: 0,
  'not run': 0,
  'not applicable': 0,
  'pending spec': 0,
};
