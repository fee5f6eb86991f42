import type { CaseReport } from '../../lib/contract/checks.ts';
import { checkedBusHere } from '../checks/checked-bus.ts';
import { consumerFaults, consumerVariants } from '../checks/planted/consumer-faults.ts';
import { consumerCheckedOnBus } from '../checks/planted/consumer-on-bus.ts';
import { type ConsumerModules, consumerFiles } from '../checks/planted/consumer-on-paper.ts';
import { executorFaults } from '../checks/planted/executor-faults.ts';
import { checkedOnBus } from '../checks/planted/executor-on-bus.ts';
import { type ExecutorModules, executorFiles } from '../checks/planted/executor-on-paper.ts';
import { modulesWith, type Patch, type PlantedFault } from '../checks/planted/plant.ts';
import { producerFaults, producerVariants } from '../checks/planted/producer-faults.ts';
import { producerCheckedOnBus, rotated } from '../checks/planted/producer-on-bus.ts';
import { type ProducerModules, producerFiles } from '../checks/planted/producer-on-paper.ts';

const bus = checkedBusHere();

const producer = async (id: string, patch: Patch) =>
  (await producerCheckedOnBus(bus, await modulesWith<ProducerModules>(producerFiles, patch), [id])).cases;
const consumer = async (id: string, patch: Patch) =>
  consumerCheckedOnBus(bus, await modulesWith<ConsumerModules>(consumerFiles, patch), [id]);
const executor = async (id: string, patch: Patch) =>
  (await checkedOnBus(bus, await modulesWith<ExecutorModules>(executorFiles, patch), [id])).cases;

type Check = (id: string, patch: Patch) => Promise<readonly CaseReport[]>;

/** The first fault that is meant for each of these cases; the campaigns try all faults with all cases. */
const onePerCase = (faults: readonly PlantedFault[], check: Check, ...cases: readonly string[]) =>
  cases.map(id => {
    const fault = faults.find(({ meant }) => meant === id);
    if (!fault) throw new Error(`No fault is meant for ${id}.`);
    return [id, fault.fault, fault, check] as const;
  });

test.each([
  ...onePerCase(producerFaults, producer, 'retries/lost-answer', 'retries/token-ended', rotated),
  ...onePerCase(consumerFaults, consumer, 'delivery/order', 'delivery/crash'),
  ...executorFaults
    .filter((_, at) => at % 6 === 0)
    .map(fault => [fault.meant, fault.fault, fault, executor] as const),
])('on a whole bus, %s fails if %s', async (id, _title, fault, check) => {
  expect(await check(id, fault)).toMatchObject([{ case_id: id, verdict: 'failed' }]);
});

test.each([
  ...producerVariants.map(one => [one.meant, one.variant, one, producer] as const),
  ...consumerVariants.map(one => [one.meant, one.variant, one, consumer] as const),
])('on a whole bus, %s passes if %s', async (id, _title, variant, check) => {
  expect(await check(id, variant)).toMatchObject([{ case_id: id, verdict: 'passed' }]);
});
