/** What the ledger remembers of a story's last accepted snapshot: all that the sequence rules compare. */
export interface StoryState {
  readonly storyId: string;
  readonly sequenceNumber: number;
  /** RFC 3339, as the producer wrote it. */
  readonly updatedAt: string;
  readonly storyType: string;
  /** Top-level member names of the payload. */
  readonly members: readonly string[];
  /** asset_id → the asset_type it was first seen with; keeps every asset ever seen. */
  readonly assetTypes: Readonly<Record<string, string>>;
  /** asset_ids of the last snapshot. */
  readonly assets: readonly string[];
}
