import type { Entry } from '../../../lib/bus/delivery/log.ts';
import { deduplicationId, type Queues } from '../../../lib/bus/delivery/queues.ts';
import type { Clock } from '../../../lib/contract/outside.ts';
import { SimQueue } from '../../simulation/sim-queue.ts';

/** A send that was answered `sent`; the queue may have dropped it as a repetition. */
export interface Sent {
  readonly queue: string;
  readonly messageId: string;
  readonly replay?: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

interface QueuesOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** The queues that exist; all others are gone. */
  readonly existing?: readonly string[];
  /** Called first by every send: it may take its time, throw, or answer that the queue is gone. */
  readonly before?: (
    queue: string,
    entry: Entry,
  ) => Promise<'gone' | undefined> | 'gone' | undefined;
}

/** Consumers' queues in memory. A test may look into `queues`, and add and remove some. */
export const queuesInMemory = ({ clock, existing = [], before }: QueuesOptions) => {
  const queues = new Map(existing.map(name => [name, new SimQueue()]));
  const sent: Sent[] = [];
  const port: Queues = {
    async send(queue, entry, replay) {
      const instead = await before?.(queue, entry);
      const target = queues.get(queue);
      if (instead === 'gone' || target === undefined) return 'gone';
      const at = clock.now();
      const facts = { at, ...(replay === undefined ? {} : { replay }) };
      target.send(entry, { ...facts, deduplicationId: deduplicationId(entry, replay) });
      sent.push({ queue, messageId: entry.messageId, ...facts });
      return 'sent';
    },
  };
  return { port, queues, sent };
};
