import type { Family } from '../../contract/message-types.ts';
import type { Violation } from '../../contract/violation.ts';
import type { StoryState } from '../story/story-state.ts';

/** A message whose bytes, schema and policy have been checked. */
export interface Message {
  readonly messageId: string;
  readonly messageType: string;
  readonly correlationId: string;
  readonly systemId: string;
  /** The schema that checked the payload; null when SOM 1.0 has none for this type. */
  readonly family: Family | null;
  readonly tolerated: readonly Violation[];
  /** SHA-256 of the RFC 8785 canonical form, base64url: equal for equal content, however it is serialised. */
  readonly contentHash: string;
  /** story.context only: the snapshot as the sequence rules see it. What to store is in the judgement, not here. */
  readonly story?: StoryState;
}
