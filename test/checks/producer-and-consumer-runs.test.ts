import type { CaseReport } from '../../lib/contract/checks.ts';
import { checkedBusHere } from './checked-bus.ts';
import { consumerCheckedOnBus } from './planted/consumer-on-bus.ts';
import { type ConsumerModules, consumerFiles } from './planted/consumer-on-paper.ts';
import { modulesWith } from './planted/plant.ts';
import { producerCheckedOnBus, rotated } from './planted/producer-on-bus.ts';
import { type ProducerModules, producerFiles } from './planted/producer-on-paper.ts';

// What faults and other good ways make of them is in test/long/faults-on-bus.test.ts.

const bus = checkedBusHere();

const notPassed = (cases: readonly CaseReport[]) =>
  cases.filter(({ verdict }) => verdict !== 'passed').map(({ case_id }) => case_id);

describe('on a whole bus, a producer', () => {
  test('that is good passes all cases, and its report says how much of SOM it has used', async () => {
    const good = await modulesWith<ProducerModules>(producerFiles);
    const report = await producerCheckedOnBus(bus, good);
    expect(notPassed(report.cases)).toEqual([]);
    expect(report.passed).toBe(true);
    expect(report.coverage?.rows).toContainEqual(
      expect.objectContaining({ message_type: 'story.context', member: 'assets[].status', seen: true }),
    );
  });

  test('that is good passes when its secret is rotated', async () => {
    const good = await modulesWith<ProducerModules>(producerFiles);
    expect(notPassed((await producerCheckedOnBus(bus, good, [rotated])).cases)).toEqual([]);
  });
});

test('on a whole bus, a good consumer passes all cases but those about types that it does not receive', async () => {
  const good = await modulesWith<ConsumerModules>(consumerFiles);
  expect(notPassed(await consumerCheckedOnBus(bus, good))).toEqual([
    'subscriptions/no-system.audit',
    'subscriptions/no-telling.exposed',
  ]);
});
