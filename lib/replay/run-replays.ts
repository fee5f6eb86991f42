import { dayMilliseconds, limits } from '../contract/limits.ts';
import { randomName } from '../contract/outside.ts';
import { type Connection, isKept } from '../registry/connection.ts';
import type { Replay, ReplayPorts } from './replay.ts';
import { ReplayTurn } from './replay-turn.ts';
import { walkReplay } from './walk.ts';

/** Works on a replay until it is finished, cannot continue, or its turn is over. */
const work = async (ports: ReplayPorts, turn: ReplayTurn): Promise<void> => {
  const { progress, ended } = await walkReplay(ports, turn);
  if (ended && progress.waiting.length === 0) await ports.replays.end(turn.replay.id, { status: 'finished' });
};

const queueGone = 'The queue of the connection is gone.';
const { replayMaxDays } = limits;

/** Why a replay cannot go on; undefined if it can. */
const reasonToEnd = (
  connection: Connection | undefined,
  { createdAt }: Replay,
  now: number,
): string | undefined => {
  if (!isKept(connection)) return queueGone;
  if (connection.isSuspended) return 'The organisation of the connection, or its host, was suspended.';
  return now >= createdAt + replayMaxDays * dayMilliseconds
    ? `It did not end within ${replayMaxDays} days.`
    : undefined;
};

/** Takes a replay, unless another runner has it, works on it and releases it. */
const advance = async (
  ports: ReplayPorts,
  id: string,
  { owner, deadline }: { readonly owner: string; readonly deadline: number },
): Promise<void> => {
  const now = ports.clock.now();
  const lease = { owner, until: now + limits.replayLeaseMilliseconds };
  const replay = await ports.replays.acquire(id, lease, now);
  if (!replay) return;
  const connection = await ports.registry.connection(replay.connection);
  const reason = reasonToEnd(connection, replay, now);
  if (reason !== undefined || connection?.queue === undefined) {
    await ports.replays.end(id, { status: 'failed', reason: reason ?? queueGone });
    return;
  }
  const turn = new ReplayTurn(ports, replay, { connection, queue: connection.queue, lease, deadline });
  // The replay of a paused consumer waits.
  if (connection.status === 'active')
    await work(ports, turn).catch((error: unknown) => {
      turn.fail(error);
    });
  await turn.giveBack();
};

/**
 * One run over all replays, each with its share of the time. Runs may overlap: the holder of a replay's lease works on
 * it. What a crashed run sent after it last saved its progress is sent again, with the same deduplication ids. If some replays
 * could not continue, the run throws at its end.
 */
export const runReplays = (ports: ReplayPorts) =>
  /** @param deadline epoch milliseconds */
  async function runReplays(deadline: number): Promise<void> {
    const owner = randomName(ports.ids);
    const running = await ports.replays.running();
    const errors: unknown[] = [];
    for (const [index, id] of running.entries()) {
      const now = ports.clock.now();
      const share = (deadline - now) / (running.length - index);
      // A replay that cannot continue does not stop the others; the next run tries it again.
      await advance(ports, id, { owner, deadline: now + share }).catch((error: unknown) => {
        errors.push(error);
      });
    }
    if (errors.length > 0) throw new AggregateError(errors, `${errors.length} replays could not continue.`);
  };
