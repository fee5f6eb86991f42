import type { Registry } from '../../access/registry/registry.ts';
import { limits } from '../../contract/limits.ts';
import type { Clock } from '../../contract/outside.ts';
import {
  type Correlation,
  canHaveExpired,
  type Entry,
  type Head,
  type Lease,
  type Log,
  newLease,
  nextDue,
  type Target,
} from './log.ts';
import { BrokenQueue, type Queues } from './queues.ts';

export interface DeliveryPorts {
  readonly clock: Clock;
  readonly registry: Pick<Registry, 'isRegistered'>;
  readonly log: Log;
  readonly queues: Queues;
}

/** What stopped a delivery, for a log line: names only, no message content. */
export interface DeliveryError {
  readonly name: string;
  readonly queue?: string;
  /** The queue was not asked: it is known to be broken, so waiting does not help. */
  readonly untried?: true;
}

const nameOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'Error' && 'code' in error && typeof error.code === 'string')
    return error.code;
  return error.name;
};

export const deliveryError = (error: unknown): DeliveryError => {
  if (error instanceof BrokenQueue) return { name: nameOf(error.cause), untried: true };
  return { name: nameOf(error) };
};

interface LogPosition extends Correlation {
  readonly number: number;
}

/** A number of a log; without an entry if that cannot be read. */
interface Slot {
  readonly number: number;
  readonly entry: Entry | undefined;
}

/** Entries of a log, both ends included. */
interface Range {
  readonly log: Correlation;
  readonly from: number;
  readonly to: number;
}

/**
 * A page of entries. A page with a gap, or an empty one, is read again: the writes of one commit
 * may become visible one by one.
 */
const readPage = async ({ clock, log }: DeliveryPorts, range: Range) => {
  const { from, to } = range;
  const page = await log.entries(range.log, from, to);
  const isWithoutGap = page.at(-1)?.number === from + page.length - 1;
  if (isWithoutGap) return page;

  await clock.sleep(1_000);
  return log.entries(range.log, from, to);
};

/** The numbers of a range in order, each with its entry, or without one if that is missing. */
async function* slotsOf(ports: DeliveryPorts, { log, from, to }: Range): AsyncGenerator<Slot> {
  let next = from;
  while (next <= to) {
    const page = await readPage(ports, { log, from: next, to });
    // Of a page that is still empty, all entries are missing.
    const end = page.at(-1)?.number ?? to;
    for (let number = next; number <= end; number += 1)
      yield { number, entry: page.find(entry => entry.number === number) };
    next = end + 1;
  }
}

/** A held lease, and how far the log was published when it was taken. */
interface LeasedLog {
  readonly lease: Lease;
  readonly published: number;
  /** `acceptedAt` of the first unsent entry, as far as the head knows. */
  readonly unsentSince: number;
  /** The last entry to send, if the holder of the lease already has it. */
  readonly inHand?: Entry;
  /** No send starts at or after this time, even if the lease lasts longer. */
  readonly until?: number;
}

export const leasedLog = (head: Head, lease: Lease, now: number): LeasedLog => ({
  lease,
  published: head.published,
  unsentSince: head.unsentSince ?? now,
});

/** What a sender has to send: what the log has, and last the entry that it has in hand. */
async function* unsentSlots(
  ports: DeliveryPorts,
  { published, inHand }: LeasedLog,
  upTo: LogPosition,
): AsyncGenerator<Slot> {
  const to = inHand ? upTo.number - 1 : upTo.number;
  yield* slotsOf(ports, { log: upTo, from: published + 1, to });
  if (inHand) yield { number: upTo.number, entry: inHand };
}

interface Step {
  readonly done: boolean;
  readonly error?: DeliveryError;
}

const connectionsOf = (targets: readonly Target[]) => targets.map(({ connection }) => connection);

/**
 * Skips targets whose queue and connection are both gone. If a queue is missing while its consumer
 * is registered, that is an error, or the queue was created a moment ago: its consumer must still
 * get the entry.
 */
const skipTargets = async (
  ports: DeliveryPorts,
  entry: Entry,
  gone: readonly Target[],
): Promise<Step> => {
  for (const { connection, queue } of gone) {
    if (await ports.registry.isRegistered(connection))
      return { done: false, error: { name: 'QueueDoesNotExist', queue } };
  }
  await ports.log.markSkipped(entry, connectionsOf(gone));
  return { done: true };
};

const sendTo = async ({ queues }: DeliveryPorts, entry: Entry, { queue }: Target) => {
  try {
    return await queues.send(queue, entry);
  } catch (error) {
    return { ...deliveryError(error), queue };
  }
};

/**
 * Puts an entry into every queue that lacks it. If only some queues accepted it, that is recorded:
 * a queue recognises a repeated message for five minutes only, and a broken queue may take longer.
 */
const sendEntry = async (ports: DeliveryPorts, entry: Entry): Promise<Step> => {
  const { targets } = entry;
  const results = await Promise.all(targets.map(target => sendTo(ports, entry, target)));

  const sent = targets.filter((_, index) => results[index] === 'sent');
  if (sent.length > 0 && sent.length < targets.length)
    await ports.log.markDelivered(entry, connectionsOf(sent));

  const error = results.findLast(result => typeof result !== 'string');
  if (error) return { done: false, error };

  const gone = targets.filter((_, index) => results[index] === 'gone');
  if (gone.length === 0) return { done: true };
  return skipTargets(ports, entry, gone);
};

/**
 * Moves past an entry that expired before it could be sent, and records that; not while it may only
 * be late to appear.
 */
const giveUpEntry = async (
  ports: DeliveryPorts,
  position: LogPosition,
  unsentSince: number,
): Promise<Step> => {
  if (!canHaveExpired({ unsentSince, now: ports.clock.now() })) return { done: false };
  await ports.log.markExpired(position, position.number);
  return { done: true, error: { name: 'EntryExpired' } };
};

interface Sent {
  /** The last entry that is in every queue, as far as this sender knows. */
  readonly published: number;
  readonly unsentSince: number;
  readonly error: DeliveryError | undefined;
}

/** Sends entries in order while the lease lasts. It stops at an error; what was sent stays sent. */
const sendInOrder = async (
  ports: DeliveryPorts,
  leased: LeasedLog,
  upTo: LogPosition,
): Promise<Sent> => {
  const until = Math.min(leased.lease.until, leased.until ?? leased.lease.until);
  let { published, unsentSince } = leased;
  let error: DeliveryError | undefined;
  try {
    for await (const { number, entry } of unsentSlots(ports, leased, upTo)) {
      if (ports.clock.now() >= until) break;

      unsentSince = entry?.acceptedAt ?? unsentSince;
      const step = entry
        ? await sendEntry(ports, entry)
        : await giveUpEntry(ports, { ...upTo, number }, unsentSince);
      error = step.error ?? error;
      if (!step.done) break;
      published = number;
    }
  } catch (thrown) {
    error = deliveryError(thrown);
  }
  return { published, unsentSince, error };
};

/**
 * Sends the unpublished entries of a leased correlation, up to entry `upTo`, and releases the
 * lease. If the closing update fails, the entries are still in the queues: the next sender sends
 * them again within the queues' deduplication window and moves the head.
 *
 * @returns `published`: the last entry that is in every queue, as far as this sender knows;
 * `error`: the last one, if any
 */
export const drain = async (
  ports: DeliveryPorts,
  leased: LeasedLog,
  upTo: LogPosition,
): Promise<Pick<Sent, 'published' | 'error'>> => {
  const { published, unsentSince, error } = await sendInOrder(ports, leased, upTo);

  const now = ports.clock.now();
  const hasMoved = published > leased.published;
  const dueAt = hasMoved ? now : nextDue({ unsentSince, now });
  try {
    await ports.log.release(upTo, leased.lease, { published, unsentSince, dueAt });
    return { published, error };
  } catch (releaseError) {
    return { published, error: deliveryError(releaseError) };
  }
};

/** Whether an entry is in every queue; if not, the last error that prevented it, if known. */
export interface DeliveryResult {
  readonly delivered: boolean;
  readonly error?: DeliveryError | undefined;
}

/** The caller that waits for a delivery, and its deadline (epoch milliseconds). */
export interface Waiter {
  readonly owner: string;
  readonly deadline: number;
}

/** Reads the head of a log and, if no other sender has it, tries once to send it. */
const deliverOnce = async (
  ports: DeliveryPorts,
  entry: LogPosition,
  { owner, deadline }: Waiter,
): Promise<DeliveryResult> => {
  const { published } = await ports.log.head(entry);
  if (published >= entry.number) return { delivered: true };

  const now = ports.clock.now();
  const until = deadline - limits.sendMilliseconds;
  if (now >= until) return { delivered: false };

  const lease = newLease(owner, now);
  const head = await ports.log.acquire(entry, lease, now);
  if (!head) return { delivered: false };

  const sent = await drain(ports, { ...leasedLog(head, lease, now), until }, entry);
  return { delivered: sent.published >= entry.number, error: sent.error };
};

/**
 * Waits until an entry is in every queue, and tries to send it whenever no other sender does. An
 * error ends only one try, unless a queue is known to be broken: then the relay finishes the
 * delivery.
 */
const awaitDelivery = async (
  ports: DeliveryPorts,
  entry: LogPosition,
  waiter: Waiter,
): Promise<DeliveryResult> => {
  const { clock } = ports;
  if (clock.now() >= waiter.deadline) return { delivered: false };

  let error: DeliveryError | undefined;
  let pause: number = limits.deliveryPollMilliseconds;
  for (;;) {
    const delivery = await deliverOnce(ports, entry, waiter).catch(
      (thrown: unknown): DeliveryResult => ({ delivered: false, error: deliveryError(thrown) }),
    );
    if (delivery.delivered) return delivery;

    error = delivery.error ?? error;
    const isLate = clock.now() + pause >= waiter.deadline;
    if (error?.untried || isLate) return { delivered: false, error };

    await clock.sleep(pause);
    pause = Math.min(2 * pause, 1_000);
  }
};

export interface Pending {
  readonly position: LogPosition;
  /** The last entry known to be in every queue when the head was read. */
  readonly published: number;
  /** The publisher's own lease, if it took one with the commit. */
  readonly leased: LeasedLog | undefined;
}

/**
 * Puts an entry into the queue of every target, after all earlier entries of its log: first under
 * the publisher's own lease, then whenever no other sender has the log, until the waiter's
 * deadline.
 */
export const deliver = async (
  ports: DeliveryPorts,
  { position, published, leased }: Pending,
  waiter: Waiter,
): Promise<DeliveryResult> => {
  if (published >= position.number) return { delivered: true };
  if (!leased) return awaitDelivery(ports, position, waiter);

  const sent = await drain(ports, leased, position);
  if (sent.published >= position.number) return { delivered: true };
  if (sent.error?.untried) return { delivered: false, error: sent.error };

  const delivery = await awaitDelivery(ports, position, waiter);
  if (delivery.delivered) return delivery;
  return { delivered: false, error: delivery.error ?? sent.error };
};
