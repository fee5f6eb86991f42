import type { UsagePlans } from '../../../lib/access/registry/ports.ts';
import type { Quota, Tier } from '../../../lib/contract/limits.ts';

/** Which plan each connection's key is on. */
export const usagePlansInMemory = () => {
  const plans = new Map<string, Tier | Quota>();
  const port: UsagePlans = {
    assign: async (connection, quota) => void plans.set(connection, quota),
    usedToday: async () => undefined,
    remove: async connection => void plans.delete(connection),
  };
  return { port, plans };
};
