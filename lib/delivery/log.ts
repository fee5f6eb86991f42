import { environments } from '../contract/environments.ts';
import { dayMilliseconds, limits } from '../contract/limits.ts';
import type { StoryState } from '../stories/story-state.ts';

/** The right to send a correlation's entries, until it is released or runs out. */
export interface Lease {
  readonly owner: string;
  /** Epoch milliseconds. */
  readonly until: number;
}

/** The head of one correlation_id's log. Entries are numbered from 1. */
export interface Head {
  /** Number of the last committed entry; 0 before the first. */
  readonly last: number;
  /** Number of the last entry that is in every queue. */
  readonly published: number;
  readonly lease?: Lease;
  /** `acceptedAt` of the last committed entry. */
  readonly lastAcceptedAt?: number;
  /** `acceptedAt` of the first entry that is not in every queue; an entry before it at the latest. */
  readonly unsentSince?: number;
}

export const emptyHead: Head = { last: 0, published: 0 };

/** Where one accepted message has to go: fixed when it is committed. */
export interface Target {
  readonly connection: string;
  readonly queue: string;
}

/** One accepted message in its correlation's log. */
export interface Entry {
  readonly workspace: string;
  readonly correlationId: string;
  readonly number: number;
  readonly messageId: string;
  readonly messageType: string;
  readonly systemId: string;
  /** Connection id of the producer. */
  readonly producer: string;
  /** Epoch milliseconds; never before that of the entry before it, whatever the clocks say. */
  readonly acceptedAt: number;
  /** Those that are not known to have it. */
  readonly targets: readonly Target[];
  /** The producer's exact bytes. */
  readonly body: Uint8Array;
}

/** What is known of a message_id that was accepted before. */
export interface AcceptedId {
  readonly messageId: string;
  readonly contentHash: string;
  readonly correlationId: string;
  readonly number: number;
  /** The owner that committed it, where that is known. */
  readonly attempt?: string;
}

/** A log with something left to send. */
export interface PendingLog {
  readonly workspace: string;
  readonly correlationId: string;
  /** Epoch milliseconds: its turn with the relay. */
  readonly nextTry: number;
}

/** How far a sender got with a log, and what it knows of the rest. */
export interface Progress {
  readonly published: number;
  /** The head's new `unsentSince`, where something is left. */
  readonly unsentSince: number;
  /** Epoch milliseconds: when the relay takes the rest on. */
  readonly nextTry: number;
}

/** The time whose leases are over for everybody, however the clocks differ: those that ended at it or before. */
export const takeoverTime = (now: number): number => now - limits.clockSkewMilliseconds;

/** Whether nobody holds a lease any more, or ever did. */
export const isFree = (lease: Lease | undefined, now: number): boolean =>
  lease === undefined || lease.until <= takeoverTime(now);

/** A lease that begins now. */
export const newLease = (owner: string, now: number): Lease => ({
  owner,
  until: now + limits.leaseMilliseconds,
});

/**
 * When the relay takes a log on again that did not move: the longer its oldest entry waits, the later, so that logs that
 * cannot be finished leave the others their turn.
 *
 * @param facts epoch milliseconds
 */
export const nextTry = ({ unsentSince, now }: { unsentSince: number; now: number }): number => {
  const { min, max } = limits.relayPauseMilliseconds;
  return now + Math.min(max, Math.max(min, Math.round((now - unsentSince) / 2)));
};

const shortestLife =
  Math.min(...Object.values(environments).map(({ archiveDays }) => archiveDays)) * dayMilliseconds;

/**
 * Whether an entry that is not there can have expired, judged by when the first unsent entry of its log was accepted: a
 * missing one in a younger log is a fault, and nothing that may be sent yet is given up.
 */
export const canHaveExpired = ({ unsentSince, now }: { unsentSince: number; now: number }): boolean =>
  unsentSince <= now - shortestLife;

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
  markExpired(log: Correlation, number: number): Promise<void>;
  /** Records which targets have an entry that others lack: `entries` leaves them out from then on. Repeating it changes nothing. */
  markDelivered(entry: Entry, connections: readonly string[]): Promise<void>;
  /** Records that a target's queue was gone. Repeating it changes nothing. */
  markSkipped(entry: Entry, connections: readonly string[]): Promise<void>;
}

export interface LedgerKey {
  readonly workspace: string;
  readonly messageId: string;
  readonly correlationId: string;
  readonly storyId?: string;
}

export interface LedgerState {
  readonly accepted?: AcceptedId;
  readonly head: Head;
  readonly story?: { readonly state: StoryState; readonly version: number };
}

export interface Commit {
  readonly entry: Entry;
  readonly contentHash: string;
  /** The owner that commits, to be found again in the ledger. */
  readonly attempt: string;
  /** The head that was read: the write holds only if it is unchanged. */
  readonly head: Head;
  /** Taken in the same write; absent when another sender holds it. */
  readonly lease?: Lease;
  /** The story's new state, and the version that was read (0: none). */
  readonly story?: { readonly state: StoryState; readonly version: number };
}

/** What stopped a commit: nothing of it was written. */
export interface CommitConflict {
  readonly id: boolean;
  readonly head: boolean;
  readonly story: boolean;
}

/** Which messages were accepted, in which order. */
export interface Ledger {
  /** Each part is strongly consistent; together they are no single moment. */
  read(key: LedgerKey): Promise<LedgerState>;
  /** All or nothing; undefined when it was written. A fault leaves open whether it was, or yet will be. */
  commit(commit: Commit): Promise<CommitConflict | undefined>;
}
