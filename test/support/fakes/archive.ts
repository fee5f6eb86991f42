import type { Archive } from '../../../lib/bus/replay/replay.ts';
import type { SimLedger } from '../../simulation/sim-ledger.ts';

/** The archive of a ledger in memory; its index may have some entries late. */
export const archiveIn = (
  ledger: SimLedger,
  isIndexed?: (position: string) => boolean,
): Pick<Archive, 'page' | 'entries'> => ({
  page: async (range, max) => ledger.page(range, max, isIndexed),
  entries: async (workspace, summaries) =>
    summaries.flatMap(summary => {
      const [entry] = ledger.entries({ workspace, ...summary }, summary.number, summary.number);
      return entry ? [{ summary, entry }] : [];
    }),
});
