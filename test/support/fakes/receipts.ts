import type { Receipts } from '../../../lib/consuming/receipts.ts';
import type { Clock } from '../../../lib/contract/outside.ts';
import type { SimLedger } from '../../simulation/sim-ledger.ts';

/** The receipts of a ledger in memory. */
export const receiptsIn = (ledger: SimLedger, clock: Pick<Clock, 'now'>): Receipts => ({
  save: async (connection, groups) => ledger.saveReceipts(connection, groups),
  find: async (connection, ids) => ledger.findReceipts(connection, ids, clock.now()),
  acknowledge: async (connection, id, positions) => ledger.acknowledgeReceipts(connection, id, positions),
  block: async (connection, id, positions) => ledger.blockReceipts(connection, id, positions),
  markReturned: async (connection, id, positions) => ledger.markReturned(connection, id, positions),
});
