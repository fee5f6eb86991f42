import { limits } from '../contract/limits.ts';
import type { Entry, Lease } from '../domain/delivery/log.ts';
import type { Clock, Correlation, Log, Queues } from '../ports.ts';

/** What delivery needs from outside. */
export interface DeliveryPorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly queues: Queues;
}

/** One numbered place in a correlation's log. */
export interface LogPosition extends Correlation {
  readonly number: number;
}

/** Puts one entry into every queue it was committed for; false when a queue did not take it. */
const sendEverywhere = async (ports: DeliveryPorts, entry: Entry): Promise<boolean> => {
  const sends = entry.targets.map(target => ports.queues.send(target.queue, entry));
  const results = await Promise.allSettled(sends);
  return results.every(result => result.status === 'fulfilled');
};

/** Sends entries in their order while the lease lasts, and gives the number of the last one that every queue has. */
const sendInOrder = async (
  ports: DeliveryPorts,
  run: { readonly lease: Lease; readonly published: number },
  entries: readonly Entry[],
): Promise<number> => {
  let published = run.published;
  for (const entry of entries) {
    const expected = entry.number === published + 1 && ports.clock.now() < run.lease.until;
    if (!expected || !(await sendEverywhere(ports, entry))) break;
    published = entry.number;
  }
  return published;
};

/**
 * Sends what a leased correlation has not published yet, up to entry `upTo`, and gives the lease back.
 *
 * @param run the lease the caller holds, the number of the last published entry when it was taken, and the entry
 *   `upTo` itself where the caller has it
 * @returns whether `upTo` is in every queue now
 */
export const drain = async (
  ports: DeliveryPorts,
  run: { readonly lease: Lease; readonly published: number; readonly inHand?: Entry },
  upTo: LogPosition,
): Promise<boolean> => {
  const first = run.published + 1;
  const last = run.inHand ? upTo.number - 1 : upTo.number;
  const stored = first <= last ? await ports.log.entries(upTo, first, last) : [];
  const published = await sendInOrder(ports, run, run.inHand ? [...stored, run.inHand] : stored);
  await ports.log.release(upTo, run.lease, published);
  return published >= upTo.number;
};

/**
 * Waits until an entry is in every queue, sending it (and all before it) as soon as nobody else does.
 *
 * @param deadline epoch milliseconds
 * @returns false when that did not happen in time
 */
export const awaitDelivery = async (
  ports: DeliveryPorts,
  entry: LogPosition,
  facts: { readonly owner: string; readonly deadline: number },
): Promise<boolean> => {
  for (let pause: number = limits.deliveryPollMilliseconds; ; pause = Math.min(2 * pause, 1_000)) {
    const now = ports.clock.now();
    const lease = { owner: facts.owner, until: now + limits.leaseMilliseconds };
    const head = await ports.log.head(entry);
    if (head.published >= entry.number) return true;
    const taken = await ports.log.acquire(entry, lease, now);
    if (taken && (await drain(ports, { lease, published: taken.published }, entry))) return true;
    if (ports.clock.now() + pause >= facts.deadline) return false;
    await ports.clock.sleep(pause);
  }
};
