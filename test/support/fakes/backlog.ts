import type { PendingLogs } from '../../../lib/bus/delivery/relay.ts';
import type { SimLedger } from '../../simulation/sim-ledger.ts';

const always = Number.POSITIVE_INFINITY;

/** The backlog of a ledger in memory. */
export const backlogIn = (ledger: SimLedger): PendingLogs => ({
  due: async (until, max) => ledger.pending(until, max),
  count: async () => ledger.pending(always, always).length,
  unsentSince: async max =>
    ledger
      .pending(always, max)
      .flatMap(log => ledger.head(log).unsentSince ?? [])
      .sort((a, b) => a - b)[0],
});
