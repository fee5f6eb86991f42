import type { Entry } from './log.ts';

/** The sending side of consumers' queues. */
export interface Queues {
  /**
   * Puts an entry into one queue; `gone` if the queue does not exist.
   *
   * @param replay the id of the replay that sends it, if one does
   */
  send(queue: string, entry: Entry, replay?: string): Promise<'sent' | 'gone'>;
}

/** How many messages a queue holds, approximately: SQS counts them within about a minute. */
export interface QueueDepth {
  readonly visible: number;
  /** Received and not acknowledged: hidden until their visibility ends. */
  readonly inFlight: number;
}

/** All that SQS tells about a queue's messages without receiving them. */
export interface QueueDepths {
  /** Undefined if the queue does not exist. */
  depth(queue: string): Promise<QueueDepth | undefined>;
}

/**
 * The id by which a queue recognises a repeated send, for five minutes. It is the same for every try. A replay uses a different
 * one, so that the queue does not drop what the replay sends again.
 */
export const deduplicationId = ({ messageId }: Entry, replay?: string): string =>
  replay === undefined ? messageId : `${replay}.${messageId}`;

/**
 * Stops sending to a queue after `maxFaults` failed sends: further sends to it fail immediately, with the last fault. A queue
 * that hangs would otherwise use up the others' time.
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
