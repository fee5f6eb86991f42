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
