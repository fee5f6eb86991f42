import { type Violation, violation } from '../contract/rules.ts';
import type { Connection } from '../domain/registry/connection.ts';
import type { Queues } from '../ports.ts';

/** What became of each receipt handle of an ack or a nack. */
export interface Receipts {
  readonly ok: readonly string[];
  readonly failed: readonly { readonly receiptHandle: string; readonly violation: Violation }[];
}

const sorted = (handles: readonly string[], lost: readonly string[]): Receipts => {
  const gone = new Set(lost);
  return {
    ok: handles.filter(handle => !gone.has(handle)),
    failed: handles
      .filter(handle => gone.has(handle))
      .map(receiptHandle => ({ receiptHandle, violation: violation('receipt.expired') })),
  };
};

/** Takes received messages off the queue for good. */
export const acknowledge =
  (ports: { readonly queues: Queues }) =>
  async ({ queue }: Connection, handles: readonly string[]): Promise<Receipts> =>
    sorted(handles, queue === undefined ? handles : await ports.queues.delete(queue, handles));

/** Gives received messages back: they come again after `delaySeconds`. */
export const release =
  (ports: { readonly queues: Queues }) =>
  async ({ queue }: Connection, handles: readonly string[], delaySeconds: number): Promise<Receipts> =>
    sorted(handles, queue === undefined ? handles : await ports.queues.release(queue, handles, delaySeconds));
