import { checkedBusHere } from './checked-bus.ts';
import { consumerFaults } from './planted/consumer-faults.ts';
import { executorFaults } from './planted/executor-faults.ts';
import { checksOnBus } from './planted/on-bus.ts';
import { producerFaults } from './planted/producer-faults.ts';

const { producer, consumer, executor } = checksOnBus(checkedBusHere());

// One of each: test/long/planted-faults plays them all.
test.each([
  ['an executor’s', executorFaults[0], executor],
  ['a producer’s', producerFaults[0], producer],
  ['a consumer’s', consumerFaults[0], consumer],
] as const)('the cases find %s fault', async (_title, fault, check) => {
  const meant = fault?.meant ?? '';
  expect(await check(fault, [meant])).toMatchObject([{ case_id: meant, verdict: 'failed' }]);
});
