import { receiptsContract } from '../bus/consuming/receipts-contract.ts';
import { waitingPollsContract } from '../bus/consuming/waiting-polls-contract.ts';
import { ledgerContract } from '../bus/delivery/ledger-contract.ts';
import { archiveContract, replaysContract } from '../bus/replay/replay-contract.ts';
import { dynamoDbLocal } from '../support/engines.ts';
import { ledgerBench } from '../support/ledger-bench.ts';
import { describeUnless } from '../support/where.ts';

// The same contracts hold on our own engines, in suites of test/bus.

describeUnless(dynamoDbLocal.lacks, `on ${dynamoDbLocal.name}`, () => {
  const bench = ledgerBench(dynamoDbLocal);
  ledgerContract(bench);
  archiveContract(bench);
  replaysContract(bench);
  describe('receipts', () => receiptsContract(bench));
  describe('waiting polls', () => waitingPollsContract(bench));
});
