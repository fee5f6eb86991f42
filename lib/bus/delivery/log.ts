import { environments } from '../../contract/environments.ts';
import { dayMilliseconds, limits } from '../../contract/limits.ts';
import type { StoryState } from '../../som/stories/sequence-rules.ts';

export interface Correlation {
  readonly workspace: string;
  readonly correlationId: string;
}

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
  readonly lastAcceptedAt?: number;
  /** `acceptedAt` of the first entry that is not in every queue, or of an earlier one. */
  readonly unsentSince?: number;
}

export const emptyHead: Head = { last: 0, published: 0 };

/** A consumer that must get an accepted message: fixed when the message is committed. */
export interface Target {
  readonly connection: string;
  readonly queue: string;
}

export interface Entry extends Correlation {
  readonly number: number;
  readonly messageId: string;
  readonly messageType: string;
  readonly systemId: string;
  readonly producer: string;
  /** Epoch milliseconds; never earlier than that of the previous entry, even if clocks differ. */
  readonly acceptedAt: number;
  readonly targets: readonly Target[];
  readonly isOfRun?: true;
  /** The trace that its publish belongs to (W3C Trace Context): for those who read a queue. */
  readonly traceparent?: string;
  /** The producer's exact bytes. */
  readonly body: Uint8Array;
}

/** What is kept in memory of many entries: bodies have up to 240 KB each. */
export type EntryWithoutBody = Omit<Entry, 'body'>;

/** Whether an accepted message is for a connection. */
export const isTarget = ({ targets }: Pick<Entry, 'targets'>, connection: string): boolean =>
  targets.some(target => target.connection === connection);

export type EntryFacts = Pick<
  Entry,
  'correlationId' | 'number' | 'messageId' | 'messageType' | 'producer' | 'acceptedAt' | 'isOfRun'
>;

/**
 * Whether a message went to one of its targets: `waiting` for earlier ones or the relay; `skipped`:
 * its queue was gone.
 */
export interface Placement {
  readonly connection: string;
  readonly state: 'waiting' | 'queued' | 'skipped';
}

export interface Acceptance {
  readonly entry: Entry;
  readonly placements: readonly Placement[];
  /** The first message of its log that is not in every queue: what a waiting one waits for. */
  readonly firstUnsent?: string;
}

export interface Acceptances {
  find(workspace: string, messageId: string): Promise<Acceptance | undefined>;
  storyOf(
    workspace: string,
    storyId: string,
  ): Promise<(KnownStory & { readonly correlationId: string }) | undefined>;
}

export interface AcceptedId {
  readonly messageId: string;
  readonly bodyHash: string;
  readonly correlationId: string;
  readonly number: number;
  readonly attempt: string;
}

export interface PendingLog extends Correlation {
  /** Epoch milliseconds: when the relay sends it. */
  readonly dueAt: number;
}

export interface Progress {
  readonly published: number;
  /** The head's new `unsentSince`, if entries are left. */
  readonly unsentSince: number;
  /** Epoch milliseconds: when the relay sends the rest. */
  readonly dueAt: number;
}

/** A lease that ended at or before this time is over for every clock, despite clock differences. */
export const takeoverTime = (now: number): number => now - limits.clockSkewMilliseconds;

/** Whether a lease may be taken: there is none, or it is over. */
export const isFree = (lease: Lease | undefined, now: number): boolean =>
  lease === undefined || lease.until <= takeoverTime(now);

export const newLease = (owner: string, now: number): Lease => ({
  owner,
  until: now + limits.leaseMilliseconds,
});

/**
 * When the relay retries a log that made no progress. The longer its oldest entry has waited, the
 * longer the pause, so that logs that cannot be finished do not hold up the others.
 *
 * @param facts epoch milliseconds
 */
export const nextDue = ({ unsentSince, now }: { unsentSince: number; now: number }): number => {
  const { min, max } = limits.relayPauseMilliseconds;
  return now + Math.min(max, Math.max(min, Math.round((now - unsentSince) / 2)));
};

const shortestArchiveMilliseconds =
  Math.min(...Object.values(environments).map(({ archiveDays }) => archiveDays)) * dayMilliseconds;

/**
 * Whether a missing entry can have expired, judged by when the first unsent entry of its log was
 * accepted. In a younger log, a missing entry is an error: the bus never gives up an entry that can
 * still be sent.
 */
export const canHaveExpired = ({
  unsentSince,
  now,
}: {
  unsentSince: number;
  now: number;
}): boolean => unsentSince <= now - shortestArchiveMilliseconds;

export interface Log {
  head(log: Correlation): Promise<Head>;
  /**
   * The entries from `from` to `to` (inclusive), in order; at most the first
   * `limits.entriesPerPage`.
   */
  entries(log: Correlation, from: number, to: number): Promise<readonly Entry[]>;
  /**
   * Takes the lease if it is free, over (see `takeoverTime`) or an earlier one of the same owner,
   * and returns the head. Undefined if another sender holds it or nothing is left to send.
   */
  acquire(log: Correlation, lease: Lease, now: number): Promise<Head | undefined>;
  /** Moves `published` and releases the lease; false if the lease was lost. */
  release(log: Correlation, lease: Lease, progress: Progress): Promise<boolean>;
  /**
   * Records that an entry expired unsent; at most the first `limits.lostNumbers` of a log.
   * Repeating it changes nothing.
   */
  markExpired(log: Correlation, number: number): Promise<void>;
  /**
   * Records which targets have an entry that others lack: `entries` omits them from then on.
   * Repeating it changes nothing.
   */
  markDelivered(entry: Entry, connections: readonly string[]): Promise<void>;
  /** Records which targets no longer had a queue. Repeating it changes nothing. */
  markSkipped(entry: Entry, connections: readonly string[]): Promise<void>;
}

export interface LedgerKey extends Correlation {
  readonly messageId: string;
  readonly storyId?: string;
}

/**
 * Guests that may read the last snapshot of a story: they sent it, or it was for one of their
 * consumers.
 */
export interface GuestReaders {
  readonly organisations: readonly string[];
  /** Epoch milliseconds: a guest reads nothing that is older than its invitation. */
  readonly acceptedAt: number;
}

export interface StoredStory {
  readonly state: StoryState;
  readonly version: number;
  readonly guestReaders?: GuestReaders;
  /** When somebody last started the story over; epoch milliseconds. */
  readonly startedOverAt?: number;
}

/**
 * A story as the ledger has it: without a state after it was started over, until the next snapshot.
 */
export type KnownStory = Omit<StoredStory, 'state'> & Partial<Pick<StoredStory, 'state'>>;

export interface Stories {
  /**
   * Forgets the last snapshot of a story: the next one counts as the first. False if none is known,
   * or if the story has another version by then.
   */
  startOver(
    workspace: string,
    storyId: string,
    at: { version: number; now: number },
  ): Promise<boolean>;
}

export interface LedgerState {
  readonly accepted?: AcceptedId;
  readonly head: Head;
  readonly story?: KnownStory;
}

export interface Commit {
  readonly entry: Entry;
  readonly bodyHash: string;
  /** The owner that commits, so that it finds its own commit if the response was lost. */
  readonly attempt: string;
  readonly head: Head;
  /** Taken in the same write; absent when another sender holds it. */
  readonly lease?: Lease;
  /** The story's new state, and the version that was read (0: no story yet). */
  readonly story?: StoredStory;
}

export interface CommitConflict {
  readonly id: boolean;
  readonly head: boolean;
  readonly story: boolean;
}

export interface LedgerView {
  /** Each part is strongly consistent, but the parts are not read at the same moment. */
  read(key: LedgerKey): Promise<LedgerState>;
  /** The body of an accepted message; undefined if it is no longer kept. */
  bodyOf(accepted: AcceptedId & Correlation): Promise<Uint8Array | undefined>;
}

export interface Ledger extends LedgerView {
  /**
   * All or nothing; undefined if it was written. After an error, it may have been written, or may
   * be written later.
   */
  commit(commit: Commit): Promise<CommitConflict | undefined>;
}
