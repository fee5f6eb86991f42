import { dayMilliseconds } from '../contract/limits.ts';
import type { Clock } from '../contract/outside.ts';
import type { Entry, Log } from '../delivery/log.ts';
import type { QueueDepth, QueueDepths } from '../delivery/queues.ts';
import type { Backlog } from '../delivery/relay.ts';
import type { Connection, Credentials, Skip } from '../registry/connection.ts';
import { type Declined, declined } from '../registry/operator.ts';
import type { ArchiveTail } from './replay.ts';

/** What looking at a consumer's queue needs. */
export interface QueueViewPorts {
  readonly clock: Clock;
  readonly connections: Pick<Credentials, 'find'>;
  readonly depths: QueueDepths;
  readonly log: Pick<Log, 'head' | 'entries'>;
  readonly backlog: Pick<Backlog, 'due'>;
  readonly archive: ArchiveTail;
  readonly archiveDays: number;
}

/**
 * A consumer's queue as far as it can be seen without receiving. SQS tells only how many messages it holds, and the bus keeps no
 * record of acknowledgements: which messages these are follows from what was sent last.
 */
export interface QueueView extends QueueDepth {
  /**
   * The messages that were sent last, as many as the queue holds, the oldest first. They are what the queue holds if the consumer
   * acknowledges in order; otherwise the queue holds older ones instead of some of these. Replayed copies are not counted.
   */
  readonly sent: readonly Entry[];
  /** Whether the queue holds more than was looked at. */
  readonly isCut: boolean;
  /** Accepted messages that are not in the queue yet, in order per correlation: the relay sends them. */
  readonly unsent: readonly Entry[];
  /** The messages that the consumer skips. */
  readonly skips: readonly Skip[];
}

/** How much is looked at: enough for a person, and bounded whatever the archive holds. */
const viewLimits = { page: 100, places: 1_000, logs: 100 } as const;

const isFor =
  ({ id }: Connection) =>
  ({ targets }: Entry): boolean =>
    targets.some(({ connection }) => connection === id);

/** The entries that wait in the ledger for a queue. */
const unsentTo = async (
  { backlog, log }: QueueViewPorts,
  consumer: Connection,
): Promise<readonly Entry[]> => {
  const pending = await backlog.due(Number.MAX_SAFE_INTEGER, viewLimits.places);
  const own = pending.filter(({ workspace }) => workspace === consumer.workspace).slice(0, viewLimits.logs);
  const entries = await Promise.all(
    own.map(async one => {
      const { published, last } = await log.head(one);
      return published < last ? log.entries(one, published + 1, last) : [];
    }),
  );
  return entries.flat().filter(isFor(consumer));
};

/** The last entries that were sent to a consumer, the newest first, without those that are not sent yet. */
const lastSent = async (
  { archive, clock, archiveDays }: QueueViewPorts,
  consumer: Connection,
  { count, unsent }: { readonly count: number; readonly unsent: readonly Entry[] },
): Promise<readonly Entry[]> => {
  const now = clock.now();
  const range = { workspace: consumer.workspace, from: now - archiveDays * dayMilliseconds, to: now + 1 };
  const waiting = new Set(unsent.map(({ messageId }) => messageId));
  const found: Entry[] = [];
  let before: string | undefined;
  for (let seen = 0; found.length < count && seen < viewLimits.places; seen += viewLimits.page) {
    const places = await archive.latest(
      { ...range, ...(before === undefined ? {} : { before }) },
      viewLimits.page,
    );
    const entries = (await archive.entries(consumer.workspace, places)).map(({ entry }) => entry);
    found.push(...entries.filter(isFor(consumer)).filter(({ messageId }) => !waiting.has(messageId)));
    before = places.at(-1)?.position;
    if (before === undefined) break;
  }
  return found.slice(0, count);
};

/** Looks at a consumer's queue without receiving from it. */
export const viewQueue = async (ports: QueueViewPorts, id: string): Promise<QueueView | Declined> => {
  const consumer = (await ports.connections.find(id))?.connection;
  if (consumer?.queue === undefined) return declined(`There is no consumer connection ${id}.`);
  const depth = await ports.depths.depth(consumer.queue);
  if (depth === undefined) return declined(`The queue of the connection ${id} does not exist.`);
  const unsent = await unsentTo(ports, consumer);
  const count = depth.visible + depth.inFlight;
  const sent = await lastSent(ports, consumer, { count, unsent });
  const { skips = [] } = consumer;
  return { ...depth, sent: [...sent].reverse(), isCut: sent.length < count, unsent, skips };
};
