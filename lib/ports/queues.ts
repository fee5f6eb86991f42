import type { Entry } from '../domain/delivery/log.ts';

/** The sending side of consumers' queues. */
export interface Queues {
  /** Puts an entry into one queue, as part of a replay where that is given; `gone` when there is no such queue. */
  send(queue: string, entry: Entry, replay?: string): Promise<'sent' | 'gone'>;
}
