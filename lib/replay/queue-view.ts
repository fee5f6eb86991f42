import { copyStates, recordsOf } from '../activity/message-life.ts';
import type { History } from '../activity/records.ts';
import { limits } from '../contract/limits.ts';
import type { Clock } from '../contract/outside.ts';
import type { Entry, Log } from '../delivery/log.ts';
import type { QueueDepth, QueueDepths } from '../delivery/queues.ts';
import type { Backlog } from '../delivery/relay.ts';
import type { Connection, Credentials, Skip } from '../registry/connection.ts';
import { type Declined, declined } from '../registry/operator.ts';
import type { ArchiveTail } from './replay.ts';

/** What telling a consumer's backlog needs. */
export interface BacklogPorts {
  readonly clock: Clock;
  readonly depths: QueueDepths;
  readonly log: Pick<Log, 'head' | 'entries'>;
  readonly backlog: Pick<Backlog, 'due'>;
  readonly archiveTail: Pick<ArchiveTail, 'latest' | 'entries'>;
  readonly history: Pick<History, 'ofMessage' | 'inFlight'>;
}

/** What looking at a consumer's queue needs. */
export interface QueueViewPorts extends BacklogPorts {
  readonly connections: Pick<Credentials, 'find'>;
}

/**
 * A consumer's queue as far as it can be seen without receiving. SQS tells how many messages it holds, within about a minute; which
 * ones these are follows from what was sent and from the records of acknowledgements.
 */
export interface QueueView extends QueueDepth {
  /**
   * The messages that were sent and not acknowledged, the oldest first. Of a consumer that reads its queue with a cloud role there
   * are no records: these are the messages that were sent to it last, as many as its queue holds.
   */
  readonly sent: readonly Entry[];
  /** Whether the queue holds more than was looked at. */
  readonly isCut: boolean;
  /** Accepted messages that are not in the queue yet, in order per correlation: the relay sends them. */
  readonly unsent: readonly Entry[];
  /** The messages that the consumer skips. */
  readonly skips: readonly Skip[];
  /** The correlations whose next message cannot be received now: one is in flight, was returned with a delay, or is not sent yet. */
  readonly blocked: readonly string[];
}

/** How much is looked at: enough for a person, and bounded whatever the archive holds. */
const viewLimits = { page: 100, places: 1_000, logs: 100 } as const;

const isFor =
  ({ id }: Connection) =>
  ({ targets }: Entry): boolean =>
    targets.some(({ connection }) => connection === id);

/** The entries that wait in the ledger for a queue. */
const unsentTo = async ({ backlog, log }: BacklogPorts, consumer: Connection): Promise<readonly Entry[]> => {
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

/** How many copies of a message a consumer's queue holds, as far as the records tell. */
const copiesAt = async (
  { history, clock }: BacklogPorts,
  { id, workspace }: Connection,
  entry: Entry,
): Promise<number> => {
  const records = recordsOf(await history.ofMessage(workspace, entry), id);
  return copyStates(records, { acceptedAt: entry.acceptedAt, now: clock.now() }).filter(
    state => state !== 'acknowledged' && state !== 'expired' && state !== 'skipped',
  ).length;
};

/** Messages of a queue, and how many copies of them it holds: a replay may have sent one again. */
interface Held {
  readonly entries: readonly Entry[];
  readonly copies: number;
}

/** The last entries that a consumer's queue still holds, the newest first, without those that are not sent yet. */
const lastSent = async (
  ports: BacklogPorts,
  consumer: Connection,
  { count, unsent }: { readonly count: number; readonly unsent: readonly Entry[] },
): Promise<Held> => {
  const { archiveTail, clock } = ports;
  const now = clock.now();
  const from = now - limits.queueRetentionSeconds * 1000;
  const range = { workspace: consumer.workspace, from, to: now + 1 };
  const waiting = new Set(unsent.map(({ messageId }) => messageId));
  const found: Entry[] = [];
  let copies = 0;
  let before: string | undefined;
  for (let seen = 0; copies < count && seen < viewLimits.places; seen += viewLimits.page) {
    const page = { ...range, ...(before === undefined ? {} : { before }) };
    const places = await archiveTail.latest(page, viewLimits.page);
    const entries = (await archiveTail.entries(consumer.workspace, places)).map(({ entry }) => entry);
    const sent = entries.filter(isFor(consumer)).filter(({ messageId }) => !waiting.has(messageId));
    const left = await Promise.all(sent.map(entry => copiesAt(ports, consumer, entry)));
    for (const [at, entry] of sent.entries()) {
      if (copies >= count) break;
      if (left[at]) found.push(entry);
      copies += left[at] ?? 0;
    }
    before = places.at(-1)?.position;
    if (before === undefined) break;
  }
  return { entries: found, copies };
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
  return { ...depth, sent: [...entries].reverse(), isCut: copies < count, unsent, blocked: [...blocked] };
};

/** What waits for a consumer. */
export interface ConsumerBacklog extends QueueDepth {
  /** Since the oldest message that waits was accepted; undefined if none does. A lower bound if more wait than are looked at. */
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

/** Looks at a consumer's queue without receiving from it. */
export const viewQueue = async (ports: QueueViewPorts, id: string): Promise<QueueView | Declined> => {
  const consumer = (await ports.connections.find(id))?.connection;
  if (consumer?.queue === undefined) return declined(`There is no consumer connection ${id}.`);
  const view = await lookAt(ports, consumer);
  if (!view) return declined(`The queue of the connection ${id} does not exist.`);
  return { ...view, skips: consumer.skips ?? [] };
};
