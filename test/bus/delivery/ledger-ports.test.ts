import { ledgerEngines } from '../../support/engines.ts';
import { ledgerBench } from '../../support/ledger-bench.ts';
import { ledgerContract } from './ledger-contract.ts';

describe.each(ledgerEngines.map(engine => [engine.name, engine] as const))('on %s', (_, engine) => {
  ledgerContract(ledgerBench(engine));
});
