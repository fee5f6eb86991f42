import { type Refusal, refused, type Violation, violation } from '../contract/refusals.ts';
import type { DeliveryFault } from '../delivery/deliver.ts';
import type { AcceptedId, Ledger, LedgerState } from '../delivery/log.ts';
import { type Message, readMessage } from '../messages/read-message.ts';
import type { Connection } from '../registry/connection.ts';
import { checkGrants } from '../registry/permissions.ts';
import { follow } from '../stories/sequence-rules.ts';
import type { StoryState } from '../stories/story-state.ts';

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

/** The message of some bytes, when they are one that this connection may send. */
export const examine = (
  body: Uint8Array,
  connection: Connection,
): { readonly kind: 'read'; readonly message: Message } | Refusal => {
  const reading = readMessage(body);
  if (!reading.ok) return refused(...reading.violations);
  const [first, ...rest] = checkGrants(reading.message, connection);
  return first ? refused(first, ...rest) : { kind: 'read', message: reading.message };
};

/** What the ledger knows of a message, and what follows from it. */
export interface Consultation {
  readonly state: LedgerState;
  readonly judgement: Judgement;
}

const look = async (ledger: Ledger, workspace: string, message: Message): Promise<Consultation> => {
  const { messageId, correlationId, story } = message;
  const state = await ledger.read({
    workspace,
    messageId,
    correlationId,
    ...(story ? { storyId: story.storyId } : {}),
  });
  const judgement = judge(message, {
    ...(state.accepted ? { accepted: state.accepted } : {}),
    ...(state.story ? { story: state.story.state } : {}),
  });
  return { state, judgement };
};

/**
 * Decides a message on what the ledger knows now. The parts of a read are not one moment: a twin of this very message
 * may have been committed between them, and a snapshot would then be refused because of itself. So a refusal
 * counts only when the message is still unknown after it.
 */
export const consult = async (ledger: Ledger, workspace: string, message: Message): Promise<Consultation> => {
  const first = await look(ledger, workspace, message);
  if (first.judgement.kind !== 'refuse' || first.state.accepted) return first;
  const second = await look(ledger, workspace, message);
  return second.state.accepted ? second : first;
};

/** What publishing and the dry run answer. The message is there for its identifiers, where the bytes had any. */
export type Verdict =
  | { readonly kind: 'accepted'; readonly message: Message; readonly tolerated: readonly Violation[] }
  | { readonly kind: 'duplicate'; readonly message: Message }
  | (Refusal & {
      readonly message?: Message;
      /** The last of what is behind a `bus.publish_failed`, for the log. */
      readonly fault?: DeliveryFault;
    });

/** The dry run: every check of a publish, in the same order, and nothing recorded or sent. */
export const validate =
  (ports: { readonly ledger: Ledger }) =>
  async (body: Uint8Array, connection: Connection): Promise<Verdict> => {
    const examined = examine(body, connection);
    if (examined.kind === 'refused') return examined;
    const { message } = examined;
    const { judgement } = await consult(ports.ledger, connection.workspace, message);
    switch (judgement.kind) {
      case 'duplicate':
        return { kind: 'duplicate', message };
      case 'refuse':
        return { ...refused(...judgement.violations), message };
      case 'accept':
        return { kind: 'accepted', message, tolerated: judgement.tolerated };
    }
  };
