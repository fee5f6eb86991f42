import type { PendingLog } from '../domain/delivery/log.ts';

/** The logs with something left to send, as the relay sees them: a moment late. */
export interface Backlog {
  /** Those whose turn came at `until` or before, the longest ago first; `most` of them. */
  due(until: number, most: number): Promise<readonly PendingLog[]>;
  /** When the oldest unsent entry was accepted, of the `most` logs whose turn comes first; undefined where there is none. */
  unsentSince(most: number): Promise<number | undefined>;
  count(): Promise<number>;
}
