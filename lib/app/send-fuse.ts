import type { Queues } from '../ports/queues.ts';

/**
 * Queues of which one whose sends failed so often is left alone from then on: a send to it fails at once, with its last
 * fault. What hangs would otherwise use up the time of the others.
 */
export const sendFuse = (queues: Queues, mostFaults: number): Queues => {
  const seen = new Map<string, { readonly count: number; readonly fault: unknown }>();
  return {
    async send(queue, ...rest) {
      const before = seen.get(queue);
      if (before && before.count >= mostFaults) throw before.fault;
      try {
        return await queues.send(queue, ...rest);
      } catch (fault) {
        seen.set(queue, { count: (seen.get(queue)?.count ?? 0) + 1, fault });
        throw fault;
      }
    },
  };
};
