import type { Lease } from '../domain/delivery/log.ts';
import type { Replay, ReplayProgress } from '../domain/delivery/replay.ts';

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
