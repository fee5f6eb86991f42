import type { AcceptedId, Entry, Head, Lease } from '../domain/delivery/log.ts';
import type { StoryState } from '../domain/story/story-state.ts';

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
