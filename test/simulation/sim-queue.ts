import type { Received } from '../../lib/bus/consuming/receipts.ts';
import type { Entry } from '../../lib/bus/delivery/log.ts';
import { attributesOf } from '../../lib/bus/delivery/queues.sqs.ts';
import { limits } from '../../lib/contract/limits.ts';
import { deduplicationMilliseconds } from '../../lib/local/engines/sqs/state.ts';

/** A message that a queue accepted, as an observer of the queue records it. */
export interface Taken {
  readonly entry: Entry;
  readonly body: string;
  readonly replay?: string;
  readonly at: number;
}

interface Waiting {
  readonly sequence: number;
  readonly content: Taken;
  receives: number;
  receipt: string;
  /** Epoch milliseconds; not after now: visible. */
  hiddenUntil: number;
  /** When it may be received, at the latest sight: the longest-waiting group comes first. */
  readySince: number;
}

/**
 * One consumer's FIFO queue, as a list that is searched from front to back. The contract tests
 * compare it with the engine.
 */
export class SimQueue {
  readonly taken: Taken[] = [];
  #messages: Waiting[] = [];
  readonly #sentAt = new Map<string, number>();
  #sequence = 0;
  #receipts = 0;

  send(
    entry: Entry,
    facts: { readonly replay?: string; readonly deduplicationId: string; readonly at: number },
  ): void {
    const { replay, deduplicationId, at } = facts;
    const key = `${entry.correlationId}\n${deduplicationId}`;
    const before = this.#sentAt.get(key);
    if (before !== undefined && before + deduplicationMilliseconds > at) return;
    this.#sentAt.set(key, at);
    const body = Buffer.from(entry.body).toString('utf8');
    const content = { entry, body, at, ...(replay === undefined ? {} : { replay }) };
    this.#sequence += 1;
    const sequence = this.#sequence;
    this.#messages.push({
      sequence,
      content,
      receives: 0,
      receipt: '',
      hiddenUntil: 0,
      readySince: at,
    });
    this.taken.push(content);
  }

  receive(max: number, visibilitySeconds: number, at: number): readonly Received[] {
    this.#expire(at);
    this.#receipts += 1;
    const messages = this.#available(at).slice(0, max);
    for (const message of messages) {
      message.receives += 1;
      message.receipt = `r${this.#receipts}`;
      this.#hide(message, at + visibilitySeconds * 1000, at);
    }
    return messages.map(received);
  }

  delete(handle: string, at: number): boolean {
    this.#expire(at);
    const [sequence] = handle.split(':');
    // A message that is gone counts as deleted, as on AWS.
    if (!this.#messages.some(message => `${message.sequence}` === sequence)) return true;
    const found = this.#find(handle, at);
    if (found) this.#messages = this.#messages.filter(message => message !== found);
    return found !== undefined;
  }

  release(handle: string, delaySeconds: number, at: number): boolean {
    const message = this.#find(handle, at);
    if (message) this.#hide(message, at + delaySeconds * 1000, at);
    return message !== undefined;
  }

  /**
   * Until when a message is hidden by a handle; undefined when that handle has no message in
   * flight.
   */
  hiddenUntil(handle: string, at: number): number | undefined {
    return this.#find(handle, at)?.hiddenUntil;
  }

  /** Whether the message of a handle is still in the queue, in flight or not. */
  keeps(handle: string): boolean {
    return this.#messages.some(({ sequence }) => `${sequence}` === handle.split(':')[0]);
  }

  get size(): number {
    return this.#messages.length;
  }

  #expire(at: number): void {
    const kept = limits.queueRetentionSeconds * 1000;
    this.#messages = this.#messages.filter(({ content }) => content.at + kept > at);
  }

  /** Groups with nothing in flight, each in order, the longest-waiting first. */
  #available(at: number): readonly Waiting[] {
    const groups = new Map<string, Waiting[]>();
    for (const message of this.#messages) {
      const { correlationId } = message.content.entry;
      groups.set(correlationId, [...(groups.get(correlationId) ?? []), message]);
    }
    return [...groups.values()]
      .filter(messages => messages.every(({ hiddenUntil }) => hiddenUntil <= at))
      .sort(([one], [other]) => (one?.readySince ?? 0) - (other?.readySince ?? 0))
      .flat();
  }

  #find(handle: string, at: number): Waiting | undefined {
    this.#expire(at);
    const message = this.#messages.find(
      ({ sequence, receipt }) => `${sequence}:${receipt}` === handle,
    );
    return message !== undefined && message.hiddenUntil > at ? message : undefined;
  }

  #hide(message: Waiting, until: number, at: number): void {
    message.hiddenUntil = until;
    message.readySince = Math.max(until, at);
  }
}

const received = ({ sequence, receipt, receives, content }: Waiting): Received => {
  const { entry, body, replay } = content;
  const attributes = attributesOf(entry, replay);
  return {
    receiptHandle: `${sequence}:${receipt}`,
    messageId: attributes.message_id.StringValue,
    messageType: attributes.message_type.StringValue,
    correlationId: attributes.correlation_id.StringValue,
    producer: attributes.producer_id.StringValue,
    systemId: attributes.system_id.StringValue,
    enqueuedAt: Date.parse(attributes.enqueued_at.StringValue),
    receiveCount: receives,
    ...(replay === undefined ? {} : { replay }),
    body,
  };
};
