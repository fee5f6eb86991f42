import type { CheckKind, ReportResponse } from '../../../lib/contract/portal/checks.ts';
import { type RoleName, roleNames } from '../../../lib/kit/newsroom/roles.ts';
import type { CheckedBus } from '../checked-bus.ts';
import { checkedOnBus, type ExecutorModules, executorFiles } from './executor-on-bus.ts';
import { modulesWith } from './plant.ts';
import { type SystemModules, systemCheckedOnBus, systemFiles } from './system-on-bus.ts';

interface GoodRun {
  readonly role: RoleName;
  readonly side: CheckKind;
}

/** What each system of the newsroom has to prove itself as; only the skill worker runs skills. */
export const goodRuns: readonly GoodRun[] = [
  ...roleNames.flatMap(role => [
    { role, side: 'consumer' as const },
    { role, side: 'producer' as const },
  ]),
  { role: 'skill', side: 'executor' },
];

/** Plays every case on a system without a fault, and says what it is. */
export const playGood = async (
  bus: CheckedBus,
  role: RoleName,
  side: CheckKind,
): Promise<ReportResponse> => {
  if (side === 'executor')
    return checkedOnBus(bus, await modulesWith<ExecutorModules>(executorFiles), [], role);
  const modules = await modulesWith<SystemModules>(systemFiles);
  return systemCheckedOnBus(bus, modules, { role, side, hasRole: true });
};
