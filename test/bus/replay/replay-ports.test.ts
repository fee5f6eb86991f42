import { ledgerEngines } from '../../support/engines.ts';
import { ledgerBench } from '../../support/ledger-bench.ts';
import { archiveContract, replaysContract } from './replay-contract.ts';

describe.each(ledgerEngines.map(engine => [engine.name, engine] as const))('on %s', (_, engine) => {
  const bench = ledgerBench(engine);
  archiveContract(bench);
  replaysContract(bench);
});
