import type { Violation } from '../contract/refusals.ts';

/** The identifiers of a message. */
export interface MessageNames {
  readonly messageId: string;
  readonly messageType: string;
  readonly correlationId: string;
}

/** One receive of a message: what its receipt remembers. */
export interface Receive extends MessageNames {
  /** Identifies the pull. */
  readonly pull: string;
  /** Epoch milliseconds. */
  readonly takenAt: number;
  /** How often this copy was received, this time included. */
  readonly receiveCount: number;
  /** The replay that sent this copy, if one did. */
  readonly replay?: string;
}

/** A receive, and when its message can be received again (epoch milliseconds). */
export interface Hidden extends Receive {
  readonly visibleAt: number;
}

/** What a connection did, or what was done for it. */
export interface Deed {
  readonly connection: string;
  readonly workspace: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** A publish that accepted nothing: `message` as far as the body told. */
export interface Refused extends Deed {
  readonly kind: 'refused';
  readonly message: Partial<MessageNames>;
  readonly sizeBytes: number;
  readonly violations: readonly Violation[];
}

/** A publish of a message that was accepted before. */
export interface Repeated extends Deed {
  readonly kind: 'repeated';
  readonly message: MessageNames;
  readonly sizeBytes: number;
}

/** The receives that one pull, ack or nack is about. */
export type Handling = Deed &
  (
    | { readonly kind: 'received' | 'released'; readonly receives: readonly Hidden[] }
    | { readonly kind: 'acknowledged'; readonly receives: readonly Receive[] }
  );

/** Archived messages that a replay sent to a connection again. */
export interface Replayed extends Deed {
  readonly kind: 'replayed';
  readonly replay: string;
  readonly messages: readonly MessageNames[];
}

/** Why no token was issued: the secret is wrong or over, the connection is revoked or suspended, or asks too often. */
export type TokenRefusal = 'wrong_secret' | 'not_registered' | 'too_many';

/** A request for a token that was refused. */
export interface TokenRefused extends Deed {
  readonly kind: 'token_refused';
  readonly reason: TokenRefusal;
}

/** Everything that is recorded. An accepted publish is not: the ledger has it. */
export type Activity = Refused | Repeated | Handling | Replayed | TokenRefused;

/** Keeps what happened, for as long as the archive. */
export interface Recorder {
  /** Never fails and takes at most a second: what cannot be recorded is counted and logged. */
  record(activity: Activity): Promise<void>;
}

/** A recorded receive, and how it ended. It ended in neither way if the message became visible again, or may still do so. */
export interface ReceiveRecord extends Hidden {
  readonly connection: string;
  /** Epoch milliseconds; of several acks, the last one. */
  readonly acknowledgedAt?: number;
  readonly releasedAt?: number;
}

/** What is recorded about one message_id of a workspace. */
export interface MessageRecords {
  /** In the order of time, as the other lists. */
  readonly receives: readonly ReceiveRecord[];
  readonly replays: readonly (Deed & { readonly replay: string })[];
  readonly refusals: readonly Refused[];
  readonly repeats: readonly Deed[];
}

/** What ended a copy of a message at its consumer, or sent another one. */
export type Settled =
  | (ReceiveRecord & { readonly kind: 'acknowledged' })
  | (Deed & { readonly kind: 'replayed'; readonly messageId: string; readonly replay: string });

/** Counts of what is kept one by one only up to a rate: refused and repeated publishes, and refused token requests. */
export type AttemptsKind = 'attempts' | 'token_attempts';

/** One line of a workspace's feed. */
export interface FeedLine {
  /** Later lines have greater texts: a time, and what makes it unique. */
  readonly position: string;
  readonly kind: Activity['kind'] | AttemptsKind;
  readonly connection: string;
  readonly at: number;
  readonly messages: readonly Partial<MessageNames>[];
  readonly rules: readonly string[];
  /** Of `token_refused`. */
  readonly reason?: TokenRefusal;
  /** Of `attempts` and `token_attempts`: how many there were in this second. */
  readonly count: number;
}

/** Reads what was recorded. */
export interface History {
  /** The lines of the UTC day of a time between two positions, the newest first. */
  feed(
    workspace: string,
    page: { readonly day: number; readonly before?: string; readonly after?: string; readonly max: number },
  ): Promise<readonly FeedLine[]>;
  /** Fresh. */
  ofMessage(workspace: string, messageId: string): Promise<MessageRecords>;
  /** The messages of a consumer that cannot be received now: in flight, or returned with a delay. A moment behind. */
  inFlight(connection: string, now: number): Promise<readonly ReceiveRecord[]>;
  /** The acknowledgements of a consumer and the replays to it since a time, the last `max` of them. A moment behind. */
  settled(connection: string, since: number, max: number): Promise<readonly Settled[]>;
}
