import type { CaseReport } from '../../../lib/contract/portal/checks.ts';
import type { CheckedBus } from '../checked-bus.ts';
import { type ConsumerModules, consumerCheckedOnBus, consumerFiles } from './consumer-on-bus.ts';
import { checkedOnBus, type ExecutorModules, executorFiles } from './executor-on-bus.ts';
import { modulesWith, type Patch } from './plant.ts';
import { type ProducerModules, producerCheckedOnBus, producerFiles } from './producer-on-bus.ts';

type Check = (patch?: Patch, cases?: readonly string[]) => Promise<readonly CaseReport[]>;

/**
 * What the cases say of the three reference systems on a bus, each with a fault if one is given.
 */
export const checksOnBus = (bus: CheckedBus) => {
  const producer: Check = async (patch, cases) =>
    (
      await producerCheckedOnBus(
        bus,
        await modulesWith<ProducerModules>(producerFiles, patch),
        cases,
      )
    ).cases;
  const consumer: Check = async (patch, cases) =>
    (
      await consumerCheckedOnBus(bus, await modulesWith<ConsumerModules>(consumerFiles, patch), {
        ...(cases && { cases }),
      })
    ).cases;

  const executor: Check = async (patch, cases) =>
    (await checkedOnBus(bus, await modulesWith<ExecutorModules>(executorFiles, patch), cases))
      .cases;
  return { producer, consumer, executor };
};
