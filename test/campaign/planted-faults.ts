import { executorPlan } from '../../lib/checks/plans.ts';
import type { CaseReport, CheckKind } from '../../lib/contract/portal/checks.ts';
import { checkedBus } from '../checks/checked-bus.ts';
import { checksOnBus } from '../checks/planted/on-bus.ts';
import { failing, type PlantedFault, planted } from '../checks/planted/plant.ts';
import { rotated } from '../checks/planted/producer-on-bus.ts';

const answered = executorPlan(true)
  .filter(({ steps }) => steps.some(({ expects }) => (expects?.warnings.length ?? 0) > 0))
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
 * Runs all checks on a reference program, and then with each of its planted faults: on a whole bus,
 * with queues, tokens and a job that drives the run. Responds with the faults whose failed cases
 * are not those that are meant.
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
  const bus = await checkedBus();
  const checked = checksOnBus(bus)[kind];
  /**
   * The ids of the cases that fail; of a producer, the one about a rotated secret is run by itself.
   */
  const check = async (fault?: PlantedFault): Promise<readonly string[]> => [
    ...failedIn(await checked(fault)),
    ...(kind === 'producer' ? failedIn(await checked(fault, [rotated])) : []),
  ];
  try {
    const isReferenceGood = (await check()).length === 0;
    const faults = planted[kind].slice(0, count);
    const wrong: Found[] = [];
    for (const fault of faults) {
      const found = differenceOf(fault, await check(fault));
      tell(found);
      if (!found.isFound || found.missed.length + found.others.length > 0) wrong.push(found);
    }
    return { faults: faults.length, isReferenceGood, wrong };
  } finally {
    await bus.close();
  }
};
