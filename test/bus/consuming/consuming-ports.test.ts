import { ledgerEngines } from '../../support/engines.ts';
import { ledgerBench } from '../../support/ledger-bench.ts';
import { receiptsContract } from './receipts-contract.ts';
import { waitingPollsContract } from './waiting-polls-contract.ts';

describe.each(ledgerEngines.map(engine => [engine.name, engine] as const))('on %s', (_, engine) => {
  const bench = ledgerBench(engine);
  describe('receipts', () => receiptsContract(bench));
  describe('waiting polls', () => waitingPollsContract(bench));
});
