import type { QueueReaders } from '../queue-readers.ts';

/** Makes and removes the queues of consumers. */
export interface QueueAdmin extends QueueReaders {
  /** Nobody but the bus sends to it or reads it. */
  create(queue: string): Promise<void>;
  remove(queue: string): Promise<void>;
  /** What an SQS client calls the queue. */
  url(queue: string): string;
}
