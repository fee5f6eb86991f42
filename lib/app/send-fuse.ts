import type { Queues } from '../ports/queues.ts';

/**
 * Queues of which one whose sends failed so often is left alone from then on: a send to it fails at once. What hangs would
 * otherwise use up the time of the others.
 */
export const sendFuse = (queues: Pick<Queues, 'send'>, mostFaults: number): Pick<Queues, 'send'> => {
  const faults = new Map<string, number>();
  return {
    async send(queue, ...rest) {
      const before = faults.get(queue) ?? 0;
      if (before >= mostFaults)
        throw new Error(`The queue ${queue} failed ${before} times and is left alone.`);
      try {
        return await queues.send(queue, ...rest);
      } catch (fault) {
        faults.set(queue, (faults.get(queue) ?? 0) + 1);
        throw fault;
      }
    },
  };
};
