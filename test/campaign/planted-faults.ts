import { executorPlan } from '../../lib/checks/executor-plan.ts';
import type { CaseReport, CheckKind } from '../../lib/contract/checks.ts';
import { type CheckedBus, checkedBus } from '../checks/checked-bus.ts';
import { consumerFaults } from '../checks/planted/consumer-faults.ts';
import {
  type ConsumerModules,
  consumerCheckedOnBus,
  consumerFiles,
} from '../checks/planted/consumer-on-bus.ts';
import { executorFaults } from '../checks/planted/executor-faults.ts';
import { checkedOnBus, type ExecutorModules, executorFiles } from '../checks/planted/executor-on-bus.ts';
import { failing, modulesWith, type PlantedFault } from '../checks/planted/plant.ts';
import { producerFaults } from '../checks/planted/producer-faults.ts';
import {
  type ProducerModules,
  producerCheckedOnBus,
  producerFiles,
  rotated,
} from '../checks/planted/producer-on-bus.ts';

/** A reference program, its faults, and how it is checked with one of them or without. */
interface Reference {
  readonly faults: readonly PlantedFault[];
  check(bus: CheckedBus, fault?: PlantedFault): Promise<readonly CaseReport[]>;
}

const references: Readonly<Record<CheckKind, Reference>> = {
  executor: {
    faults: executorFaults,
    check: async (bus, fault) =>
      (await checkedOnBus(bus, await modulesWith<ExecutorModules>(executorFiles, fault))).cases,
  },
  producer: {
    faults: producerFaults,
    check: async (bus, fault) => {
      const modules = await modulesWith<ProducerModules>(producerFiles, fault);
      const watched = await producerCheckedOnBus(bus, modules);
      return [...watched.cases, ...(await producerCheckedOnBus(bus, modules, [rotated])).cases];
    },
  },
  consumer: {
    faults: consumerFaults,
    check: async (bus, fault) =>
      consumerCheckedOnBus(bus, await modulesWith<ConsumerModules>(consumerFiles, fault)),
  },
};

const answered = executorPlan({ bindsFirstSeen: true })
  .cases.filter(({ steps }) => steps.some(({ expects }) => expects.warnings.length > 0))
  .map(({ id }) => id);

/** What the checks found of a planted fault on a whole bus, and what they should have found. */
interface Found {
  readonly fault: string;
  readonly isFound: boolean;
  readonly missed: readonly string[];
  readonly others: readonly string[];
}

const failedIn = (cases: readonly CaseReport[]): readonly string[] =>
  cases.filter(({ verdict }) => verdict === 'failed').map(({ case_id }) => case_id);

const differenceOf = (fault: PlantedFault, failed: readonly string[]): Found => {
  const expected = failing(fault, answered);
  const { mayDiffer = [] } = fault.onBus ?? {};
  const isMeant = (id: string) =>
    id === fault.meant || (mayDiffer !== 'all others' && !mayDiffer.includes(id));
  return {
    fault: fault.fault,
    isFound: failed.includes(fault.meant),
    missed: expected.filter(id => isMeant(id) && !failed.includes(id)),
    others: failed.filter(id => isMeant(id) && !expected.includes(id)),
  };
};

/**
 * Runs all checks on a reference program, and then with each of its planted faults: on a whole bus, with queues, tokens and a job that
 * drives the run. Responds with the faults whose failed cases are not those that are meant.
 */
export const checkPlanted = async (
  kind: CheckKind,
  count: number,
  tell: (found: Found) => void,
): Promise<{
  readonly faults: number;
  readonly isReferenceGood: boolean;
  readonly wrong: readonly Found[];
}> => {
  const reference = references[kind];
  const bus = await checkedBus();
  try {
    const isReferenceGood = failedIn(await reference.check(bus)).length === 0;
    const faults = reference.faults.slice(0, count);
    const wrong: Found[] = [];
    for (const fault of faults) {
      const found = differenceOf(fault, failedIn(await reference.check(bus, fault)));
      tell(found);
      if (!found.isFound || found.missed.length + found.others.length > 0) wrong.push(found);
    }
    return { faults: faults.length, isReferenceGood, wrong };
  } finally {
    await bus.close();
  }
};
