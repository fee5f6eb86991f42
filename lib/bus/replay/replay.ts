import type { Connection } from '../../access/registry/connection.ts';
import type { Declined } from '../../access/registry/declined.ts';
import { matches } from '../../access/registry/patterns.ts';
import { isSubscribed } from '../../access/registry/permissions.ts';
import type { Registry } from '../../access/registry/registry.ts';
import type { Slot } from '../../contract/bounds.ts';
import {
  type Clock,
  defined,
  type Entries,
  type Ids,
  iso,
  type Part,
} from '../../contract/outside.ts';
import type { Recorder } from '../activity/records.ts';
import {
  type Entry,
  type EntryFacts,
  type EntryWithoutBody,
  isTarget,
  type Lease,
  type Log,
} from '../delivery/log.ts';
import type { Queues } from '../delivery/queues.ts';

/**
 * What a replay sends: archived messages accepted from `from` on and before `to` (epoch
 * milliseconds).
 */
export interface ReplayRange {
  readonly from: number;
  readonly to: number;
  readonly type?: string;
  readonly correlationId?: string;
  /** Only this message: others may have been accepted in the same millisecond. */
  readonly messageId?: string;
}

type ReplayStatus = 'running' | 'finished' | 'cancelled' | 'failed';

/**
 * A correlation that a replay set aside: its entries from `next` to `last` are sent as soon as they
 * can be.
 */
export interface WaitingLog {
  readonly correlationId: string;
  readonly next: number;
  readonly last: number;
}

export interface ReplayProgress {
  readonly sent: number;
  /**
   * The place in the archive up to which everything was handled, except for the correlations that
   * wait.
   */
  readonly position?: string;
  /** Of a replay of one correlation: the first number of its log that is not handled yet. */
  readonly next: number;
  /** `acceptedAt` of the last entry that was handled; epoch milliseconds. */
  readonly reached: number;
  readonly waiting: readonly WaitingLog[];
}

export const progressOf = ({
  sent,
  position,
  next,
  reached,
  waiting,
}: ReplayProgress): ReplayProgress => defined({ sent, position, next, reached, waiting });

export interface Replay extends ReplayRange, ReplayProgress {
  readonly id: string;
  readonly connection: string;
  readonly workspace: string;
  readonly status: ReplayStatus;
  readonly reason?: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly problem?: string;
  readonly lease?: Lease;
}

/** Whether an entry belongs to a run of checks that did not send it to this consumer. */
const isOfOthersRun = ({ id }: Connection, entry: EntryWithoutBody): boolean =>
  entry.isOfRun === true && !isTarget(entry, id);

/** Since when a connection may read what was accepted; epoch milliseconds. */
export const readsFrom = ({ guestSince }: Connection): number =>
  guestSince === undefined ? 0 : Date.parse(guestSince);

/**
 * Whether a replay to a consumer includes an entry: the consumer subscribes to it, and the replay
 * asks for it. What a run of checks sent to another consumer stays there, and a guest gets nothing
 * that is older than its invitation.
 */
export const includes = (
  replay: ReplayRange,
  consumer: Connection,
  entry: EntryWithoutBody,
): boolean =>
  entry.acceptedAt >= readsFrom(consumer) &&
  !isOfOthersRun(consumer, entry) &&
  matches(replay.type ?? '*', entry.messageType) &&
  isSubscribed(consumer, entry) &&
  (replay.messageId === undefined || replay.messageId === entry.messageId) &&
  (replay.correlationId === undefined || replay.correlationId === entry.correlationId);

export const percentOf = ({ status, from, to, reached }: Replay): number => {
  if (status === 'finished') return 100;
  return Math.min(99, Math.floor((100 * Math.max(0, reached - from)) / (to - from)));
};

/** Replay jobs. Reads are consistent, except `running`, which may be a moment late. */
export interface Replays {
  /** Adds nothing if too many have not ended. */
  add(replay: Replay, slots: readonly Slot[]): Promise<Declined | undefined>;
  find(id: string): Promise<Replay | undefined>;
  /** Those of at most a hundred ids that exist, in the order of the ids, by one read. */
  findAll(ids: readonly string[]): Promise<readonly Replay[]>;
  /** The ids of the running replays, newest last. */
  running(): Promise<readonly string[]>;
  /** Takes the lease of a running replay if it is free or over; undefined otherwise. */
  acquire(id: string, lease: Lease, now: number): Promise<Replay | undefined>;
  /**
   * Saves the progress and extends the lease; false if the lease was lost or the replay is no
   * longer running.
   */
  progress(id: string, lease: Lease, progress: ReplayProgress): Promise<boolean>;
  /** Releases the lease; `problem` replaces that of the previous turn. */
  release(id: string, owner: string, problem?: string): Promise<void>;
  /**
   * Ends a replay, regardless of who holds its lease, and forgets what waited. False if it was not
   * running.
   */
  end(
    id: string,
    outcome: { status: Exclude<Replay['status'], 'running'>; reason?: string },
  ): Promise<boolean>;
}

/** Where an entry stands in its workspace's logs. */
export type LogPlace = Pick<EntryFacts, 'correlationId' | 'number'>;

export interface ArchiveSummary extends EntryFacts {
  /** Opaque; later places have greater texts. */
  readonly position: string;
}

/**
 * The accepted entries of each workspace in the order of time; those of one correlation in the
 * log's order.
 */
export interface Archive {
  page(
    range: { workspace: string; from: number; to: number; after?: string },
    max: number,
  ): Promise<readonly ArchiveSummary[]>;
  /** The entries at some places of a page, in the same order, without those that expired. */
  entries(
    workspace: string,
    summaries: readonly ArchiveSummary[],
  ): Promise<readonly { readonly summary: ArchiveSummary; readonly entry: Entry }[]>;
  /**
   * The same of at most a hundred places of logs, of which no body is kept. The targets are all
   * that an entry is for.
   */
  withoutBodies(
    workspace: string,
    places: readonly LogPlace[],
  ): Promise<readonly { readonly summary: ArchiveSummary; readonly entry: EntryWithoutBody }[]>;
}

export interface ArchiveTail extends Pick<Archive, 'entries'> {
  /**
   * The last `max` places accepted from `from` on and before `to`, or before a position; the newest
   * first. `next` is the position before which there may be more: a call looks at six days at most.
   */
  latest(
    range: {
      workspace: string;
      from: number;
      to: number;
      before?: string;
    },
    max: number,
  ): Promise<{ readonly summaries: readonly ArchiveSummary[]; readonly next?: string }>;
}

export interface ReplayList {
  ofConnection(connection: string, part: Part): Promise<Entries<string>>;
}

export interface ReplayPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly registry: Pick<Registry, 'connection'>;
  readonly log: Pick<Log, 'head' | 'entries'>;
  readonly archive: Pick<Archive, 'page' | 'entries'>;
  readonly queues: Queues;
  readonly replays: Omit<Replays, 'add' | 'find' | 'findAll'>;
  readonly recorder: Pick<Recorder, 'record'>;
}

/** A replay as the activity of people shows it. */
export const replayFacts = ({ id, from, to, type, correlationId, messageId }: Replay) =>
  defined({
    replay: id,
    from: iso(from),
    to: iso(to),
    type,
    correlation: correlationId,
    message: messageId,
  });

export const replaySummary = (replay: Replay) => ({
  replay_id: replay.id,
  status: replay.status,
  connection_id: replay.connection,
  from: iso(replay.from),
  to: iso(replay.to),
  sent: replay.sent,
  percent: percentOf(replay),
  created_at: iso(replay.createdAt),
});

export const replayRecord = (replay: Replay) => {
  const waitingFor = replay.waiting.map(log => log.correlationId);
  return defined({
    replay_id: replay.id,
    status: replay.status,
    reason: replay.reason,
    connection_id: replay.connection,
    from: iso(replay.from),
    to: iso(replay.to),
    type: replay.type,
    correlation_id: replay.correlationId,
    message_id: replay.messageId,
    sent: replay.sent,
    waiting_for: waitingFor.length > 0 ? waitingFor : undefined,
    problem: replay.problem,
    percent: percentOf(replay),
    reached: iso(replay.reached),
    created_at: iso(replay.createdAt),
  });
};
