import type { IdentityProblem, TokenRefusal, Violation } from '../../contract/refusals.ts';

export interface MessageNames {
  readonly messageId: string;
  readonly messageType: string;
  readonly correlationId: string;
}

export interface AcceptedNames extends MessageNames {
  /** Epoch milliseconds. */
  readonly acceptedAt: number;
}

/** One receive of a message: what its receipt remembers. */
export interface Receive extends AcceptedNames {
  /** Identifies the pull. */
  readonly pull: string;
  /** Epoch milliseconds: when the pull got it, and never before it was accepted. */
  readonly takenAt: number;
  /** Epoch milliseconds: when it can be received again, as the pull has it. */
  readonly visibleAt: number;
  /** How often this copy was received, this time included. */
  readonly receiveCount: number;
  /** The replay that sent this copy, if one did. */
  readonly replay?: string;
}

export interface ReturnedReceive extends Receive {
  /** Epoch milliseconds: when it can be received again. */
  readonly backAt: number;
}

export interface ConnectionEvent {
  readonly connection: string;
  readonly workspace: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** A publish that accepted nothing: `message` as far as the body told. */
export interface RefusedPublish extends ConnectionEvent {
  readonly kind: 'refused';
  readonly message: Partial<MessageNames>;
  readonly sizeBytes: number;
  readonly violations: readonly Violation[];
  /** What was sent, and whose connection sent it: kept for a day if that organisation wants it. */
  readonly text?: { readonly organisation: string; readonly body: Uint8Array };
}

/** Which refusal a text was kept of. */
export interface RefusalKey {
  readonly connection: string;
  readonly at: number;
  /** Absent if none could be read. */
  readonly messageId?: string | undefined;
}

/** The texts of refused messages. */
export interface RefusedTexts {
  /**
   * Since when an organisation has wanted those of its connections kept; epoch milliseconds,
   * undefined if it does not.
   */
  keptSince(organisation: string): Promise<number | undefined>;
  setKeeps(organisation: string, wanted: { keep: boolean; now: number }): Promise<void>;
  /** Undefined if it was not kept, or for longer than a day. */
  find(refusal: RefusalKey, now: number): Promise<Uint8Array | undefined>;
}

export interface Repeated extends ConnectionEvent {
  readonly kind: 'repeated';
  readonly message: MessageNames;
  readonly sizeBytes: number;
}

/**
 * The receives that one pull, ack or nack is about. `skipped`: the consumer was told to skip them,
 * and the pull deleted them.
 */
export type Handling = ConnectionEvent &
  (
    | {
        readonly kind: 'received' | 'acknowledged' | 'skipped';
        readonly receives: readonly Receive[];
      }
    | { readonly kind: 'released'; readonly receives: readonly ReturnedReceive[] }
  );

export interface Replayed extends ConnectionEvent {
  readonly kind: 'replayed';
  readonly replay: string;
  readonly messages: readonly AcceptedNames[];
}

/** A token of an identity provider that identifies no connection. */
export interface RefusedIdentity {
  readonly workspace: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly issuer: string;
  readonly reason: IdentityProblem;
  /** That no connection is bound to, where the provider's signature proves it. */
  readonly client?: string;
}

export interface IdentityRefusals {
  /**
   * Counts it: a line for each minute, provider and reason. Never fails and takes at most a second:
   * what cannot be recorded is counted and logged.
   */
  note(refused: RefusedIdentity): Promise<void>;
}

export interface RefusedTokenRequest extends ConnectionEvent {
  readonly kind: 'token_refused';
  readonly reason: TokenRefusal;
}

/** How people call a story: by its last accepted snapshot. */
export interface StoryTitle {
  readonly storyId: string;
  readonly correlationId: string;
  readonly headline?: string;
  readonly slug?: string;
}

/** Stories of a workspace in no order; `next` is where the next page begins. */
export interface TitlePage {
  readonly titles: readonly (StoryTitle & { readonly at: number })[];
  readonly next?: string;
}

/** A publish that was accepted: it is only counted, since the ledger has it. */
export interface AcceptedPublish extends ConnectionEvent {
  readonly kind: 'accepted';
  /** Consumers that it is for. */
  readonly copies: number;
  /** Of a snapshot. */
  readonly title?: StoryTitle;
}

/** Requests that were refused with 429: they are counted per minute. */
export interface Limited extends ConnectionEvent {
  readonly kind: 'limited';
  readonly requests: number;
}

/** Everything that is recorded or counted. `received` without receives: a pull that got nothing. */
export type Activity =
  | AcceptedPublish
  | RefusedPublish
  | Repeated
  | Handling
  | Replayed
  | RefusedTokenRequest
  | Limited;

export interface Recorder {
  /** Never fails and takes at most a second: what cannot be recorded is counted and logged. */
  record(activity: Activity): Promise<void>;
}

/** A recorder that keeps what becomes of publishes only. */
export interface AttemptRecorder {
  record(activity: AcceptedPublish | RefusedPublish | Repeated): Promise<void>;
}

/**
 * A recorded receive, and how it ended. It ended in none of these ways if the message became
 * visible again, or may still do so.
 */
export interface ReceiveRecord extends Receive {
  readonly connection: string;
  /** Epoch milliseconds; of several acks, the first one. */
  readonly acknowledgedAt?: number;
  readonly releasedAt?: number;
  readonly skippedAt?: number;
}

/** A copy of a message that a replay sent. */
export interface ReplayedCopy extends Omit<ConnectionEvent, 'workspace'> {
  readonly replay: string;
}

export interface MessageRecords {
  /** In the order of time, as the other lists. */
  readonly receives: readonly ReceiveRecord[];
  readonly replays: readonly ReplayedCopy[];
  readonly refusals: readonly RefusedPublish[];
  readonly repeats: readonly ConnectionEvent[];
}

/** What is known of the copies of several messages. */
export interface CopyRecords {
  /** Nothing more is recorded of them than what was read. */
  readonly isWhole: boolean;
  readonly receives: readonly ReceiveRecord[];
  readonly replays: readonly (ReplayedCopy & { readonly messageId: string })[];
}

/**
 * Counts of what is kept one by one only up to a rate: refused and repeated publishes, and refused
 * token requests.
 */
export type AttemptsKind = 'attempts' | 'token_attempts';

export interface FeedLine {
  /** Later lines have greater texts: a time, and what makes it unique. */
  readonly position: string;
  readonly kind: Exclude<Activity['kind'], 'accepted'> | AttemptsKind | 'identity_refused';
  /** Of all but `identity_refused`. */
  readonly connection?: string;
  readonly at: number;
  readonly messages: readonly Partial<MessageNames>[];
  readonly rules: readonly string[];
  /** Of `token_refused` and `identity_refused`. */
  readonly reason?: TokenRefusal | IdentityProblem;
  /** Of `identity_refused`: the provider, and the last client that is bound to no connection. */
  readonly issuer?: string;
  readonly client?: string;
  /**
   * Of `attempts` and `token_attempts`: how many there were in this second; of `limited` and
   * `identity_refused`: in this minute.
   */
  readonly count: number;
}

/** Lines of the UTC day of a time, between two positions. */
export interface FeedRange {
  readonly day: number;
  readonly before?: string;
  readonly after?: string;
  readonly max: number;
}

export interface FeedPart {
  /** The newest first. */
  readonly lines: readonly FeedLine[];
  /** Where they end, if they are fewer than `max` and not all, because they are so large. */
  readonly until?: string;
}

export interface History {
  feed(workspace: string, range: FeedRange): Promise<FeedPart>;
  titles(workspace: string, after?: string): Promise<TitlePage>;
  /**
   * Fresh: the receives of some messages, by their ids and acceptances. A minute in which several
   * were accepted is read once.
   */
  receivesOf(
    workspace: string,
    acceptedAt: ReadonlyMap<string, number>,
  ): Promise<readonly ReceiveRecord[]>;
  /** What one consumer did with them, however many minutes they are of, and what replays sent. */
  copyRecords(
    consumer: { id: string; workspace: string },
    acceptedAt: ReadonlyMap<string, number>,
  ): Promise<CopyRecords>;
  /** Fresh. Of a message that was not accepted, only refusals are known. */
  ofMessage(
    workspace: string,
    message: { messageId: string; acceptedAt?: number | undefined },
  ): Promise<MessageRecords>;
  /**
   * The messages of a consumer that cannot be received now: in flight, or returned with a delay. A
   * moment behind.
   */
  inFlight(connection: string, now: number): Promise<readonly ReceiveRecord[]>;
}

/** A line of the bus's access log. */
export interface AccessLine {
  /** Epoch milliseconds. */
  readonly timestamp: number;
  readonly message: string;
}

const readLine = ({ timestamp, message }: AccessLine): Limited | undefined => {
  const { connection, workspace }: Readonly<Record<string, unknown>> = JSON.parse(message);
  // What API Gateway does not know is `-` in its log.
  if (typeof connection !== 'string' || connection === '-') return undefined;
  if (typeof workspace !== 'string' || workspace === '-') return undefined;
  return {
    kind: 'limited',
    connection,
    workspace,
    at: timestamp - (timestamp % 60_000),
    requests: 1,
  };
};

/**
 * The requests that API Gateway refused: one record for each connection and minute, however many
 * lines there are.
 */
export const limitedIn = (lines: readonly AccessLine[]): readonly Limited[] => {
  const found = new Map<string, Limited>();
  for (const line of lines) {
    const limited = readLine(line);
    if (!limited) continue;
    const key = `${limited.connection} ${limited.at}`;
    found.set(key, { ...limited, requests: (found.get(key)?.requests ?? 0) + 1 });
  }
  return [...found.values()];
};
