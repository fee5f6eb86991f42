/** One asset, as far as the sequence rules care. */
export interface StoryAsset {
  readonly id: string;
  /** The asset_type it was first seen with. */
  readonly type: string;
}

/**
 * What the ledger remembers of a story's last accepted snapshot: all that the sequence rules compare. Every part
 * of it comes out of that one message and is kept once, so it takes no more room than the message (240,000
 * bytes) plus about 15 bytes an asset; and as no snapshot may drop an asset, these are also all assets ever seen.
 * A version of the service that adds a member reads states without it: new members are optional.
 */
export interface StoryState {
  readonly storyId: string;
  readonly sequenceNumber: number;
  /** RFC 3339, as the producer wrote it. */
  readonly updatedAt: string;
  readonly storyType: string;
  /** Top-level member names of the payload. */
  readonly members: readonly string[];
  readonly assets: readonly StoryAsset[];
}
