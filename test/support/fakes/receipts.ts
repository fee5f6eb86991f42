import type { ReceiptGroup, Receipts } from '../../../lib/bus/consuming/receipts.ts';
import { limits } from '../../../lib/contract/limits.ts';
import type { Clock } from '../../../lib/contract/outside.ts';
import type { SimLedger } from '../../simulation/sim-ledger.ts';

const keptMilliseconds = limits.receiptsKeptSeconds * 1000;

const together = (some: readonly number[] = [], more: readonly number[]) => [
  ...new Set([...some, ...more]),
];

/** The receipts of a ledger in memory. */
export const receiptsIn = (
  { groups }: Pick<SimLedger, 'groups'>,
  clock: Pick<Clock, 'now'>,
): Receipts => {
  /** Changes a group that is not blocked from a position or an earlier one. */
  const change = (
    key: string,
    unblockedTo: number,
    to: (group: ReceiptGroup) => ReceiptGroup | undefined,
  ) => {
    const group = groups.get(key);
    const isBlocked = (group?.blockedFrom ?? Number.POSITIVE_INFINITY) <= unblockedTo;
    const changed = group && !isBlocked ? to(group) : undefined;
    if (changed) groups.set(key, changed);
    return changed !== undefined;
  };
  return {
    save: async (connection, saved) => {
      for (const group of saved) groups.set(`${connection}#${group.id}`, group);
    },
    find: async (connection, ids) =>
      ids
        .flatMap(id => groups.get(`${connection}#${id}`) ?? [])
        .filter(({ until }) => until + keptMilliseconds > clock.now()),
    acknowledge: async (connection, id, positions) =>
      change(`${connection}#${id}`, Math.max(...positions), group => ({
        ...group,
        acknowledged: together(group.acknowledged, positions),
      })),
    block: async (connection, id, positions) =>
      change(`${connection}#${id}`, Math.min(...positions), group =>
        positions.some(position => group.acknowledged?.includes(position))
          ? undefined
          : { ...group, blockedFrom: Math.min(...positions) },
      ),
    markReturned: async (connection, id, positions) =>
      void change(`${connection}#${id}`, -1, group => ({
        ...group,
        returned: together(group.returned, positions),
      })),
  };
};
