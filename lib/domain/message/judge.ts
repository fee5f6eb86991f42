import { type Violation, violation } from '../../contract/violation.ts';
import type { AcceptedId } from '../delivery/log.ts';
import { follow } from '../story/follow.ts';
import type { StoryState } from '../story/story-state.ts';
import type { Message } from './message.ts';

/** What the ledger knows that bears on a message. */
export interface KnownState {
  /** The accepted message with the same message_id. */
  readonly accepted?: AcceptedId;
  /** The story that the message is a snapshot of, as its last accepted snapshot left it. */
  readonly story?: StoryState;
}

export type Judgement =
  | {
      readonly kind: 'accept';
      readonly tolerated: readonly Violation[];
      /** story.context only: the state to store. */
      readonly story?: StoryState;
    }
  | { readonly kind: 'duplicate'; readonly accepted: AcceptedId }
  | { readonly kind: 'refuse'; readonly violations: readonly [Violation, ...Violation[]] };

const reused = violation(
  'message_id.reused',
  'An accepted message with other content has this message_id; give each message its own.',
  '/message_id',
);

/** Decides a well-formed, permitted message against what was accepted before: duplicates first, then the story's order. */
export const judge = (message: Message, { accepted, story }: KnownState): Judgement => {
  if (accepted !== undefined) {
    return accepted.contentHash === message.contentHash
      ? { kind: 'duplicate', accepted }
      : { kind: 'refuse', violations: [reused] };
  }
  if (message.story === undefined) return { kind: 'accept', tolerated: message.tolerated };
  const { refused, tolerated, state } = follow(story, message.story);
  const [first, ...rest] = refused;
  if (first !== undefined) return { kind: 'refuse', violations: [first, ...rest] };
  return { kind: 'accept', tolerated: [...message.tolerated, ...tolerated], story: state };
};
