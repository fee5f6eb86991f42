import type { Entry } from './log.ts';

/** The sending side of consumers' queues. */
export interface Queues {
  /**
   * Puts an entry into one queue; `gone` when there is no such queue.
   *
   * @param replay the id of the replay that sends it, if one does
   */
  send(queue: string, entry: Entry, replay?: string): Promise<'sent' | 'gone'>;
}

/**
 * The id by which a queue recognises a repeated send, for five minutes. It is the same on every try. A replay has its own, so
 * that the queue does not drop what the replay sends again.
 */
export const deduplicationId = ({ messageId }: Entry, replay?: string): string =>
  replay === undefined ? messageId : `${replay}.${messageId}`;

/**
 * Stops sending to a queue after `maxFaults` failed sends: from then on a send to it fails at once, with the last fault. A queue
 * that hangs would otherwise use up the time of the others.
 */
export const circuitBreaker = (queues: Queues, maxFaults: number): Queues => {
  const seen = new Map<string, { readonly count: number; readonly fault: unknown }>();
  return {
    async send(queue, ...rest) {
      const before = seen.get(queue);
      if (before && before.count >= maxFaults) throw before.fault;
      try {
        return await queues.send(queue, ...rest);
      } catch (fault) {
        seen.set(queue, { count: (seen.get(queue)?.count ?? 0) + 1, fault });
        throw fault;
      }
    },
  };
};
