import { dayMilliseconds } from '../contract/limits.ts';
import type { Entry, Lease } from '../delivery/log.ts';
import type { Connection } from '../registry/connection.ts';
import { isSubscribed, matches, overlaps, problemWithPattern } from '../registry/permissions.ts';

/** What a replay sends: archived messages accepted from `from` on and before `to` (epoch milliseconds). */
export interface ReplayRange {
  readonly from: number;
  readonly to: number;
  /** A message type, `family.*` or `*`. */
  readonly type?: string;
  readonly correlationId?: string;
}

export type ReplayStatus = 'running' | 'finished' | 'cancelled' | 'failed';

/** A correlation that a replay set aside: its entries from `next` to `last` are to be sent when they can. */
export interface WaitingLog {
  readonly correlationId: string;
  readonly next: number;
  readonly last: number;
}

/** A job that sends archived messages to one consumer's queue again. */
export interface Replay extends ReplayRange {
  readonly id: string;
  readonly connection: string;
  readonly workspace: string;
  readonly status: ReplayStatus;
  /** Why it failed. */
  readonly reason?: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** The place in the archive up to which everything was handled, but for what waits. */
  readonly position?: string;
  /** Of a replay of one correlation: the first number of its log that is not handled yet. */
  readonly next?: number;
  /** `acceptedAt` of the last entry that was handled. */
  readonly reached: number;
  readonly sent: number;
  readonly waiting?: readonly WaitingLog[];
  /** What went wrong in the last turn. */
  readonly problem?: string;
  readonly lease?: Lease;
}

/** How far a replay is. */
type ReplayProgress = Pick<Replay, 'sent'> &
  Partial<Pick<Replay, 'position' | 'next' | 'reached' | 'waiting'>>;

/** Whether a replay to this consumer includes an entry: what it receives by its subscription, as asked for. */
export const includes = (replay: ReplayRange, consumer: Connection, entry: Entry): boolean =>
  matches(replay.type ?? '*', entry.messageType) &&
  isSubscribed(consumer, entry) &&
  (replay.correlationId === undefined || replay.correlationId === entry.correlationId);

/** What is wrong with a range, in a sentence for the operator; undefined when nothing is. */
export const problemWithRange = (
  { from, to }: ReplayRange,
  { now, archiveDays }: { readonly now: number; readonly archiveDays: number },
): string | undefined => {
  const earliest = now - archiveDays * dayMilliseconds;
  if (from >= to) return 'The range is empty: its start must be before its end.';
  if (to > now) return `The range ends in the future: now is ${new Date(now).toISOString()}.`;
  return from < earliest
    ? `The archive keeps ${archiveDays} days: the earliest time is ${new Date(earliest).toISOString()}.`
    : undefined;
};

/** What is wrong with asking for a type, in a sentence for the operator; undefined when nothing is. */
export const problemWithType = (
  type: string | undefined,
  { id, receives }: Pick<Connection, 'id' | 'receives'>,
): string | undefined => {
  if (type === undefined) return undefined;
  const problem = problemWithPattern(type);
  if (problem !== undefined) return problem;
  return receives.some(pattern => overlaps(pattern, type))
    ? undefined
    : `The connection ${id} receives no ${type}: it receives ${receives.join(', ') || 'nothing'}.`;
};

/** How far a replay is, in whole percent of its range of time. */
export const percentOf = ({ status, from, to, reached }: Replay): number =>
  status === 'finished' ? 100 : Math.min(99, Math.floor((100 * Math.max(0, reached - from)) / (to - from)));

/** Replay jobs. Reads are consistent, but for `running`, which may be a moment late. */
export interface Replays {
  add(replay: Replay): Promise<void>;
  find(id: string): Promise<Replay | undefined>;
  /** Newest last. */
  running(): Promise<readonly string[]>;
  /** Takes a free or expired lease of a running replay; undefined when there is none to take. */
  acquire(id: string, lease: Lease, now: number): Promise<Replay | undefined>;
  /** Notes progress and prolongs the lease; false when it was lost or the replay does not run any more. */
  progress(id: string, lease: Lease, done: ReplayProgress): Promise<boolean>;
  /** Gives the lease back; `problem` replaces what went wrong in an earlier turn. */
  release(id: string, owner: string, problem?: string): Promise<void>;
  /** Ends it, whoever holds its lease; nothing of it waits any more. False when it was not running. */
  end(
    id: string,
    outcome: { readonly status: Exclude<Replay['status'], 'running'>; readonly reason?: string },
  ): Promise<boolean>;
}

/** Where an entry is in a workspace's archive. */
export interface ArchivePlace {
  readonly correlationId: string;
  readonly number: number;
  readonly acceptedAt: number;
  /** Opaque; later places have greater texts. */
  readonly position: string;
}

export interface ArchivePage {
  readonly places: readonly ArchivePlace[];
}

/** What was accepted, workspace by workspace in the order of time, and per correlation in the log's order. */
export interface Archive {
  /** The first `most` places from `from` on and before `to`, after a position; a moment behind the ledger. */
  page(
    range: { workspace: string; from: number; to: number; after?: string },
    max: number,
  ): Promise<ArchivePage>;
  /** The entries at some places of a page, in the order given; those that expired are left out. */
  entries(
    workspace: string,
    places: readonly ArchivePlace[],
  ): Promise<readonly { readonly place: ArchivePlace; readonly entry: Entry }[]>;
}
