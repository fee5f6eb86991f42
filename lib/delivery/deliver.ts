import { limits } from '../contract/limits.ts';
import {
  type DeliveryError,
  type DeliveryPorts,
  deliveryError,
  drain,
  type LogPosition,
  type Run,
  runOf,
} from './drain.ts';
import { newLease } from './log.ts';

/** Whether an entry is in every queue; if not, the last error that prevented it, if known. */
export type Delivery =
  | { readonly delivered: true }
  | { readonly delivered: false; readonly error: DeliveryError | undefined };

const delivered: Delivery = { delivered: true };
const undelivered = (error?: DeliveryError): Delivery => ({ delivered: false, error });

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
): Promise<Delivery> => {
  const { published } = await ports.log.head(entry);
  if (published >= entry.number) return delivered;
  const now = ports.clock.now();
  const until = deadline - limits.sendMilliseconds;
  if (now >= until) return undelivered();
  const lease = newLease(owner, now);
  const head = await ports.log.acquire(entry, lease, now);
  if (!head) return undelivered();
  const sent = await drain(ports, { ...runOf(head, lease, now), until }, entry);
  return sent.published >= entry.number ? delivered : undelivered(sent.error);
};

/** Milliseconds. */
const maxPause = 1_000;

/**
 * Waits until an entry is in every queue, and tries to send it whenever no other sender does. An error ends only one try, unless a
 * queue is known to be broken: then the relay finishes the delivery.
 */
const awaitDelivery = async (ports: DeliveryPorts, entry: LogPosition, waiter: Waiter): Promise<Delivery> => {
  const { clock } = ports;
  let error: DeliveryError | undefined;
  if (clock.now() >= waiter.deadline) return undelivered();
  for (let pause: number = limits.deliveryPollMilliseconds; ; pause = Math.min(2 * pause, maxPause)) {
    const delivery = await deliverOnce(ports, entry, waiter).catch((thrown: unknown) =>
      undelivered(deliveryError(thrown)),
    );
    if (delivery.delivered) return delivery;
    error = delivery.error ?? error;
    if (error?.untried || clock.now() + pause >= waiter.deadline) return undelivered(error);
    await clock.sleep(pause);
  }
};

/** An accepted entry, and what its publisher knows of its log. */
export interface Pending {
  readonly position: LogPosition;
  /** The last entry known to be in every queue when the head was read. */
  readonly published: number;
  /** The publisher's own lease, if it took one with the commit. */
  readonly run: Run | undefined;
}

/**
 * Puts an entry into the queue of every target, after all earlier entries of its log: first under the publisher's own lease,
 * then whenever no other sender has the log, until the waiter's deadline.
 */
export const deliver = async (
  ports: DeliveryPorts,
  { position, published, run }: Pending,
  waiter: Waiter,
): Promise<Delivery> => {
  if (published >= position.number) return delivered;
  if (!run) return awaitDelivery(ports, position, waiter);
  const sent = await drain(ports, run, position);
  if (sent.published >= position.number) return delivered;
  if (sent.error?.untried) return undelivered(sent.error);
  const delivery = await awaitDelivery(ports, position, waiter);
  return delivery.delivered ? delivery : undelivered(delivery.error ?? sent.error);
};
