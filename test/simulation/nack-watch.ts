import type { Connection } from '../../lib/access/registry/connection.ts';
import { type Received, readReceipt } from '../../lib/bus/consuming/receipts.ts';
import type { SettleResult } from '../../lib/bus/consuming/settle.ts';
import { limits } from '../../lib/contract/limits.ts';
import { sealer } from '../support/fakes/seals.ts';
import type { World } from './world.ts';

/** The messages of some handles, and those after them of the same correlation. */
const withFollowers = (
  received: readonly Received[],
  handles: readonly string[],
): readonly Received[] =>
  received.filter(({ correlationId }, index) =>
    received
      .slice(0, index + 1)
      .some(one => one.correlationId === correlationId && handles.includes(one.receiptHandle)),
  );

const isSingle = ({ id }: Connection, text: string): boolean =>
  readReceipt({ sealer, connection: id }, text)?.kind === 'single';

/** What the consumer was told about a handle. */
type Told = 'acknowledged' | 'returned' | 'waiting';

/** Observes acks and nacks. */
export class NackWatch {
  readonly #world: World;
  /** Per consumer: handles that were released, themselves or with an earlier one. */
  readonly #blocked = new Map<string, Set<string>>();
  readonly #told = new Map<string, Told>();
  /**
   * Handles that a nack was ever sent for, or for an earlier one: what is still on its way may
   * release them.
   */
  readonly #asked = new Set<string>();

  constructor(world: World) {
    this.#world = world;
  }

  /** A nack is about to be sent. */
  asks(received: readonly Received[], handles: readonly string[]): void {
    for (const { receiptHandle } of withFollowers(received, handles))
      this.#asked.add(receiptHandle);
  }

  /** U: a used handle is answered as documented, whatever the delay was. */
  answered(how: 'ack' | 'nack', { ok, failed }: SettleResult): void {
    const outcomes = [
      ...ok.map(handle => [handle, 'ok'] as const),
      ...failed.map(({ receiptHandle, violation }) => [receiptHandle, violation.rule] as const),
    ];
    for (const [handle, outcome] of outcomes) {
      const told = this.#told.get(handle);
      const expected = {
        acknowledged: 'ok',
        returned: 'receipt.expired',
        waiting: 'order.blocked',
      } as const;
      if (told === undefined) continue;
      const right = how === 'nack' && told === 'acknowledged' ? 'receipt.expired' : expected[told];
      if (outcome !== right)
        this.#world.fail('U', `${how} of ${handle}, ${told} before, is ${outcome}`);
    }
    for (const handle of how === 'ack' ? ok : []) this.#told.set(handle, 'acknowledged');
  }

  /** Until when the messages are hidden that no nack was sent for. */
  hidden(consumer: Connection, received: readonly Received[]): ReadonlyMap<string, number> {
    const queue = this.#world.queue(consumer.queue ?? '');
    const { now } = this.#world.scheduler;
    return new Map(
      received.flatMap(({ receiptHandle }): [string, number][] => {
        const until = queue?.hiddenUntil(this.#queueHandle(consumer, receiptHandle), now);
        return until === undefined || this.#asked.has(receiptHandle)
          ? []
          : [[receiptHandle, until]];
      }),
    );
  }

  /**
   * U: a call that fails for every handle changes nothing. A message that came alone has no claim:
   * if the response to its return is lost, the bus cannot tell it from one that was acknowledged.
   */
  failed(
    consumer: Connection,
    before: ReadonlyMap<string, number>,
    handles: readonly string[],
  ): void {
    const queue = this.#world.queue(consumer.queue ?? '');
    const { now } = this.#world.scheduler;
    for (const [receiptHandle, until] of before) {
      if (handles.includes(receiptHandle) && isSingle(consumer, receiptHandle)) continue;
      const handle = this.#queueHandle(consumer, receiptHandle);
      const same =
        until <= now || queue?.hiddenUntil(handle, now) === until || !queue?.keeps(handle);
      if (!same)
        this.#world.fail('U', `${consumer.id} failed to nack, and ${receiptHandle} is released`);
    }
  }

  /** A nack was answered, with these handles as released. */
  nacked(consumer: Connection, received: readonly Received[], handles: readonly string[]): void {
    const blocked = this.#blocked.get(consumer.id) ?? new Set();
    this.#blocked.set(consumer.id, blocked);
    for (const { receiptHandle } of withFollowers(received, handles)) {
      if (this.#told.get(receiptHandle) === 'acknowledged') continue;
      blocked.add(receiptHandle);
      if (!this.#told.has(receiptHandle)) this.#told.set(receiptHandle, 'waiting');
    }
    for (const handle of handles) this.#told.set(handle, 'returned');
  }

  /**
   * N: after the response to a nack, its messages and those after them will be redelivered,
   * whatever failed before.
   */
  givenBack(
    consumer: Connection,
    received: readonly Received[],
    {
      handles,
      delaySeconds,
    }: { readonly handles: readonly string[]; readonly delaySeconds: number },
  ): void {
    const { now } = this.#world.scheduler;
    const queue = this.#world.queue(consumer.queue ?? '');
    const latest = now + delaySeconds * 1000 + limits.clockSkewMilliseconds;
    for (const { receiptHandle, messageId } of withFollowers(received, handles)) {
      const until = queue?.hiddenUntil(this.#queueHandle(consumer, receiptHandle), now) ?? 0;
      if (until <= latest) continue;
      const wait = Math.round((until - now) / 1000);
      this.#world.fail(
        'N',
        `${consumer.id} gave ${messageId} back, and it is hidden for ${wait} s more`,
      );
    }
  }

  #queueHandle({ id }: Connection, text: string): string {
    const receipt = readReceipt({ sealer, connection: id }, text);
    if (receipt?.kind !== 'member') return receipt?.handle ?? text;
    return (
      this.#world.ledger.groups.get(`${id}#${receipt.group}`)?.handles[receipt.position] ?? text
    );
  }

  /** I2: what was released with an earlier message cannot be acknowledged by its old handle. */
  acknowledged(
    consumer: Connection,
    received: readonly Received[],
    handles: readonly string[],
  ): void {
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
