import type { Connection, Credentials, Skip } from '../../access/registry/connection.ts';
import { type Declined, declined } from '../../access/registry/operator.ts';
import { limits } from '../../contract/limits.ts';
import type { Clock } from '../../contract/outside.ts';
import { copyStates } from '../activity/message-life.ts';
import type { History, Settled } from '../activity/records.ts';
import type { Entry, Log } from '../delivery/log.ts';
import type { QueueDepth, QueueDepths } from '../delivery/queues.ts';
import type { Backlog } from '../delivery/relay.ts';
import type { ArchiveSummary, ArchiveTail } from './replay.ts';

export interface BacklogPorts {
  readonly clock: Clock;
  readonly depths: QueueDepths;
  readonly log: Pick<Log, 'head' | 'entries'>;
  readonly backlog: Pick<Backlog, 'due'>;
  readonly archiveTail: Pick<ArchiveTail, 'latest' | 'entries'>;
  readonly history: Pick<History, 'inFlight' | 'settled'>;
}

export interface QueueViewPorts extends BacklogPorts {
  readonly connections: Pick<Credentials, 'find'>;
}

/**
 * A consumer's queue as far as it can be seen without receiving. SQS tells how many messages it
 * holds, within about a minute; which ones these are follows from what was sent and from the
 * records of acknowledgements.
 */
export interface QueueView extends QueueDepth {
  /**
   * The messages that were sent and not acknowledged, the oldest first. Of a consumer that reads
   * its queue with a cloud role there are no records: these are the messages that were sent to it
   * last, as many as its queue holds.
   */
  readonly sent: readonly Entry[];
  /** Whether the queue holds more than was looked at. */
  readonly isCut: boolean;
  /**
   * Accepted messages that are not in the queue yet, in order per correlation: the relay sends
   * them.
   */
  readonly unsent: readonly Entry[];
  readonly skips: readonly Skip[];
  /**
   * The correlations whose next message cannot be received now: one is in flight, was returned with
   * a delay, or is not sent yet.
   */
  readonly blocked: readonly string[];
}

/**
 * How much is looked at: enough for a person, and bounded whatever the archive holds. A look at a
 * queue of a thousand messages costs twenty reads: the pending logs, what is in flight, the places,
 * what was settled since, and the entries in batches.
 */
const viewLimits = { pending: 1_000, logs: 4, summaries: 800, batch: 100, settled: 4_000 } as const;

const isFor =
  ({ id }: Connection) =>
  ({ targets }: Entry): boolean =>
    targets.some(({ connection }) => connection === id);

/** What was accepted for a consumer and is not in its queue yet, in order per correlation. */
export const unsentTo = async (
  { backlog, log }: Pick<BacklogPorts, 'backlog' | 'log'>,
  consumer: Connection,
): Promise<readonly Entry[]> => {
  const pending = await backlog.due(Number.MAX_SAFE_INTEGER, viewLimits.pending);
  const own = pending
    .filter(({ workspace }) => workspace === consumer.workspace)
    .slice(0, viewLimits.logs);
  const entries = await Promise.all(
    own.map(async one => {
      const { published, last } = await log.head(one);
      return published < last ? log.entries(one, published + 1, last) : [];
    }),
  );
  return entries.flat().filter(isFor(consumer));
};

const copiesOf = (settled: readonly Settled[], { acceptedAt }: Entry, now: number): number => {
  const receives = settled.filter(one => one.kind !== 'replayed');
  const replays = settled.filter(one => one.kind === 'replayed');
  return copyStates({ receives, replays }, { acceptedAt, now }).filter(
    state => state !== 'acknowledged' && state !== 'expired' && state !== 'skipped',
  ).length;
};

/** Messages of a queue, and how many copies of them it holds: a replay may have sent one again. */
interface Held {
  readonly entries: readonly Entry[];
  readonly copies: number;
}

/** The last places of the archive whose messages a queue may still hold, the newest first. */
const lastSummaries = async (
  { archiveTail }: BacklogPorts,
  workspace: string,
  now: number,
): Promise<readonly ArchiveSummary[]> => {
  const range = { workspace, from: now - limits.queueRetentionSeconds * 1000, to: now + 1 };
  const found: ArchiveSummary[] = [];
  let before: string | undefined;
  do {
    const page = { ...range, ...(before === undefined ? {} : { before }) };
    const { summaries, next } = await archiveTail.latest(page, viewLimits.summaries - found.length);
    found.push(...summaries);
    before = next;
  } while (before !== undefined && found.length < viewLimits.summaries);
  return found;
};

/**
 * What was settled of a consumer's messages that were accepted since a time, and since when all of
 * it is known.
 */
const settledSince = async ({ history }: BacklogPorts, { id }: Connection, since: number) => {
  const found = await history.settled(id, since, viewLimits.settled);
  const byMessage = new Map<string, Settled[]>();
  for (const one of found)
    byMessage.set(one.messageId, [...(byMessage.get(one.messageId) ?? []), one]);
  const last = found.length < viewLimits.settled ? undefined : found.at(-1);
  if (!last) return { byMessage, knownSince: since };
  return {
    byMessage,
    knownSince:
      last.kind === 'replayed' ? last.at : (last.acknowledgedAt ?? last.skippedAt ?? since),
  };
};

/**
 * The last entries that a consumer's queue still holds, the newest first, without those that are
 * not sent yet.
 */
const lastSent = async (
  ports: BacklogPorts,
  consumer: Connection,
  { count, unsent }: { readonly count: number; readonly unsent: readonly Entry[] },
): Promise<Held> => {
  if (count === 0) return { entries: [], copies: 0 };
  const now = ports.clock.now();
  const all = await lastSummaries(ports, consumer.workspace, now);
  const { byMessage, knownSince } = await settledSince(
    ports,
    consumer,
    all.at(-1)?.acceptedAt ?? now,
  );
  const summaries = all.filter(({ acceptedAt }) => acceptedAt >= knownSince);
  const waiting = new Set(unsent.map(({ messageId }) => messageId));
  const entries: Entry[] = [];
  let copies = 0;
  for (let at = 0; copies < count && at < summaries.length; at += viewLimits.batch) {
    const page = summaries.slice(at, at + viewLimits.batch);
    const read = await ports.archiveTail.entries(consumer.workspace, page);
    for (const { entry } of read) {
      if (copies >= count) break;
      if (!isFor(consumer)(entry) || waiting.has(entry.messageId)) continue;
      const left = copiesOf(byMessage.get(entry.messageId) ?? [], entry, now);
      if (left > 0) entries.push(entry);
      copies += left;
    }
  }
  return { entries, copies };
};

/** The queue of a known consumer; undefined if it does not exist. */
const lookAt = async (
  ports: BacklogPorts,
  consumer: Connection,
): Promise<Omit<QueueView, 'skips'> | undefined> => {
  const depth = consumer.queue === undefined ? undefined : await ports.depths.depth(consumer.queue);
  if (depth === undefined) return undefined;
  const [unsent, hidden] = await Promise.all([
    unsentTo(ports, consumer),
    ports.history.inFlight(consumer.id, ports.clock.now()),
  ]);
  const blocked = new Set([...unsent, ...hidden].map(({ correlationId }) => correlationId));
  const count = depth.visible + depth.inFlight;
  const { entries, copies } = await lastSent(ports, consumer, { count, unsent });
  return {
    ...depth,
    sent: [...entries].reverse(),
    isCut: copies < count,
    unsent,
    blocked: [...blocked],
  };
};

export interface ConsumerBacklog extends QueueDepth {
  /**
   * Since the oldest message that waits was accepted; undefined if none does. A lower bound if more
   * wait than are looked at.
   */
  readonly oldestSeconds?: number;
  readonly blocked: readonly string[];
}

/** What waits for a consumer; undefined if its queue does not exist. */
export const backlogOf = async (
  ports: BacklogPorts,
  consumer: Connection,
): Promise<ConsumerBacklog | undefined> => {
  const view = await lookAt(ports, consumer);
  if (view === undefined) return undefined;
  const { visible, inFlight, sent, unsent, blocked } = view;
  const times = [...sent, ...unsent].map(({ acceptedAt }) => acceptedAt);
  const age = ports.clock.now() - Math.min(...times);
  const oldest = times.length === 0 ? {} : { oldestSeconds: Math.max(0, Math.floor(age / 1000)) };
  return { visible, inFlight, ...oldest, blocked };
};

export const viewQueue = async (
  ports: QueueViewPorts,
  id: string,
): Promise<QueueView | Declined> => {
  const consumer = (await ports.connections.find(id))?.connection;
  if (consumer?.queue === undefined) return declined(`There is no consumer connection ${id}.`);
  const view = await lookAt(ports, consumer);
  if (!view) return declined(`The queue of the connection ${id} does not exist.`);
  return { ...view, skips: consumer.skips ?? [] };
};
