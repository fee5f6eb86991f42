import type { CaseResponse } from '../../lib/contract/checks.ts';
import { checkedBus } from './checked-bus.ts';
import { consumerFaults, consumerVariants } from './planted/consumer-faults.ts';
import { consumerCheckedOnBus } from './planted/consumer-on-bus.ts';
import { type ConsumerModules, consumerFiles } from './planted/consumer-on-paper.ts';
import { modulesWith, type PlantedFault } from './planted/plant.ts';
import { producerFaults, producerVariants } from './planted/producer-faults.ts';
import { producerCheckedOnBus, rotated } from './planted/producer-on-bus.ts';
import { type ProducerModules, producerFiles } from './planted/producer-on-paper.ts';

let bus: Awaited<ReturnType<typeof checkedBus>>;
beforeAll(async () => {
  bus = await checkedBus();
});
afterAll(() => bus.close());

const unless = (verdict: CaseResponse['verdict'], cases: readonly CaseResponse[]) =>
  cases.filter(one => one.verdict !== verdict).map(({ case_id }) => case_id);

/** The first fault that is meant for each of these cases; the campaigns try all faults with all cases. */
const onePerCase = (faults: readonly PlantedFault[], ...cases: readonly string[]) =>
  cases.flatMap(id => {
    const fault = faults.find(({ meant }) => meant === id);
    return fault ? [[id, fault.fault, fault] as const] : [];
  });

describe('on a whole bus, a producer', () => {
  test('that is good passes all cases, and its report says how much of SOM it has used', async () => {
    const good = await modulesWith<ProducerModules>(producerFiles);
    const report = await producerCheckedOnBus(bus, good);
    expect(unless('passed', report.cases)).toEqual([]);
    expect(report.passed).toBe(true);
    expect(report.coverage?.rows).toContainEqual(
      expect.objectContaining({ message_type: 'story.context', member: 'assets[].status', seen: true }),
    );
  });

  test('that is good passes when its secret is rotated', async () => {
    const good = await modulesWith<ProducerModules>(producerFiles);
    expect(unless('passed', (await producerCheckedOnBus(bus, good, [rotated])).cases)).toEqual([]);
  });

  test.each(producerVariants.map(variant => [variant.meant, variant.variant, variant] as const))(
    'passes %s if %s',
    async (id, _title, variant) => {
      const good = await modulesWith<ProducerModules>(producerFiles, variant);
      expect(unless('passed', (await producerCheckedOnBus(bus, good, [id])).cases)).toEqual([]);
    },
  );

  test.each(onePerCase(producerFaults, 'retries/lost-answer', 'retries/token-ended', rotated))(
    'fails %s if %s',
    async (id, _title, fault) => {
      const faulty = await modulesWith<ProducerModules>(producerFiles, fault);
      expect(unless('failed', (await producerCheckedOnBus(bus, faulty, [id])).cases)).toEqual([]);
    },
  );
});

describe('on a whole bus, a consumer', () => {
  test('that is good passes all cases but those about types that it does not receive', async () => {
    const good = await modulesWith<ConsumerModules>(consumerFiles);
    const cases = await consumerCheckedOnBus(bus, good);
    expect(unless('passed', cases)).toEqual([
      'subscriptions/no-system.audit',
      'subscriptions/no-telling.exposed',
    ]);
  });

  test.each(consumerVariants.map(variant => [variant.meant, variant.variant, variant] as const))(
    'passes %s if %s',
    async (id, _title, variant) => {
      const good = await modulesWith<ConsumerModules>(consumerFiles, variant);
      expect(unless('passed', await consumerCheckedOnBus(bus, good, [id]))).toEqual([]);
    },
  );

  test.each(onePerCase(consumerFaults, 'delivery/order', 'delivery/crash'))(
    'fails %s if %s',
    async (id, _title, fault) => {
      const faulty = await modulesWith<ConsumerModules>(consumerFiles, fault);
      expect(unless('failed', await consumerCheckedOnBus(bus, faulty, [id]))).toEqual([]);
    },
  );
});
