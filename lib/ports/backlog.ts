import type { PendingLog } from '../domain/delivery/log.ts';

/** The logs with something left to send, as the relay sees them: a moment late. */
export interface Backlog {
  /** Those that are pending since `until` or longer, the longest first; `most` of them. */
  oldest(until: number, most: number): Promise<readonly PendingLog[]>;
  count(): Promise<number>;
}
