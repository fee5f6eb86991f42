import type { Clock } from '../../contract/outside.ts';
import type { Entry } from './log.ts';

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
  readonly inFlight: number;
}

/** All that SQS tells about a queue's messages without receiving them. */
export interface QueueDepths {
  depth(queue: string): Promise<QueueDepth | undefined>;
}

/** Since when a queue holds what it holds. */
export interface HeldMessages {
  /**
   * A time (epoch milliseconds) before which nothing was sent that a queue still holds; undefined
   * if SQS says nothing of it.
   */
  heldSince(queue: string): Promise<number | undefined>;
}

/**
 * The id by which a queue recognises a repeated send, for five minutes. It is the same for every
 * try. A replay uses a different one, so that the queue does not drop what the replay sends again.
 */
export const deduplicationId = ({ messageId }: Entry, replay?: string): string =>
  replay === undefined ? messageId : `${replay}.${messageId}`;

/** A send that was not tried, because the queue failed a moment ago; the cause is how. */
export class BrokenQueue extends Error {}

interface Breaking {
  readonly clock: Clock;
  readonly maxErrors: number;
  readonly milliseconds: number;
}

/**
 * Sends to a broken queue fail at once: a queue that hangs would otherwise use up the time, and the
 * functions, of all others.
 */
export const circuitBreaker = (
  queues: Queues,
  { clock, maxErrors, milliseconds }: Breaking,
): Queues => {
  const failing = new Map<string, { count: number; at: number; error: unknown }>();
  return {
    async send(queue, ...rest) {
      const before = failing.get(queue);
      if (before && before.count >= maxErrors && clock.now() < before.at + milliseconds)
        throw new BrokenQueue('The queue failed a moment ago.', { cause: before.error });

      try {
        const result = await queues.send(queue, ...rest);
        failing.delete(queue);
        return result;
      } catch (error) {
        failing.set(queue, { count: (before?.count ?? 0) + 1, at: clock.now(), error });
        throw error;
      }
    },
  };
};
