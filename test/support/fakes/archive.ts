import type { Archive } from '../../../lib/replay/replay.ts';
import type { SimLedger } from '../../simulation/sim-ledger.ts';

/** The archive of a ledger in memory. */
export const archiveIn = (ledger: SimLedger): Archive => ({
  page: async (range, max) => ledger.page(range, max),
  entries: async (workspace, summaries) =>
    summaries.flatMap(summary => {
      const [entry] = ledger.entries({ workspace, ...summary }, summary.number, summary.number);
      return entry ? [{ summary, entry }] : [];
    }),
});
