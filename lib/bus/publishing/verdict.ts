import type { Connection } from '../../access/registry/connection.ts';
import { checkGrants, isSubscribed } from '../../access/registry/permissions.ts';
import { limits } from '../../contract/limits.ts';
import { defined } from '../../contract/outside.ts';
import { type Refusal, refused, type Violation, violation } from '../../contract/refusals.ts';
import { isSameContent } from '../../platform/json/canonical-form.ts';
import { type ClaimedNames, type Message, readMessage } from '../../som/messages/read-message.ts';
import { follow, type StoryState } from '../../som/stories/sequence-rules.ts';
import type { DeliveryError } from '../delivery/deliver.ts';
import type {
  AcceptedId,
  Correlation,
  Entry,
  GuestReaders,
  LedgerState,
  LedgerView,
  StoredStory,
  Target,
} from '../delivery/log.ts';

export type Judgement =
  | {
      readonly kind: 'accept';
      readonly tolerated: readonly Violation[];
      readonly story?: StoryState;
    }
  | { readonly kind: 'duplicate'; readonly accepted: AcceptedId }
  | { readonly kind: 'refuse'; readonly violations: readonly [Violation, ...Violation[]] };

const reused = violation(
  'message_id.reused',
  'An accepted message with different content has this message_id; give each message its own.',
  '/message_id',
);

/**
 * Decides a valid, permitted message by what was accepted before: duplicates first, then the
 * sequence rules of its story.
 */
export const judge = (
  message: Message,
  {
    accepted,
    story,
    readsLast,
  }: {
    accepted?: (AcceptedId & { sameContent: boolean }) | undefined;
    story?: StoryState | undefined;
    /** Whether its sender may read the last snapshot of the story. */
    readsLast: boolean;
  },
): Judgement => {
  if (accepted !== undefined) {
    if (accepted.sameContent) return { kind: 'duplicate', accepted };
    return { kind: 'refuse', violations: [reused] };
  }
  if (message.story === undefined) return { kind: 'accept', tolerated: message.tolerated };

  const { refused, tolerated, state } = follow(story, message.story, { readsLast });
  const [first, ...rest] = refused;
  if (first !== undefined) return { kind: 'refuse', violations: [first, ...rest] };

  const reported = [...message.tolerated, ...tolerated].slice(0, limits.violationsReported);
  return { kind: 'accept', tolerated: reported, story: state };
};

export const examine = (
  body: Uint8Array,
  connection: Connection,
): { kind: 'read'; message: Message } | RefusedVerdict => {
  const reading = readMessage(body);
  if (!reading.ok)
    return { ...refusedVerdict(refused(...reading.violations)), named: reading.named ?? {} };

  const { message } = reading;
  const [first, ...rest] = checkGrants(message, connection);
  if (first) return { ...refusedVerdict(refused(first, ...rest)), named: message };
  return { kind: 'read', message };
};

export interface Consultation {
  readonly state: LedgerState;
  readonly judgement: Judgement;
}

/**
 * Whether an accepted message says the same as one with its message_id. A retry nearly always has
 * the same bytes; only other bytes are compared by content (RFC 8785).
 */
const hasContentOf = async (
  ledger: LedgerView,
  accepted: AcceptedId & Correlation,
  message: Message,
) => {
  if (accepted.bodyHash === message.bodyHash) return true;
  const body = await ledger.bodyOf(accepted);
  return body !== undefined && isSameContent(body, message.body);
};

/**
 * Whether a connection may read the last snapshot of a story: the house may, and guests that sent
 * or received it.
 */
export const readsSnapshot = (
  { guestReaders }: Pick<StoredStory, 'guestReaders'>,
  { organisation, guestSince }: Connection,
): boolean => {
  if (guestSince === undefined) return true;
  if (!guestReaders?.organisations.includes(organisation)) return false;
  return guestReaders.acceptedAt >= Date.parse(guestSince);
};

const readAndJudge = async (
  ledger: LedgerView,
  connection: Connection,
  message: Message,
): Promise<Consultation> => {
  const { workspace } = connection;
  const { messageId, correlationId, story } = message;
  const state = await ledger.read(
    defined({ workspace, messageId, correlationId, storyId: story?.storyId }),
  );

  const accepted = state.accepted && {
    ...state.accepted,
    sameContent: await hasContentOf(ledger, { workspace, ...state.accepted }, message),
  };

  const readsLast = state.story !== undefined && readsSnapshot(state.story, connection);
  return { state, judgement: judge(message, { accepted, story: state.story?.state, readsLast }) };
};

/**
 * Decides a message by what the ledger knows now. The parts of a read are not simultaneous: in
 * between, another attempt may have committed this same message, and a snapshot would then be
 * refused because of itself. So a refusal counts only if a second read still does not find the
 * message.
 */
export const consult = async (
  ledger: LedgerView,
  connection: Connection,
  message: Message,
): Promise<Consultation> => {
  const first = await readAndJudge(ledger, connection, message);
  if (first.judgement.kind !== 'refuse' || first.state.accepted) return first;

  const second = await readAndJudge(ledger, connection, message);
  return second.state.accepted ? second : first;
};

/**
 * The guests that may read a message: its sender's organisation and those of the consumers that it
 * is for.
 */
export const guestReadersOf = (
  sender: Connection,
  consumers: readonly Connection[],
  { targets, acceptedAt }: Pick<Entry, 'targets' | 'acceptedAt'>,
): GuestReaders | undefined => {
  const receivers = new Set(targets.map(({ connection }) => connection));
  const readers = [sender, ...consumers.filter(({ id }) => receivers.has(id))];
  const guests = readers.filter(({ guestSince }) => guestSince !== undefined);
  if (guests.length === 0) return undefined;
  return {
    organisations: [...new Set(guests.map(({ organisation }) => organisation))],
    acceptedAt,
  };
};

/**
 * The queues that a message goes to: those of the active consumers that subscribe to it.
 *
 * @param audience the only consumer that may get it, if there is one
 */
export const targetsOf = (
  consumers: readonly Connection[],
  message: Message,
  audience?: string,
): readonly Target[] =>
  consumers.flatMap(consumer => {
    const { id, status, queue } = consumer;
    if (audience !== undefined && audience !== id) return [];
    if (status !== 'active' || queue === undefined) return [];
    return isSubscribed(consumer, message) ? [{ connection: id, queue }] : [];
  });

/** `consumer` alone gets the message; without one, all that subscribe to it do. */
export interface AudienceOfRun {
  readonly kind: 'of run';
  readonly consumer?: string;
}

/**
 * Whether a message has an audience of its own, or is refused because of one; undefined: it is
 * everybody's. Called once a message is valid and permitted.
 */
export type Audience = (message: Message) => Promise<AudienceOfRun | Refusal | undefined>;

export interface Published<Response> {
  readonly verdict: Verdict;
  readonly response: Response;
}

/** Who else takes part in a publish: it is handed in by wiring, and publishing knows no more. */
export interface PublishAudience<Response> {
  /** Who gets the messages of a producer. */
  of(producer: Connection): Audience;
  /** Publishes, records that where it belongs, and may answer in its own way. */
  serve(
    attempt: { producer: Connection; body: Uint8Array },
    publish: () => Promise<Published<Response>>,
  ): Promise<Response>;
}

/**
 * A message that was refused. Bytes that could not be read, or that the connection may not send,
 * have no `message`.
 */
export interface RefusedVerdict extends Refusal {
  readonly message: Message | undefined;
  readonly named: ClaimedNames;
  readonly error: DeliveryError | undefined;
  /** It was accepted all the same, for so many consumers: the relay delivers it. */
  readonly committedCopies?: number;
}

export type Verdict =
  | {
      readonly kind: 'accepted';
      readonly message: Message;
      readonly tolerated: readonly Violation[];
      /** Consumers that it is for; absent in a dry run. */
      readonly copies?: number;
    }
  | { readonly kind: 'duplicate'; readonly message: Message }
  | RefusedVerdict;

export const refusedVerdict = (
  { violations }: Refusal,
  message?: Message,
  error?: DeliveryError,
): RefusedVerdict => ({ kind: 'refused', violations, message, named: message ?? {}, error });

/** The dry run: every check of a publish, in the same order, and nothing recorded or sent. */
export const validate = (ports: { ledger: LedgerView }) =>
  async function validate(
    body: Uint8Array,
    connection: Connection,
    audienceOf?: Audience,
  ): Promise<Verdict> {
    const examined = examine(body, connection);
    if (examined.kind === 'refused') return examined;

    const { message } = examined;
    const [{ judgement }, audience] = await Promise.all([
      consult(ports.ledger, connection, message),
      audienceOf?.(message),
    ]);
    if (judgement.kind === 'duplicate') return { kind: 'duplicate', message };
    if (judgement.kind === 'refuse')
      return refusedVerdict(refused(...judgement.violations), message);
    if (audience?.kind === 'refused') return refusedVerdict(audience, message);
    return { kind: 'accepted', message, tolerated: judgement.tolerated };
  };
