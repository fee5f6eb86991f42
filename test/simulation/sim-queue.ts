import type { Received } from '../../lib/consuming/receipts.ts';
import { limits } from '../../lib/contract/limits.ts';
import type { Entry } from '../../lib/delivery/log.ts';
import { attributesOf } from '../../lib/delivery/queues.sqs.ts';
import { FifoQueue, isInFlight } from '../../lib/engines/sqs/fifo-queue.ts';
import { DeduplicationWindow } from '../../lib/engines/sqs/local-queue.ts';

interface Content {
  readonly entry: Entry;
  readonly body: string;
  readonly replay?: string;
}

/** A message that a queue accepted, as an observer of the queue records it. */
export interface Taken {
  readonly entry: Entry;
  readonly body: string;
  readonly replay?: string;
  readonly at: number;
}

/** One consumer's FIFO queue: the state of the local engine's queue, without its storage. */
export class SimQueue {
  readonly taken: Taken[] = [];
  readonly #queue = new FifoQueue<Content>({
    delayMilliseconds: 0,
    retentionMilliseconds: limits.queueRetentionSeconds * 1000,
  });
  readonly #seen = new DeduplicationWindow();
  #sequence = 0;
  #receipts = 0;

  send(
    entry: Entry,
    facts: { readonly replay?: string; readonly deduplicationId: string; readonly at: number },
  ): void {
    const { replay, deduplicationId, at } = facts;
    this.#queue.advance(at);
    const key = `${entry.correlationId}\n${deduplicationId}`;
    if (this.#seen.find(key, at)) return;
    this.#sequence += 1;
    const body = Buffer.from(entry.body).toString('utf8');
    const content = { entry, body, ...(replay === undefined ? {} : { replay }) };
    this.#seen.add(key, { at, messageId: entry.messageId, sequence: this.#sequence });
    this.#queue.add({
      sequence: this.#sequence,
      group: entry.correlationId,
      sentAt: at,
      content,
      receives: 0,
      receipt: '',
      firstTakenAt: 0,
      takenAt: 0,
      hiddenUntil: 0,
    });
    this.taken.push({ ...content, at });
  }

  receive(max: number, visibilitySeconds: number, at: number): readonly Received[] {
    this.#queue.advance(at);
    this.#receipts += 1;
    const messages = this.#queue.available(max);
    this.#queue.take(messages, `r${this.#receipts}`, at + visibilitySeconds * 1000);
    return messages.map(message => {
      const { entry, body, replay } = message.content;
      const attributes = attributesOf(entry, replay);
      return {
        receiptHandle: `${message.sequence}:${message.receipt}`,
        messageId: attributes.message_id.StringValue,
        messageType: attributes.message_type.StringValue,
        correlationId: attributes.correlation_id.StringValue,
        producer: attributes.producer_id.StringValue,
        systemId: attributes.system_id.StringValue,
        enqueuedAt: Date.parse(attributes.enqueued_at.StringValue),
        receiveCount: message.receives,
        body,
      };
    });
  }

  #find(handle: string, at: number) {
    this.#queue.advance(at);
    const [sequence, receipt] = handle.split(':');
    const message = this.#queue.find(Number(sequence));
    return message !== undefined && message.receipt === receipt && isInFlight(message) ? message : undefined;
  }

  delete(handle: string, at: number): boolean {
    // A message that is gone counts as deleted, as on AWS.
    if (this.#queue.find(Number(handle.split(':')[0])) === undefined) return true;
    const message = this.#find(handle, at);
    if (message) this.#queue.remove(message);
    return message !== undefined;
  }

  release(handle: string, delaySeconds: number, at: number): boolean {
    const message = this.#find(handle, at);
    if (message) this.#queue.hide(message, at + delaySeconds * 1000);
    return message !== undefined;
  }

  /** Until when a message is hidden by a handle; undefined when that handle has no message in flight. */
  hiddenUntil(handle: string, at: number): number | undefined {
    return this.#find(handle, at)?.hiddenUntil;
  }

  /** Whether the message of a handle is still in the queue, in flight or not. */
  keeps(handle: string): boolean {
    return this.#queue.find(Number(handle.split(':')[0])) !== undefined;
  }

  get size(): number {
    return [...this.#queue.all()].length;
  }
}
