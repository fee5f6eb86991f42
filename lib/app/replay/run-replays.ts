import { limits } from '../../contract/limits.ts';
import { isRegistered } from '../../domain/registry/connection.ts';
import { randomName } from '../random-name.ts';
import { newTurn, type ReplayPorts, type Turn } from './replay-turn.ts';
import { walkArchive } from './walk-archive.ts';
import { catchUp, walkLog } from './walk-log.ts';

const gone = 'The queue of the connection is gone.';

/** Works on one replay until it is finished, cannot go on, or its turn is over. */
const work = async (ports: ReplayPorts, turn: Turn): Promise<void> => {
  const { id, correlationId } = turn.replay;
  const ended =
    correlationId === undefined
      ? (await catchUp(ports, turn)) && (await walkArchive(ports, turn))
      : await walkLog(ports, turn, correlationId);
  if (ended && turn.waiting.size === 0) await ports.replays.end(id, { status: 'finished' });
};

/** Gives a replay back, with what kept it from going on, and throws that. */
const giveBack = async (ports: ReplayPorts, { replay, lease, faults }: Turn): Promise<void> => {
  const [first] = faults;
  await ports.replays.release(replay.id, lease.owner, first?.message).catch(() => undefined);
  if (first) throw new AggregateError(faults, `The replay ${replay.id} could not go on: ${first.message}`);
};

/** Takes a replay, unless another runner has it, and gives it back after the work. */
const advance = async (
  ports: ReplayPorts,
  id: string,
  facts: { readonly owner: string; readonly deadline: number },
): Promise<void> => {
  const now = ports.clock.now();
  const lease = { owner: facts.owner, until: now + limits.replayLeaseMilliseconds };
  const replay = await ports.replays.acquire(id, lease, now);
  if (!replay) return;
  const connection = await ports.registry.connection(replay.connection);
  if (!isRegistered(connection) || connection.queue === undefined) {
    return void (await ports.replays.end(id, { status: 'failed', reason: gone }));
  }
  const turn = newTurn(replay, { connection, queue: connection.queue, deadline: facts.deadline, lease });
  // While its consumer is paused, a replay waits.
  const working = connection.status === 'active' ? work(ports, turn) : Promise.resolve();
  await working.catch((fault: unknown) => {
    turn.faults.push(fault instanceof Error ? fault : new Error(String(fault)));
  });
  await giveBack(ports, turn);
};

/**
 * One run over all replays, each for a share of the time. Runs may overlap: a replay is worked on by whoever holds its
 * lease. What a crashed run sent after its last note is sent again, with the same deduplication ids. Throws at its end
 * when some could not go on.
 *
 * @param deadline epoch milliseconds
 */
export const runReplays =
  (ports: ReplayPorts) =>
  async (deadline: number): Promise<void> => {
    const owner = randomName(ports.ids);
    const running = await ports.replays.running();
    const faults: unknown[] = [];
    for (const [index, id] of running.entries()) {
      const now = ports.clock.now();
      const share = (deadline - now) / (running.length - index);
      // A replay that cannot go on leaves the others their turn; the next run tries it again.
      await advance(ports, id, { owner, deadline: now + share }).catch((fault: unknown) =>
        faults.push(fault),
      );
    }
    if (faults.length > 0) throw new AggregateError(faults, `${faults.length} replays could not go on.`);
  };
