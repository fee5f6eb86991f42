import { type Received, readReceipt } from '../../lib/consuming/receipts.ts';
import { limits } from '../../lib/contract/limits.ts';
import type { Connection } from '../../lib/registry/connection.ts';
import type { World } from './world.ts';

/** The messages of some handles, and those after them of the same correlation. */
const withFollowers = (received: readonly Received[], handles: readonly string[]): readonly Received[] =>
  received.filter(({ correlationId }, index) =>
    received
      .slice(0, index + 1)
      .some(one => one.correlationId === correlationId && handles.includes(one.receiptHandle)),
  );

/** Observes nacks. */
export class NackWatch {
  readonly #world: World;
  /** Per consumer: handles that were released, themselves or with an earlier one. */
  readonly #blocked = new Map<string, Set<string>>();

  constructor(world: World) {
    this.#world = world;
  }

  /** A nack was answered, with these handles as released. */
  nacked(consumer: Connection, received: readonly Received[], handles: readonly string[]): void {
    const blocked = this.#blocked.get(consumer.id) ?? new Set();
    this.#blocked.set(consumer.id, blocked);
    for (const { receiptHandle } of withFollowers(received, handles)) blocked.add(receiptHandle);
  }

  /** N: after the answer to a nack, its messages and those after them will be redelivered, whatever failed before. */
  givenBack(
    consumer: Connection,
    received: readonly Received[],
    { handles, delaySeconds }: { readonly handles: readonly string[]; readonly delaySeconds: number },
  ): void {
    const { now } = this.#world.scheduler;
    const queue = this.#world.queue(consumer.queue ?? '');
    const latest = now + delaySeconds * 1000 + limits.clockSkewMilliseconds;
    for (const { receiptHandle, messageId } of withFollowers(received, handles)) {
      const until = queue?.hiddenUntil(this.#queueHandle(consumer, receiptHandle), now) ?? 0;
      if (until <= latest) continue;
      const wait = Math.round((until - now) / 1000);
      this.#world.fail('N', `${consumer.id} gave ${messageId} back, and it is hidden for ${wait} s more`);
    }
  }

  #queueHandle({ id }: Connection, text: string): string {
    const receipt = readReceipt(text);
    if (receipt?.kind !== 'member') return receipt?.handle ?? text;
    return this.#world.ledger.groups.get(`${id}#${receipt.group}`)?.handles[receipt.position] ?? text;
  }

  /** I2: what was released with an earlier message cannot be acknowledged by its old handle. */
  acknowledged(consumer: Connection, received: readonly Received[], handles: readonly string[]): void {
    const blocked = this.#blocked.get(consumer.id);
    for (const handle of handles) {
      if (!blocked?.has(handle)) continue;
      const message = received.find(({ receiptHandle }) => receiptHandle === handle);
      this.#world.fail(
        'I2',
        `${consumer.id} acknowledged ${message?.messageId} after an earlier message was released`,
      );
    }
  }
}
