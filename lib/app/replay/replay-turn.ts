import { limits } from '../../contract/limits.ts';
import type { Lease } from '../../domain/delivery/log.ts';
import type { Replay, WaitingLog } from '../../domain/delivery/replay.ts';
import type { Connection } from '../../domain/registry/connection.ts';
import type { Archive } from '../../ports/archive.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Log } from '../../ports/log.ts';
import type { Queues } from '../../ports/queues.ts';
import type { Registry } from '../../ports/registry.ts';
import type { Replays } from '../../ports/replays.ts';

export interface ReplayPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly registry: Registry;
  readonly log: Log;
  readonly archive: Archive;
  readonly queues: Queues;
  readonly replays: Replays;
}

/** One replay in the hands of one runner, and how far it is. */
export interface Turn {
  readonly replay: Replay;
  readonly connection: Connection;
  readonly queue: string;
  /** Nothing is begun from then on; epoch milliseconds. */
  readonly deadline: number;
  lease: Lease;
  sent: number;
  position: string | undefined;
  reached: number;
  next: number;
  /** By correlation_id, in the order in which they are tried again. */
  readonly waiting: Map<string, WaitingLog>;
  /** By correlation_id: the number up to which nothing is on its way to the consumer any more. */
  readonly delivered: Map<string, number>;
  /** Not before then may the next entry be sent; epoch milliseconds. */
  sendAt: number;
  readonly faults: Error[];
}

/** A turn that begins where the last one ended. */
export const newTurn = (
  replay: Replay,
  facts: Pick<Turn, 'connection' | 'queue' | 'deadline' | 'lease'>,
): Turn => ({
  replay,
  ...facts,
  sent: replay.sent,
  position: replay.position,
  reached: replay.reached,
  next: replay.next ?? 1,
  waiting: new Map((replay.waiting ?? []).map(log => [log.correlationId, log])),
  delivered: new Map(),
  sendAt: 0,
  faults: [],
});

/** Whether the turn may begin nothing more: its time is over, or its lease. */
export const isOver = ({ clock }: ReplayPorts, { lease, deadline }: Turn): boolean =>
  clock.now() >= Math.min(lease.until, deadline);

/** The end of what may be sent by now, epoch milliseconds: a replay stays a moment behind the present. */
export const horizonOf = ({ clock }: ReplayPorts, { replay }: Turn): number =>
  Math.min(replay.to, clock.now() - limits.replayLagMilliseconds);

/** Notes how far the replay is, and keeps its lease; false when that was lost, or the replay was cancelled. */
export const note = async ({ clock, replays }: ReplayPorts, turn: Turn): Promise<boolean> => {
  const lease = { owner: turn.lease.owner, until: clock.now() + limits.replayLeaseMilliseconds };
  const held = await replays.progress(turn.replay.id, lease, {
    sent: turn.sent,
    reached: turn.reached,
    next: turn.next,
    waiting: [...turn.waiting.values()],
    ...(turn.position === undefined ? {} : { position: turn.position }),
  });
  if (held) turn.lease = lease;
  return held;
};
