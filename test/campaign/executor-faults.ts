import { executorPlan } from '../../lib/checks/executor-plan.ts';
import { checkedBus } from '../checks/checked-bus.ts';
import { executorFaults } from '../checks/planted/executor-faults.ts';
import { checkedOnBus } from '../checks/planted/executor-on-bus.ts';
import { type ExecutorModules, executorFiles } from '../checks/planted/executor-on-paper.ts';
import { modulesWith, type PlantedFault } from '../checks/planted/plant.ts';

const answered = executorPlan({ bindsFirstSeen: true })
  .cases.filter(({ steps }) => steps.some(({ expects }) => expects.warnings.length > 0))
  .map(({ id }) => id);

const wanted = ({ meant, also }: PlantedFault): readonly string[] => {
  const others = also?.cases ?? [];
  return [...new Set([meant, ...(typeof others === 'string' ? answered : others)])].sort();
};

/** What the checks found of a planted fault on a whole bus, and what they should have found. */
interface Found {
  readonly fault: string;
  readonly isFound: boolean;
  readonly missed: readonly string[];
  readonly others: readonly string[];
}

const differenceOf = (fault: PlantedFault, failed: readonly string[]): Found => {
  const expected = wanted(fault);
  return {
    fault: fault.fault,
    isFound: failed.includes(fault.meant),
    missed: expected.filter(id => !failed.includes(id)),
    others: failed.filter(id => !expected.includes(id)),
  };
};

/**
 * Runs all checks on the reference executor, and then with each of its planted faults: on a whole bus, with queues, tokens and a job that
 * drives the run. Answers with the faults whose failed cases are not those that are meant.
 */
export const checkPlantedExecutors = async (
  count: number,
  tell: (found: Found) => void,
): Promise<{
  readonly faults: number;
  readonly isReferenceGood: boolean;
  readonly wrong: readonly Found[];
}> => {
  const bus = await checkedBus();
  try {
    const reference = await checkedOnBus(bus, await modulesWith<ExecutorModules>(executorFiles));
    const faults = executorFaults.slice(0, count);
    const wrong: Found[] = [];
    for (const fault of faults) {
      const report = await checkedOnBus(bus, await modulesWith<ExecutorModules>(executorFiles, fault));
      const failed = report.cases.filter(({ verdict }) => verdict === 'failed').map(({ case_id }) => case_id);
      const found = differenceOf(fault, failed);
      tell(found);
      if (!found.isFound || found.missed.length + found.others.length > 0) wrong.push(found);
    }
    return { faults: faults.length, isReferenceGood: reference.passed, wrong };
  } finally {
    await bus.close();
  }
};
