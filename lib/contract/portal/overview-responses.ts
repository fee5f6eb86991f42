/** The worst first; what comes before `well` needs somebody. */
export const connectionConditions = [
  'suspended',
  /** Messages wait, and nothing was acknowledged for as long as the oldest of them has waited. */
  'stuck',
  /** The oldest message has waited for more than a minute. */
  'slow',
  /** Publishes of the last hour were refused for what they are. */
  'refused',
  /** Requests of the last hour were refused for their rate, and none for what they are. */
  'limited',
  'paused',
  'well',
  /** Nothing in the last day. */
  'quiet',
] as const;

export type ConnectionCondition = (typeof connectionConditions)[number];

interface OverviewLine {
  readonly connection_id: string;
  readonly app_name: string;
  readonly organisation_id: string;
  readonly condition: ConnectionCondition;
}

export interface ConsumerLine extends OverviewLine {
  /** Messages in the queue, those in flight included. Absent: the queue could not be asked. */
  readonly waiting?: number;
  readonly in_flight?: number;
  /**
   * Since the oldest message was accepted that came after those it acknowledged. Absent: nothing
   * waits, a cloud role reads the queue, or the archive would have to be read too far.
   */
  readonly oldest_seconds?: number;
  /** Absent: not within the last day. A pull that got nothing is noted once a minute. */
  readonly last_pull_at?: string;
  readonly last_ack_at?: string;
  readonly hour: ConsumerCounts;
  readonly day: ConsumerCounts;
}

/**
 * From accepted to acknowledged: at most so many milliseconds for half of the messages, and for 95
 * of 100.
 */
interface Latencies {
  readonly p50_ms?: number;
  readonly p95_ms?: number;
}

export interface ConsumerCounts extends Latencies {
  readonly pulled: number;
  readonly acknowledged: number;
  readonly released: number;
}

export interface ProducerLine extends OverviewLine {
  readonly last_message_at?: string;
  readonly hour: ProducerCounts;
  readonly day: ProducerCounts;
}

export interface ProducerCounts {
  readonly accepted: number;
  readonly refused: number;
  readonly repeated: number;
  readonly limited: number;
}

export interface VolumePoint extends ProducerCounts, Latencies {
  readonly at: string;
  /** Copies of accepted messages for consumers. */
  readonly delivered: number;
  readonly pulled: number;
  readonly acknowledged: number;
}

export interface OverviewResponse {
  readonly consumers: readonly ConsumerLine[];
  readonly producers: readonly ProducerLine[];
  /** How many there are, and how many of them are in trouble. */
  readonly totals: {
    readonly consumers: number;
    readonly producers: number;
    readonly in_trouble: number;
    readonly waiting: number;
  };
  readonly next_consumers?: number;
  readonly next_producers?: number;
}

export const volumeRanges = ['hour', 'day', 'week'] as const;

export interface VolumeResponse {
  readonly range: (typeof volumeRanges)[number];
  readonly points: readonly VolumePoint[];
  /** False: days are still being summed up, and their points are missing. Ask again. */
  readonly is_complete: boolean;
}

/** A consumer that a message did not go to. A replay sends it to one that subscribes now. */
export interface LeftOut {
  readonly connection_id: string;
  readonly why:
    | 'not_subscribed'
    /** It subscribes to the type, but not from this system. */
    | 'source_excluded'
    | 'created_later'
    /** When the message was accepted: until now, or until `until`. */
    | 'paused'
    | 'suspended'
    /** It subscribes now; when the message was accepted, it did not. */
    | 'subscribed_later'
    /**
     * It would get such a message now: it was paused, or did not subscribe, when this one was
     * accepted. Which of them is not in the part of the record of changes that was read.
     */
    | 'changed_since'
    /** A run of checks sent it to its consumer alone. */
    | 'test_run';
  /** When that began, and who did it; absent if it is not known. */
  readonly since?: string;
  readonly by?: string;
  readonly until?: string;
  /** A replay that is sending it the message. */
  readonly replay_id?: string;
}

/** A replay sends the message to those that subscribe now. */
export const reachableReasons: ReadonlySet<LeftOut['why']> = new Set([
  'created_later',
  'paused',
  'subscribed_later',
  'changed_since',
] as const);

export type SearchMatch =
  | {
      readonly kind: 'message';
      readonly message_id: string;
      readonly message_type?: string;
      readonly correlation_id?: string;
      /** Absent: it was refused. */
      readonly accepted_at?: string;
    }
  | {
      readonly kind: 'story';
      readonly story_id: string;
      readonly correlation_id: string;
      readonly headline?: string;
      readonly slug?: string;
      readonly last_accepted_at: string;
    }
  | { readonly kind: 'connection'; readonly connection_id: string; readonly app_name: string }
  | { readonly kind: 'rule'; readonly rule: string };

/** What fits a text: a part of it, as far as one request may read. */
export interface SearchResponse {
  readonly found: readonly SearchMatch[];
  readonly next?: string;
  /** What the caller may not search: titles of stories, and messages that others sent. */
  readonly not_searched?: readonly ('stories' | 'messages_of_others')[];
}

/**
 * Where a message is, for one consumer. `waiting`: not in its queue yet. `queued`: it can be
 * received, after what it waits for. `received`: in flight. `returned`: given back with a delay.
 * `expired`: the queue dropped it unacknowledged. `skipped`: its queue was gone when it was sent,
 * or a pull deleted it because the consumer was told to skip it. `lost`: the connection was revoked
 * before it acknowledged the message.
 */
export type ConsumerState =
  | 'waiting'
  | 'queued'
  | 'received'
  | 'returned'
  | 'acknowledged'
  | 'expired'
  | 'skipped'
  | 'lost';

export interface OutcomeResponse {
  readonly system_id: string;
  readonly facts: Readonly<Record<string, string>>;
  readonly consumers: readonly {
    readonly connection_id: string;
    readonly state: ConsumerState;
    readonly latency_ms?: number;
  }[];
  readonly more_consumers: number;
}
