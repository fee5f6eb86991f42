import type { Entry } from './log.ts';

/** The sending side of consumers' queues. */
export interface Queues {
  /** Puts an entry into one queue, as part of a replay where that is given; `gone` when there is no such queue. */
  send(queue: string, entry: Entry, replay?: string): Promise<'sent' | 'gone'>;
}

/**
 * What a queue tells repeated sends of an entry by, for five minutes. The same on every try; a replay has its own, so that
 * the window cannot swallow what it sends again.
 */
export const deduplicationId = ({ messageId }: Entry, replay?: string): string =>
  replay === undefined ? messageId : `${replay}.${messageId}`;

/**
 * Queues of which one whose sends failed so often is left alone from then on: a send to it fails at once, with its last
 * fault. What hangs would otherwise use up the time of the others.
 */
export const circuitBreaker = (queues: Queues, mostFaults: number): Queues => {
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
