/** How setting the readers of a queue ended; `refused`: AWS does not know one of the roles, and nothing was changed. */
export type ReadersSet = 'set' | 'refused' | 'gone';

/** Who may read a consumer's queue with an SQS client of their own. */
export interface QueueReaders {
  /** Lets these roles read, by their ARNs, and nobody else but the bus; in force within a minute. */
  letRead(queue: string, roleArns: readonly string[]): Promise<ReadersSet>;
}
