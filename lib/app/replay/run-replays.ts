import { limits } from '../../contract/limits.ts';
import type { Entry, Lease } from '../../domain/delivery/log.ts';
import { includes, type Replay } from '../../domain/delivery/replay.ts';
import { type Connection, isRegistered } from '../../domain/registry/connection.ts';
import type { Archive, ArchivePage, ArchivePlace } from '../../ports/archive.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Correlation, Log } from '../../ports/log.ts';
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

/** One replay in the hands of one runner. */
interface Job {
  readonly replay: Replay;
  readonly connection: Connection;
  readonly queue: string;
  lease: Lease;
}

/** What became of one page. */
interface PageResult {
  readonly sent: number;
  /** The last place handled; undefined: none. */
  readonly last: ArchivePlace | undefined;
  readonly end: 'page' | 'stopped' | 'gone';
}

const ownerBytes = 12;

const leaseUntil = (now: number): number => now + limits.replayLeaseMilliseconds;

const isPublished = async (ports: ReplayPorts, log: Correlation, number: number): Promise<boolean> =>
  (await ports.log.head(log)).published >= number;

/**
 * Sends one entry when it belongs to the replay. An entry that is not in every queue yet waits for its delivery: a replay
 * never overtakes it.
 */
const sendOne = async (
  ports: ReplayPorts,
  { replay, connection, queue }: Job,
  entry: Entry,
): Promise<'sent' | 'left out' | 'gone' | 'not yet'> => {
  if (!includes(replay, connection, entry)) return 'left out';
  if (!(await isPublished(ports, entry, entry.number))) return 'not yet';
  return ports.queues.send(queue, entry, replay.id);
};

/** Sends a page's entries in order, one after the other; stops at the first that the queue does not take. */
const sendPage = async (ports: ReplayPorts, job: Job, page: ArchivePage): Promise<PageResult> => {
  const { correlationId: wanted } = job.replay;
  const places = page.places.filter(({ correlationId }) => wanted === undefined || wanted === correlationId);
  const entries = await ports.archive.entries(job.replay.workspace, places);
  let sent = 0;
  let last: ArchivePlace | undefined;
  for (const { place, entry } of entries) {
    if (ports.clock.now() >= job.lease.until) return { sent, last, end: 'stopped' };
    const result = await sendOne(ports, job, entry).catch(() => 'not yet' as const);
    if (result === 'gone') return { sent, last, end: 'gone' };
    if (result === 'not yet') return { sent, last, end: 'stopped' };
    if (result === 'sent') sent += 1;
    last = place;
  }
  return { sent, last: page.places.at(-1), end: 'page' };
};

/** Notes how far a replay is, and keeps the lease; false when it was lost, or the replay was cancelled. */
const note = async (ports: ReplayPorts, job: Job, result: PageResult, sentBefore: number) => {
  const { last } = result;
  const lease = { owner: job.lease.owner, until: leaseUntil(ports.clock.now()) };
  const held = await ports.replays.progress(job.replay.id, lease, {
    sent: sentBefore + result.sent,
    ...(last ? { position: last.position, reached: last.acceptedAt } : {}),
  });
  job.lease = lease;
  return held;
};

/** Keeps to the rate: as long as so many sends have to take. */
const rest = ({ clock }: ReplayPorts, sent: number, since: number): Promise<void> => {
  const due = since + (sent * 1000) / limits.replayPerSecond;
  return due > clock.now() ? clock.sleep(due - clock.now()) : Promise.resolve();
};

const gone = 'The queue of the connection is gone.';

/** Works on one replay page by page until it is finished, stopped or the deadline is there. */
const work = async (ports: ReplayPorts, job: Job, deadline: number): Promise<void> => {
  const { id, workspace, from, to } = job.replay;
  let { position, sent } = job.replay;
  while (ports.clock.now() < deadline) {
    const began = ports.clock.now();
    const horizon = Math.min(to, began - limits.replayLagMilliseconds);
    const range = { workspace, from, to: horizon, ...(position === undefined ? {} : { after: position }) };
    const page = await ports.archive.page(range, limits.replayPage);
    if (page.places.length === 0) {
      if (horizon >= to) await ports.replays.end(id, { status: 'finished' });
      return;
    }
    const result = await sendPage(ports, job, page);
    if (!(await note(ports, job, result, sent))) return;
    if (result.end === 'gone') return void (await ports.replays.end(id, { status: 'failed', reason: gone }));
    if (result.end === 'stopped') return;
    sent += result.sent;
    position = result.last?.position ?? position;
    await rest(ports, result.sent, began);
  }
};

/** Takes a replay, unless another runner has it, and gives it back after the work. */
const advance = async (
  ports: ReplayPorts,
  id: string,
  facts: { readonly owner: string; readonly deadline: number },
): Promise<void> => {
  const now = ports.clock.now();
  const lease = { owner: facts.owner, until: leaseUntil(now) };
  const replay = await ports.replays.acquire(id, lease, now);
  if (!replay) return;
  const connection = await ports.registry.connection(replay.connection);
  if (!isRegistered(connection) || connection.queue === undefined) {
    return void (await ports.replays.end(id, { status: 'failed', reason: gone }));
  }
  try {
    // While its consumer is paused, a replay waits.
    if (connection.status === 'active')
      await work(ports, { replay, connection, queue: connection.queue, lease }, facts.deadline);
  } finally {
    await ports.replays.release(id, facts.owner).catch(() => undefined);
  }
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
    const owner = Buffer.from(ports.ids.random(ownerBytes)).toString('base64url');
    const running = await ports.replays.running();
    const faults: unknown[] = [];
    for (const [index, id] of running.entries()) {
      const now = ports.clock.now();
      const share = (deadline - now) / (running.length - index);
      // A replay that cannot go on leaves the others their turn; the next run tries it again.
      await advance(ports, id, { owner, deadline: now + share }).catch(fault => faults.push(fault));
    }
    if (faults.length > 0) throw new AggregateError(faults, `${faults.length} replays could not go on.`);
  };
