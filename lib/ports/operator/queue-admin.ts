/** Makes and removes the queues of consumers. */
export interface QueueAdmin {
  create(queue: string): Promise<void>;
  remove(queue: string): Promise<void>;
  /** What an SQS client calls the queue. */
  url(queue: string): string;
}
