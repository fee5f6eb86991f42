import { limits } from '../contract/limits.ts';
import { type Clock, type Ids, randomName } from '../contract/outside.ts';
import type { Entry, Lease, Log } from '../delivery/log.ts';
import type { Queues } from '../delivery/queues.ts';
import { type Connection, isRegistered } from '../registry/connection.ts';
import type { Registry } from '../registry/registry.ts';
import {
  type Archive,
  type ArchivePage,
  includes,
  type Replay,
  type Replays,
  type WaitingLog,
} from './replay.ts';

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
interface Turn {
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
const newTurn = (replay: Replay, facts: Pick<Turn, 'connection' | 'queue' | 'deadline' | 'lease'>): Turn => ({
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
const isOver = ({ clock }: ReplayPorts, { lease, deadline }: Turn): boolean =>
  clock.now() >= Math.min(lease.until, deadline);

/** The end of what may be sent by now, epoch milliseconds: a replay stays a moment behind the present. */
const horizonOf = ({ clock }: ReplayPorts, { replay }: Turn): number =>
  Math.min(replay.to, clock.now() - limits.replayLagMilliseconds);

/** Notes how far the replay is, and keeps its lease; false when that was lost, or the replay was cancelled. */
const note = async ({ clock, replays }: ReplayPorts, turn: Turn): Promise<boolean> => {
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

/** `done`: sent, or not a part of the replay. `waits`: not now, and nothing after it of its log. `over`: the turn is. */
type Outcome = 'done' | 'waits' | 'over';

/**
 * Whether an entry, or an earlier one of its log, is still on its way to the consumer: a replay never overtakes that. What
 * is on its way to others only is none of its business.
 */
const isAwaited = async ({ log }: ReplayPorts, turn: Turn, entry: Entry): Promise<boolean> => {
  const { correlationId, number } = entry;
  const known = turn.delivered.get(correlationId) ?? 0;
  if (known >= number) return false;
  const { published } = await log.head(entry);
  for (let next = Math.max(known, published) + 1; next <= number; ) {
    const page = await log.entries(entry, next, number);
    const ours = page.some(({ targets }) => targets.some(one => one.connection === turn.connection.id));
    if (ours) return true;
    next = (page.at(-1)?.number ?? number) + 1;
  }
  turn.delivered.set(correlationId, Math.max(published, number));
  return false;
};

/** Keeps to the rate. */
const pace = async ({ clock }: ReplayPorts, turn: Turn): Promise<void> => {
  if (turn.sendAt > clock.now()) await clock.sleep(turn.sendAt - clock.now());
  turn.sendAt = clock.now() + 1000 / limits.replayPerSecond;
};

const sendOne = async (ports: ReplayPorts, turn: Turn, entry: Entry): Promise<Outcome> => {
  if (!includes(turn.replay, turn.connection, entry)) return 'done';
  if (await isAwaited(ports, turn, entry)) return 'waits';
  await pace(ports, turn);
  if (isOver(ports, turn)) return 'over';
  if ((await ports.queues.send(turn.queue, entry, turn.replay.id)) === 'gone') {
    // Made a moment ago, or deleted by hand: the next turn looks whether the connection is still there.
    turn.faults.push(new Error(`The queue ${turn.queue} cannot be found.`));
    return 'over';
  }
  turn.sent += 1;
  return 'done';
};

const words = (fault: unknown): string =>
  fault instanceof Error ? `${fault.name}: ${fault.message}` : String(fault);

/** Sends an entry again when its turn has come. A fault is noted, and keeps no more than the entry's own log waiting. */
const sendAgain = (ports: ReplayPorts, turn: Turn, entry: Entry): Promise<Outcome> =>
  sendOne(ports, turn, entry).catch((fault: unknown) => {
    turn.faults.push(new Error(`${entry.messageId} was not sent: ${words(fault)}`, { cause: fault }));
    return 'waits';
  });

/** False when the walk cannot go on past an entry. One that has to wait is set aside, with all that follow in its log. */
const passes = async (ports: ReplayPorts, turn: Turn, entry: Entry): Promise<boolean> => {
  const { correlationId, number } = entry;
  const log = turn.waiting.get(correlationId);
  if (log) {
    turn.waiting.set(correlationId, { ...log, last: number });
    return true;
  }
  const outcome = await sendAgain(ports, turn, entry);
  if (outcome !== 'waits') return outcome === 'done';
  if (turn.waiting.size >= limits.replayWaitingLogs) return false;
  turn.waiting.set(correlationId, { correlationId, next: number, last: number });
  return true;
};

/** One page; false when the turn ended within it. */
const passPage = async (ports: ReplayPorts, turn: Turn, { places }: ArchivePage): Promise<boolean> => {
  for (const { place, entry } of await ports.archive.entries(turn.replay.workspace, places)) {
    if (!(await passes(ports, turn, entry))) return false;
    turn.position = place.position;
    turn.reached = place.acceptedAt;
  }
  // Behind the last one that is still there may be places of others that expired.
  const last = places.at(-1);
  turn.position = last?.position ?? turn.position;
  turn.reached = last?.acceptedAt ?? turn.reached;
  return true;
};

/** Walks the archive in the order of acceptance, page by page; true at the end of the replay's range. */
const walkArchive = async (ports: ReplayPorts, turn: Turn): Promise<boolean> => {
  const { workspace, from, to } = turn.replay;
  while (!isOver(ports, turn)) {
    const horizon = horizonOf(ports, turn);
    if (horizon <= from) return false;
    const after = turn.position === undefined ? {} : { after: turn.position };
    const page = await ports.archive.page({ workspace, from, to: horizon, ...after }, limits.replayPage);
    if (page.places.length === 0) return horizon >= to;
    const passed = await passPage(ports, turn, page);
    if (!(await note(ports, turn)) || !passed) return false;
  }
  return false;
};

interface PageResult {
  /** `end`: nothing is left. */
  readonly outcome: Outcome | 'end';
  /** The log without what was handled. */
  readonly log: WaitingLog;
  /** When the last entry that was handled was accepted. */
  readonly reached?: number;
}

/** Sends the next entries of a log that were accepted in a time. */
const sendPage = async (
  ports: ReplayPorts,
  turn: Turn,
  { log, from, to }: { readonly log: WaitingLog; readonly from: number; readonly to: number },
): Promise<PageResult> => {
  const key = { workspace: turn.replay.workspace, correlationId: log.correlationId };
  const entries = log.next > log.last ? [] : await ports.log.entries(key, log.next, log.last);
  let result: PageResult = { outcome: entries.length === 0 ? 'end' : 'done', log };
  for (const entry of entries) {
    if (entry.acceptedAt >= to) return { ...result, outcome: 'end' };
    const outcome = entry.acceptedAt < from ? 'done' : await sendAgain(ports, turn, entry);
    if (outcome !== 'done') return { ...result, outcome };
    result = { outcome, log: { ...log, next: entry.number + 1 }, reached: entry.acceptedAt };
  }
  return result;
};

/** Goes on with a log that waits; false when the turn is over. Where it still waits, others are tried before it. */
const goOnWith = async (ports: ReplayPorts, turn: Turn, waiting: WaitingLog): Promise<boolean> => {
  const { from, to } = turn.replay;
  for (let log = waiting; ; ) {
    const result = await sendPage(ports, turn, { log, from, to });
    log = result.log;
    turn.waiting.delete(log.correlationId);
    if (result.outcome !== 'end') turn.waiting.set(log.correlationId, log);
    if (!(await note(ports, turn)) || result.outcome === 'over') return false;
    if (result.outcome !== 'done') return true;
  }
};

/** Tries the logs that wait again, for half of the turn at most; false when the turn is over. */
const catchUp = async (ports: ReplayPorts, turn: Turn): Promise<boolean> => {
  const began = ports.clock.now();
  const until = began + (turn.deadline - began) / 2;
  for (const log of [...turn.waiting.values()]) {
    if (ports.clock.now() >= until) return true;
    if (!(await goOnWith(ports, turn, log))) return false;
  }
  return true;
};

/** A replay of one correlation walks its log alone; true at the end of the replay's range. */
const walkLog = async (ports: ReplayPorts, turn: Turn, correlationId: string): Promise<boolean> => {
  const { workspace, from, to } = turn.replay;
  const horizon = horizonOf(ports, turn);
  if (horizon <= from) return false;
  const { last } = await ports.log.head({ workspace, correlationId });
  while (!isOver(ports, turn)) {
    const log = { correlationId, next: turn.next, last };
    const result = await sendPage(ports, turn, { log, from: turn.reached, to: horizon });
    turn.next = result.log.next;
    turn.reached = Math.max(turn.reached, result.reached ?? 0);
    if (result.outcome === 'waits') turn.waiting.set(correlationId, result.log);
    else turn.waiting.delete(correlationId);
    if (!(await note(ports, turn))) return false;
    if (result.outcome !== 'done') return result.outcome === 'end' && horizon >= to;
  }
  return false;
};

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
