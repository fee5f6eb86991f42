import type { Log } from '../../../lib/bus/delivery/log.ts';
import { limits } from '../../../lib/contract/limits.ts';
import type { SimLedger } from '../../simulation/sim-ledger.ts';

/** The log of a ledger in memory. No call takes time. */
export const logIn = (ledger: SimLedger): Log => ({
  head: async log => ledger.head(log),
  entries: async (log, from, to) => ledger.entries(log, from, to).slice(0, limits.entriesPerPage),
  acquire: async (log, lease, now) => ledger.acquire(log, lease, now),
  release: async (log, lease, progress) => ledger.release(log, lease, progress),
  markExpired: async () => undefined,
  markDelivered: async (entry, connections) => ledger.reach(entry, connections),
  markSkipped: async (entry, connections) => ledger.skip(entry, connections),
});
