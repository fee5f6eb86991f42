import { limits } from '../contract/limits.ts';
import type { Clock } from '../contract/outside.ts';
import type { Registry } from '../registry/registry.ts';
import {
  type Correlation,
  canHaveExpired,
  type Entry,
  type Head,
  type Lease,
  type Log,
  newLease,
  nextTry,
  type Target,
} from './log.ts';
import type { Queues } from './queues.ts';

/** What stood in the way of a delivery, for a log: names only, nothing of a message. */
export interface DeliveryFault {
  readonly error: string;
  /** The queue that did not take an entry. */
  readonly queue?: string;
}

/** The name of whatever was thrown: a plain error's code where it has one, as the network's do. */
const nameOf = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return 'unknown';
  return thrown.name === 'Error' && 'code' in thrown && typeof thrown.code === 'string'
    ? thrown.code
    : thrown.name;
};

export const deliveryFault = (thrown: unknown, queue?: string): DeliveryFault => ({
  error: nameOf(thrown),
  ...(queue === undefined ? {} : { queue }),
});

/** One number of a log; without an entry where there is none any more. */
interface Place {
  readonly number: number;
  readonly entry?: Entry;
}

interface Stretch {
  readonly log: Correlation;
  readonly from: number;
  readonly to: number;
}

const secondLookMilliseconds = 1_000;

const hasHole = (page: readonly Entry[], from: number): boolean =>
  page.at(-1)?.number !== from + page.length - 1;

/** A page of entries. Where one is missing, a second look: what one commit wrote need not become visible at one moment. */
const pageOf = async (
  ports: { readonly clock: Clock; readonly log: Log },
  { log, from, to }: Stretch,
): Promise<readonly Entry[]> => {
  const page = await ports.log.entries(log, from, to);
  if (!hasHole(page, from)) return page;
  await ports.clock.sleep(secondLookMilliseconds);
  return ports.log.entries(log, from, to);
};

/** The places of a stretch in their order, read a page at a time. */
async function* placesOf(
  ports: { readonly clock: Clock; readonly log: Log },
  stretch: Stretch,
): AsyncGenerator<Place> {
  for (let number = stretch.from; number <= stretch.to; ) {
    const page = await pageOf(ports, { ...stretch, from: number });
    const entries = new Map(page.map(entry => [entry.number, entry]));
    const end = page.at(-1)?.number ?? stretch.to;
    for (; number <= end; number += 1) {
      const entry = entries.get(number);
      yield entry ? { number, entry } : { number };
    }
  }
}

/** What delivery needs from outside. */
export interface DeliveryPorts {
  readonly clock: Clock;
  readonly registry: Registry;
  readonly log: Log;
  readonly queues: Queues;
  /** Told of each fault that is tried again, or left to whoever comes next. */
  readonly noteFault?: (fault: DeliveryFault) => void;
}

/** One numbered place in a correlation's log. */
export interface LogPosition extends Correlation {
  readonly number: number;
}

/** A lease that is held, and how far the log was published when it was taken. */
export interface Run {
  readonly lease: Lease;
  readonly published: number;
  /** `acceptedAt` of the first entry to send, as far as the head knows. */
  readonly unsentSince: number;
  /** The entry that is to be sent last, where the holder has it. */
  readonly inHand?: Entry;
  /** No send begins at this time or later, whatever is left of the lease. */
  readonly until?: number;
}

const connectionsOf = (targets: readonly Target[]): readonly string[] =>
  targets.map(({ connection }) => connection);

/**
 * Records the targets without a queue, when their connections are gone too. A queue that is missing while its consumer is
 * registered is a fault, or one made a moment ago: what it should get is not skipped.
 */
const skipped = async (ports: DeliveryPorts, entry: Entry, gone: readonly Target[]): Promise<boolean> => {
  for (const { connection, queue } of gone) {
    if (await ports.registry.isRegistered(connection)) {
      ports.noteFault?.({ error: 'QueueDoesNotExist', queue });
      return false;
    }
  }
  await ports.log.markSkipped(entry, connectionsOf(gone));
  return true;
};

/**
 * Puts one entry into every queue that lacks it; false when a queue did not take it. Those that did are then recorded: queues
 * know a repeated message for five minutes only, and a broken queue may take longer.
 */
const sendEverywhere = async (ports: DeliveryPorts, entry: Entry): Promise<boolean> => {
  const sends = entry.targets.map(({ queue }) =>
    ports.queues.send(queue, entry).catch((fault: unknown) => {
      ports.noteFault?.(deliveryFault(fault, queue));
      return 'failed' as const;
    }),
  );
  const results = await Promise.all(sends);
  const those = (result: (typeof results)[number]) =>
    entry.targets.filter((_, index) => results[index] === result);
  const [failed, gone, sent] = [those('failed'), those('gone'), those('sent')];
  if (failed.length + gone.length > 0 && sent.length > 0)
    await ports.log.markDelivered(entry, connectionsOf(sent));
  if (failed.length > 0) return false;
  return gone.length === 0 || skipped(ports, entry, gone);
};

/** What a call that threw counts as. */
const note =
  ({ noteFault }: DeliveryPorts) =>
  (fault: unknown): false => {
    noteFault?.(deliveryFault(fault));
    return false;
  };

/** The places of a run that are to be sent, in order. */
async function* unsent(ports: DeliveryPorts, run: Run, upTo: LogPosition): AsyncGenerator<Place> {
  const to = run.inHand ? upTo.number - 1 : upTo.number;
  yield* placesOf(ports, { log: upTo, from: run.published + 1, to });
  if (run.inHand) yield { number: upTo.number, entry: run.inHand };
}

/** Gives up an entry that expired before it could be sent, and records that (see `Log.lose`); false when that is not sure. */
const givenUp = async (ports: DeliveryPorts, place: LogPosition, unsentSince: number): Promise<boolean> => {
  if (!canHaveExpired({ unsentSince, now: ports.clock.now() })) return false;
  await ports.log.markExpired(place, place.number);
  ports.noteFault?.({ error: 'EntryExpired' });
  return true;
};

/** Sends entries in their order while the lease lasts: how far it got, and the time of the last entry that it looked at. */
const sendInOrder = async (
  ports: DeliveryPorts,
  run: Run,
  upTo: LogPosition,
): Promise<{ readonly published: number; readonly unsentSince: number }> => {
  const until = Math.min(run.lease.until, run.until ?? run.lease.until);
  let { published, unsentSince } = run;
  try {
    for await (const { number, entry } of unsent(ports, run, upTo)) {
      if (ports.clock.now() >= until) break;
      unsentSince = entry?.acceptedAt ?? unsentSince;
      const done = entry
        ? await sendEverywhere(ports, entry)
        : await givenUp(ports, { ...upTo, number }, unsentSince);
      if (!done) break;
      published = number;
    }
  } catch (fault) {
    // What was sent stays sent: the lease is given back as for a queue that did not take an entry.
    ports.noteFault?.(deliveryFault(fault));
  }
  return { published, unsentSince };
};

/**
 * Sends what a leased correlation has not published yet, up to entry `upTo`, and gives the lease back. When the
 * closing update fails, the entries are in the queues nevertheless: whoever comes next sends them again within the
 * queues' deduplication window and moves the head.
 *
 * @returns the number of the last entry that is in every queue now, as far as this sender knows
 */
export const drain = async (ports: DeliveryPorts, run: Run, upTo: LogPosition): Promise<number> => {
  const { published, unsentSince } = await sendInOrder(ports, run, upTo);
  const now = ports.clock.now();
  const turn = published > run.published ? now : nextTry({ unsentSince, now });
  const progress = { published, unsentSince, nextTry: turn };
  await ports.log.release(upTo, run.lease, progress).catch(note(ports));
  return published;
};

/** What a sender begins with that took a lease of a log. */
export const runOf = (head: Head, lease: Lease, now: number): Run => ({
  lease,
  published: head.published,
  unsentSince: head.unsentSince ?? now,
});

/** One look at a log and, where nobody else is sending it, one attempt to send it. */
const deliverOnce = async (
  ports: DeliveryPorts,
  entry: LogPosition,
  { owner, deadline }: { readonly owner: string; readonly deadline: number },
): Promise<boolean> => {
  const { published } = await ports.log.head(entry);
  if (published >= entry.number) return true;
  const now = ports.clock.now();
  const until = deadline - limits.sendMilliseconds;
  if (now >= until) return false;
  const lease = newLease(owner, now);
  const taken = await ports.log.acquire(entry, lease, now);
  return (
    taken !== undefined && (await drain(ports, { ...runOf(taken, lease, now), until }, entry)) >= entry.number
  );
};

/**
 * Waits until an entry is in every queue, sending it (and all before it) as soon as nobody else does. Faults are
 * tried again like everything else.
 *
 * @param facts `deadline` in epoch milliseconds
 * @returns false when that did not happen in time
 */
export const awaitDelivery = async (
  ports: DeliveryPorts,
  entry: LogPosition,
  facts: { readonly owner: string; readonly deadline: number },
): Promise<boolean> => {
  if (ports.clock.now() >= facts.deadline) return false;
  for (let pause: number = limits.deliveryPollMilliseconds; ; pause = Math.min(2 * pause, 1_000)) {
    if (await deliverOnce(ports, entry, facts).catch(note(ports))) return true;
    if (ports.clock.now() + pause >= facts.deadline) return false;
    await ports.clock.sleep(pause);
  }
};
