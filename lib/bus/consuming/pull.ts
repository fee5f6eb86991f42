import { type Connection, isSameCopy } from '../../access/registry/connection.ts';
import type { Seals } from '../../access/seals/seal.ts';
import { limits } from '../../contract/limits.ts';
import { type Clock, defined, type Ids, randomName } from '../../contract/outside.ts';
import type { Receive, Recorder } from '../activity/records.ts';
import {
  type Inbox,
  memberReceipt,
  type ReceiptGroup,
  type ReceiptSealer,
  type Receipts,
  type Received,
  type ReceiveOptions,
  singleReceipt,
} from './receipts.ts';

export interface WaitingPoll {
  readonly connection: string;
  readonly slot: number;
  /** Epoch milliseconds. */
  readonly until: number;
}

/** The polls that wait at the same time: at most `limits.waitingPolls` of one connection. */
export interface WaitingPolls {
  /**
   * Lets one more poll wait; undefined if enough of them do. A poll counts until it is ended or its
   * time is over, so that one whose function dies does not count for ever.
   */
  begin(connection: string, until: number): Promise<WaitingPoll | undefined>;
  end(poll: WaitingPoll): Promise<void>;
}

export interface ReceiptPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly inbox: Pick<Inbox, 'receive' | 'delete' | 'release'>;
  readonly receipts: Pick<Receipts, 'save'>;
  readonly seals: Seals;
  readonly polls: WaitingPolls;
  readonly recorder: Recorder;
}

/** What a consumer gets for messages of one correlation_id. */
interface Handout {
  /** What must be stored for it; absent if the receipt itself says everything. */
  readonly group?: ReceiptGroup;
  /** The receipts, by the handles of the queue. */
  readonly receipts: ReadonlyMap<string, string>;
}

/**
 * @param taken messages of one correlation_id
 * @param times epoch milliseconds: when a pull began, and when its messages become visible again
 */
const handout = (
  { ids, by }: Pick<ReceiptPorts, 'ids'> & { by: ReceiptSealer },
  taken: readonly TakenMessage[],
  times: Pick<ReceiptGroup, 'takenAt' | 'until'>,
): Handout => {
  const handles = taken.map(({ message }) => message.receiptHandle);
  const receives = taken.map(({ receive }) => receive ?? null);

  const [only = '', ...more] = handles;
  const { takenAt } = times;
  const receive = receives[0] ?? undefined;
  const single = singleReceipt(by, defined({ handle: only, takenAt, receive }));
  const isSingle = more.length === 0 && single.length <= limits.receiptHandleCharacters;
  if (isSingle) return { receipts: new Map([[only, single]]) };

  const id = randomName(ids);
  const members = handles.map((handle, position) => [handle, memberReceipt(id, position)] as const);
  return { group: { id, handles, receives, ...times }, receipts: new Map(members) };
};

const byCorrelation = (taken: readonly TakenMessage[]): readonly (readonly TakenMessage[])[] =>
  [...new Set(taken.map(({ message }) => message.correlationId))].map(correlationId =>
    taken.filter(({ message }) => message.correlationId === correlationId),
  );

export interface PullOptions extends ReceiveOptions {
  /** How long it goes on after the first messages, until there are `max`. */
  readonly collectSeconds?: number;
}

/** Messages that the queue gave at the same time. */
interface ReceivedBatch {
  readonly messages: readonly Received[];
  /** Epoch milliseconds. */
  readonly takenAt: number;
}

const { max: maxWaitSeconds } = limits.pullWaitSeconds;

/** Receives once, and goes on after the first messages for as long as the caller wants. */
const collect = async (
  { clock, ids, inbox }: ReceiptPorts,
  { queue, attempt }: { queue: string; attempt: string },
  { collectSeconds = 0, ...options }: PullOptions,
): Promise<readonly ReceivedBatch[]> => {
  const lastEnd = clock.now() + maxWaitSeconds * 1000;
  const first = await inbox.receive(queue, options, attempt);
  const batches: ReceivedBatch[] = [{ messages: first, takenAt: clock.now() }];

  const end = Math.min(clock.now() + collectSeconds * 1000, lastEnd);
  let latest = first;
  let room = options.max - first.length;
  while (latest.length > 0 && room > 0) {
    const waitSeconds = Math.round((end - clock.now()) / 1000);
    if (waitSeconds < 1 || options.gone?.aborted) break;

    // What came first is delivered, whatever becomes of this.
    latest = await inbox
      .receive(queue, { ...options, max: room, waitSeconds }, randomName(ids))
      .catch(() => []);
    batches.push({ messages: latest, takenAt: clock.now() });
    room -= latest.length;
  }
  return batches;
};

/** Receives messages: waits for them only if not too many polls of the connection wait already. */
const receive = async (
  ports: ReceiptPorts,
  { id, queue, attempt }: { id: string; queue: string; attempt: string },
  options: PullOptions,
): Promise<readonly ReceivedBatch[]> => {
  const { clock, polls } = ports;
  const { waitSeconds, collectSeconds = 0 } = options;
  const from = { queue, attempt };
  const longest = Math.min(waitSeconds + collectSeconds, maxWaitSeconds);
  if (longest === 0) return collect(ports, from, options);

  const poll = await polls.begin(id, clock.now() + longest * 1000);
  if (!poll) return collect(ports, from, { ...options, waitSeconds: 0, collectSeconds: 0 });

  try {
    return await collect(ports, from, options);
  } finally {
    // A poll that waited for its whole time has ended by itself, and so will one that cannot be
    // ended now.
    if (clock.now() < poll.until) await polls.end(poll).catch(() => undefined);
  }
};

/**
 * A message of a pull; without a `receive` if the bus did not send it: nothing is recorded about it
 * then.
 */
interface TakenMessage {
  readonly message: Received;
  /** Epoch milliseconds. */
  readonly visibleAt: number;
  readonly receive: Receive | undefined;
}

/** @param got with its own `pull` for each copy: a queue may hold one message twice */
const receiveOf = (
  { messageId, messageType, correlationId, receiveCount, enqueuedAt: acceptedAt, replay }: Received,
  got: Pick<Receive, 'pull' | 'takenAt' | 'visibleAt'>,
): Receive | undefined => {
  if ([messageId, messageType, correlationId].includes('') || !Number.isFinite(acceptedAt))
    return undefined;
  return defined({
    messageId,
    messageType,
    correlationId,
    receiveCount,
    acceptedAt,
    replay,
    ...got,
  });
};

/** When messages were taken, and when they become visible again. */
const takenIn = ({ messages, takenAt: receivedAt }: ReceivedBatch, visibilitySeconds: number) => {
  // By the later of two clocks: nothing is received before it was accepted. What the bus did not
  // send has no such time.
  const acceptedAt = messages.map(({ enqueuedAt }) => enqueuedAt).filter(Number.isFinite);
  const takenAt = Math.max(receivedAt, ...acceptedAt);
  const visibleAt = takenAt + visibilitySeconds * 1000;
  return messages.map(message => ({ message, takenAt, visibleAt }));
};

/**
 * Records what happens to the messages of one pull: they are received, and perhaps returned at
 * once, or skipped.
 */
const record = (
  { clock, recorder }: ReceiptPorts,
  { id, workspace }: Connection,
  { kind, taken }: { kind: 'received' | 'released' | 'skipped'; taken: readonly TakenMessage[] },
): Promise<void> => {
  const receives = taken.flatMap(({ receive }) => receive ?? []);
  const at = Math.max(clock.now(), ...receives.map(({ takenAt }) => takenAt));
  const event = { connection: id, workspace, at };
  if (kind !== 'released') return recorder.record({ kind, ...event, receives });

  const returned = receives.map(one => ({ ...one, backAt: at }));
  return recorder.record({ kind, ...event, receives: returned });
};

/** Deletes the messages that the consumer was told to skip, and returns the others. */
const withoutSkipped = async (
  ports: ReceiptPorts,
  connection: Connection,
  taken: readonly TakenMessage[],
): Promise<readonly TakenMessage[]> => {
  const { queue = '', skips = [] } = connection;
  const isSkipped = ({ message }: TakenMessage) => skips.some(skip => isSameCopy(skip, message));
  const skipped = taken.filter(isSkipped);
  if (skipped.length === 0) return taken;

  const handles = skipped.map(({ message }) => message.receiptHandle);
  // What cannot be deleted now becomes visible again, and is skipped then.
  const left = await ports.inbox.delete(queue, handles).catch(() => handles);
  const deleted = skipped.filter(({ message }) => !left.includes(message.receiptHandle));
  await record(ports, connection, { kind: 'skipped', taken: deleted });
  return taken.filter(one => !isSkipped(one));
};

/** The messages of several batches, each with what is recorded about its receive. */
const takenOf = (
  batches: readonly ReceivedBatch[],
  { visibilitySeconds, attempt }: { visibilitySeconds: number; attempt: string },
): readonly TakenMessage[] =>
  batches
    .flatMap(batch => takenIn(batch, visibilitySeconds))
    .map(({ message, takenAt, visibleAt }, index) => {
      const pull = `${attempt}.${index}`;
      return { message, visibleAt, receive: receiveOf(message, { pull, takenAt, visibleAt }) };
    });

/** Puts messages back into their queue: the last one first, so that none overtakes another. */
const giveBack = async (
  ports: ReceiptPorts,
  connection: Connection,
  taken: readonly TakenMessage[],
): Promise<void> => {
  const handles = taken.map(({ message }) => message.receiptHandle).reverse();
  await ports.inbox.release(connection.queue ?? '', handles, 0);
  await record(ports, connection, { kind: 'released', taken });
};

/**
 * Takes the next messages of a consumer's queue, in order; each stays invisible for
 * `visibilitySeconds`. The receipts of messages with the same correlation_id form a group:
 * releasing one message also releases the later ones. If the client is gone, or the receipts cannot
 * be saved, the messages are returned to the queue: this pull delivers none, the next one may.
 */
export const pull = (ports: ReceiptPorts) =>
  async function pull(connection: Connection, options: PullOptions): Promise<readonly Received[]> {
    const { id, queue } = connection;
    if (queue === undefined) return [];

    // Before anything is received: what fails here costs no message its time.
    const by = { sealer: await ports.seals.sealer(), connection: id };
    // Before the messages can have become invisible: SQS counts their time from there.
    const askedAt = ports.clock.now();
    const attempt = randomName(ports.ids);
    const batches = await receive(ports, { id, queue, attempt }, options);

    const { visibilitySeconds } = options;
    const got = takenOf(batches, { visibilitySeconds, attempt });
    const taken = await withoutSkipped(ports, connection, got);

    const handouts = byCorrelation(taken).map(messages => {
      const until = Math.min(...messages.map(({ visibleAt }) => visibleAt));
      return handout({ ids: ports.ids, by }, messages, { takenAt: askedAt, until });
    });
    const groups = handouts.flatMap(({ group }) => group ?? []);

    try {
      await Promise.all([
        groups.length > 0 && ports.receipts.save(id, groups),
        record(ports, connection, { kind: 'received', taken }),
      ]);
    } catch (error) {
      await giveBack(ports, connection, taken).catch(() => undefined);
      throw error;
    }
    if (options.gone?.aborted && taken.length > 0) {
      await giveBack(ports, connection, taken);
      return [];
    }

    const receipts = new Map(handouts.flatMap(one => [...one.receipts]));
    return taken.map(({ message }) => ({
      ...message,
      receiptHandle: receipts.get(message.receiptHandle) ?? message.receiptHandle,
    }));
  };
