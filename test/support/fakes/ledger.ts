import type { Ledger } from '../../../lib/bus/delivery/log.ts';
import type { Clock } from '../../../lib/contract/outside.ts';
import type { SimLedger } from '../../simulation/sim-ledger.ts';

/** The ledger's own port on a ledger in memory. No call takes time. */
export const ledgerIn = (ledger: SimLedger, clock: Pick<Clock, 'now'>): Ledger => ({
  read: async key => {
    const accepted = ledger.id(key.workspace, key.messageId, clock.now());
    const story = ledger.story(key);
    return {
      head: ledger.head(key),
      ...(accepted ? { accepted } : {}),
      ...(story ? { story } : {}),
    };
  },
  bodyOf: async accepted => ledger.bodyOf(accepted),
  commit: async commit => ledger.commit(commit, clock.now()),
});
