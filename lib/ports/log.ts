import type { Entry, Head, Lease, Progress } from '../domain/delivery/log.ts';

/** Names one log. */
export interface Correlation {
  readonly workspace: string;
  readonly correlationId: string;
}

/** The part of the ledger that delivery works on. */
export interface Log {
  head(log: Correlation): Promise<Head>;
  /** The entries `from`..`to` in order, both included: the first `limits.entriesPerPage` of them at most. */
  entries(log: Correlation, from: number, to: number): Promise<readonly Entry[]>;
  /**
   * Takes a lease that is free, over (see `takeoverTime`) or the owner's own earlier one, and gives the head as it is then; undefined
   * when somebody else holds it or nothing is left to send.
   */
  acquire(log: Correlation, lease: Lease, now: number): Promise<Head | undefined>;
  /** Moves `published` and gives the lease back; false when the lease was lost. */
  release(log: Correlation, lease: Lease, progress: Progress): Promise<boolean>;
  /** Records that an entry is not there any more, and that nobody will get it: the first `limits.lostNumbers` of a log. Repeating it changes nothing. */
  lose(log: Correlation, number: number): Promise<void>;
  /** Records which targets have an entry that others lack: `entries` leaves them out from then on. Repeating it changes nothing. */
  reach(entry: Entry, connections: readonly string[]): Promise<void>;
  /** Records that a target's queue was gone. Repeating it changes nothing. */
  skip(entry: Entry, connections: readonly string[]): Promise<void>;
}
