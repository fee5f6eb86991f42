import { isKept } from '../../access/registry/connection.ts';
import type { Registry } from '../../access/registry/registry.ts';
import { canonicalUuid } from '../../contract/identifiers.ts';
import { limits } from '../../contract/limits.ts';
import { type Clock, defined } from '../../contract/outside.ts';
import type { ConsumerState } from '../../contract/portal/overview-responses.ts';
import type { Acceptance, Acceptances, Placement } from '../delivery/log.ts';
import type {
  ConnectionEvent,
  History,
  MessageRecords,
  ReceiveRecord,
  RefusedPublish,
  ReplayedCopy,
} from './records.ts';

export interface LifePorts {
  readonly clock: Clock;
  readonly registry: Pick<Registry, 'connection'>;
  readonly history: Pick<History, 'ofMessage' | 'inFlight'>;
  readonly acceptances: Acceptances;
}

export interface ConsumerLife {
  readonly connection: string;
  /** Of the copy that was sent last, if replays sent the message again. */
  readonly state: ConsumerState;
  /** The message_id that has to leave first. */
  readonly waitsFor?: string;
  readonly receives: readonly ReceiveRecord[];
  readonly replays: readonly ReplayedCopy[];
}

export interface MessageLife {
  readonly messageId: string;
  readonly accepted?: Acceptance['entry'];
  readonly consumers: readonly ConsumerLife[];
  readonly refusals: readonly RefusedPublish[];
  readonly repeats: readonly ConnectionEvent[];
}

/** One copy of a message in a consumer's queue: the publish's, or a replay's. */
export interface MessageCopy {
  readonly sentAt: number;
  readonly replay?: string;
  readonly receives: readonly ReceiveRecord[];
}

export const stateOfCopy = ({ sentAt, receives }: MessageCopy, now: number): ConsumerState => {
  if (receives.some(({ acknowledgedAt }) => acknowledgedAt !== undefined)) return 'acknowledged';
  if (receives.some(({ skippedAt }) => skippedAt !== undefined)) return 'skipped';
  if (now >= sentAt + limits.queueRetentionSeconds * 1000) return 'expired';
  const last = receives.at(-1);
  if (last === undefined || last.visibleAt <= now) return 'queued';
  return last.releasedAt === undefined ? 'received' : 'returned';
};

/** The copies of a message in one queue, in the order in which they were sent. */
export const copiesOf = (
  receives: readonly ReceiveRecord[],
  { acceptedAt, replays }: { acceptedAt: number | undefined; replays: readonly ReplayedCopy[] },
): readonly MessageCopy[] => {
  const ofReplay = (id: string | undefined) => receives.filter(({ replay }) => replay === id);
  return [
    ...(acceptedAt === undefined ? [] : [{ sentAt: acceptedAt, receives: ofReplay(undefined) }]),
    ...replays.map(({ at, replay }) => ({ sentAt: at, replay, receives: ofReplay(replay) })),
  ];
};

/** What is recorded of a message's copies in one queue. */
type RecordsOfCopies = Pick<MessageRecords, 'receives' | 'replays'>;

export const recordsAtConnection = (
  { receives, replays }: MessageRecords,
  connection: string,
): RecordsOfCopies => ({
  receives: receives.filter(one => one.connection === connection),
  replays: replays.filter(one => one.connection === connection),
});

/**
 * The state of each copy of a message that was sent to a consumer: the publish's, then those of
 * replays.
 */
export const copyStates = (
  records: RecordsOfCopies,
  { acceptedAt, now }: { acceptedAt: number; now: number },
): readonly ConsumerState[] =>
  copiesOf(records.receives, { acceptedAt, replays: records.replays }).map(copy =>
    stateOfCopy(copy, now),
  );

/** The state of the copy that was sent last; without any copy, where the message waits. */
const stateOf = (
  placement: Placement | undefined,
  { receives, replays }: RecordsOfCopies,
  { acceptedAt, now }: { acceptedAt: number; now: number },
): ConsumerState => {
  // Undefined: the publish has sent no copy yet.
  const sentAt = placement?.state === 'queued' ? acceptedAt : undefined;
  const last = copiesOf(receives, { acceptedAt: sentAt, replays }).at(-1);
  if (last) return stateOfCopy(last, now);

  // Received already: what is written about the log comes after the send.
  if (receives.length > 0) return stateOfCopy({ sentAt: acceptedAt, receives }, now);
  return placement?.state ?? 'queued';
};

/**
 * What a message waits for: in its log, or in its queue, where a correlation's messages come one
 * after the other.
 */
const waitsFor = async (
  { history, clock }: LifePorts,
  { entry, firstUnsent }: Acceptance,
  { connection, state }: Pick<ConsumerLife, 'connection' | 'state'>,
): Promise<string | undefined> => {
  if (state === 'waiting') return firstUnsent === entry.messageId ? undefined : firstUnsent;
  if (state !== 'queued') return undefined;

  const inFlight = await history.inFlight(connection, clock.now());
  return inFlight.find(
    ({ correlationId, messageId }) =>
      correlationId === entry.correlationId && messageId !== entry.messageId,
  )?.messageId;
};

const lifeAt = async (
  ports: LifePorts,
  { acceptance, records }: { acceptance: Acceptance; records: MessageRecords },
  { connection, isLookedAt }: { connection: string; isLookedAt: boolean },
): Promise<ConsumerLife> => {
  const own = recordsAtConnection(records, connection);
  const { acceptedAt } = acceptance.entry;
  const placement = acceptance.placements.find(one => one.connection === connection);
  const state = stateOf(placement, own, { acceptedAt, now: ports.clock.now() });

  const isOver = state === 'acknowledged' || state === 'expired' || state === 'skipped';
  if (!isOver) {
    const found = await ports.registry.connection(connection);
    // The queue of a revoked connection is deleted, with all that it held.
    if (!isKept(found)) return { connection, state: 'lost', ...own };
  }

  const first = isLookedAt ? await waitsFor(ports, acceptance, { connection, state }) : undefined;
  return defined({ connection, state, waitsFor: first, ...own });
};

/** What became of a message_id in a workspace; undefined if nothing is known about it. */
export const lifeOf = (ports: LifePorts) =>
  async function lifeOf(workspace: string, named: string): Promise<MessageLife | undefined> {
    const messageId = canonicalUuid(named);
    const acceptance = await ports.acceptances.find(workspace, messageId);
    const acceptedAt = acceptance?.entry.acceptedAt;

    const records = await ports.history.ofMessage(workspace, { messageId, acceptedAt });
    const { refusals, repeats } = records;
    if (!acceptance) {
      if (refusals.length === 0) return undefined;
      return { messageId, consumers: [], refusals, repeats };
    }

    // Not those of receives: what a receipt says of its message, a consumer can change.
    const connections = new Set(
      [...acceptance.placements, ...records.replays].map(({ connection }) => connection),
    );

    const consumers = await Promise.all(
      [...connections].map((connection, at) =>
        lifeAt(
          ports,
          { acceptance, records },
          { connection, isLookedAt: at < limits.queuesPerMessage },
        ),
      ),
    );
    return { messageId, accepted: acceptance.entry, consumers, refusals, repeats };
  };

/**
 * The part of a life that somebody with these connections may see: its producer sees all of it; a
 * consumer sees the message and its own line; whoever sent a refused message sees that refusal.
 * Undefined if none of them had anything to do with it.
 */
export const lifeSeenBy = (
  life: MessageLife,
  own: ReadonlySet<string>,
): MessageLife | undefined => {
  const refusals = life.refusals.filter(one => own.has(one.connection));
  const repeats = life.repeats.filter(one => own.has(one.connection));
  const isProducer = life.accepted !== undefined && own.has(life.accepted.producer);
  const consumers = isProducer
    ? life.consumers
    : life.consumers.filter(one => own.has(one.connection));

  if (isProducer || consumers.length > 0) return { ...life, consumers, refusals, repeats };
  if (refusals.length === 0) return undefined;
  return { messageId: life.messageId, consumers, refusals, repeats };
};

/**
 * As {@link lifeSeenBy}, for a guest. In the log, and in queues of others, a message may wait for
 * one that the guest may not read.
 */
export const lifeSeenByGuest = (
  life: MessageLife,
  own: ReadonlySet<string>,
): MessageLife | undefined => {
  const seen = lifeSeenBy(life, own);
  if (!seen) return undefined;
  const consumers = seen.consumers.map(one => {
    if (one.state === 'queued' && own.has(one.connection)) return one;
    const { waitsFor: _, ...rest } = one;
    return rest;
  });
  return { ...seen, consumers };
};
