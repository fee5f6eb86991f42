/** Where a record's body stands on disk. Compaction moves bodies: the journal rewrites `file` and `offset`. */
export interface StoredBody {
  /** The record's number in append order since the start; 0 for what recovery found. */
  readonly position: number;
  readonly length: number;
  file: string;
  offset: number;
}

/** A record of a snapshot: what `append` would have been given, with a body that is already stored. */
export interface SnapshotRecord {
  readonly meta: object;
  readonly body?: StoredBody;
}

/** Takes up a recovered record, in the order of appending. */
export type ApplyRecord = (meta: unknown, body: StoredBody) => void;
