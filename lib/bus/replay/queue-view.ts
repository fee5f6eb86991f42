import type { Connection, Credentials, Skip } from '../../access/registry/connection.ts';
import { type Declined, declined } from '../../access/registry/declined.ts';
import type { History } from '../activity/records.ts';
import { type Entry, isTarget, type Log } from '../delivery/log.ts';
import type { QueueDepth, QueueDepths } from '../delivery/queues.ts';
import type { PendingLogs } from '../delivery/relay.ts';
import {
  type FrontPorts,
  type OldestWaiting,
  oldestIn,
  type QueueFront,
  queueFront,
  type UnknownFront,
} from './queue-front.ts';

export interface BacklogPorts extends FrontPorts {
  readonly depths: QueueDepths;
  readonly log: Pick<Log, 'head' | 'entries'>;
  readonly backlog: Pick<PendingLogs, 'due'>;
  readonly history: Pick<History, 'copyRecords' | 'inFlight'>;
}

export interface QueueViewPorts extends BacklogPorts {
  readonly connections: Pick<Credentials, 'find'>;
}

/**
 * A consumer's queue as far as it can be seen without receiving. SQS tells how many messages it
 * holds, within about a minute; which ones these are follows from what was sent and from the
 * records of acknowledgements.
 */
export interface QueueView extends QueueDepth, OldestWaiting {
  readonly front: QueueFront;
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

/** How much of what is not sent yet is looked at. */
const unsentLimits = { pending: 1_000, logs: 4 } as const;

/** What was accepted for a consumer and is not in its queue yet, in order per correlation. */
export const unsentTo = async (
  { backlog, log }: Pick<BacklogPorts, 'backlog' | 'log'>,
  consumer: Connection,
): Promise<readonly Entry[]> => {
  const pending = await backlog.due(Number.MAX_SAFE_INTEGER, unsentLimits.pending);
  const own = pending
    .filter(({ workspace }) => workspace === consumer.workspace)
    .slice(0, unsentLimits.logs);
  const entries = await Promise.all(
    own.map(async one => {
      const { published, last } = await log.head(one);
      if (published < last) return log.entries(one, published + 1, last);
      return [];
    }),
  );
  return entries.flat().filter(entry => isTarget(entry, consumer.id));
};

const nothing: QueueFront = { copies: [] };

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
  const held = depth.visible + depth.inFlight;
  const front = held === 0 ? nothing : await queueFront(ports, consumer, unsent);
  return { ...depth, ...oldestIn(front, held), front, unsent, blocked: [...blocked] };
};

export interface ConsumerBacklog extends QueueDepth {
  /** How long the oldest message has waited; undefined if none waits, or if it is not known. */
  readonly oldestSeconds?: number;
  /** Why it is not known. */
  readonly unknown?: UnknownFront;
  readonly blocked: readonly string[];
}

/** What waits for a consumer; undefined if its queue does not exist. */
export const backlogOf = async (
  ports: BacklogPorts,
  consumer: Connection,
): Promise<ConsumerBacklog | undefined> => {
  const view = await lookAt(ports, consumer);
  if (view === undefined) return undefined;
  const { visible, inFlight, oldest, unknown, unsent, blocked } = view;
  const facts = { visible, inFlight, blocked };
  if (unknown !== undefined) return { ...facts, unknown };

  const times = [...(oldest ? [oldest.sentAt] : []), ...unsent.map(one => one.acceptedAt)];
  if (times.length === 0) return facts;
  const milliseconds = ports.clock.now() - Math.min(...times);
  return { ...facts, oldestSeconds: Math.max(0, Math.floor(milliseconds / 1000)) };
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
