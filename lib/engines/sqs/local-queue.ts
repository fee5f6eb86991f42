import type { StoredBody } from '../journal/frame.ts';
import { FifoQueue, type QueueTiming } from './fifo-queue.ts';
import type { MessageAttributes } from './message-contents.ts';
import { type QueueAttributes, type RedrivePolicy, redrivePolicyOf } from './queue-attributes.ts';

/** What later duplicates of a send get as their answer. */
interface SeenSend {
  readonly at: number;
  readonly messageId: string;
  readonly sequence: number;
}

/** AWS docs, "Using the message deduplication ID": duplicates are dropped for 5 minutes from the first send. */
export const deduplicationMilliseconds = 300_000;
/** Forgetting walks over the dropped entries' places: once a second, not on every send. */
const forgetEveryMilliseconds = 1_000;

/** The sends of the last five minutes by key, whether or not their messages are still in the queue. */
export class DeduplicationWindow {
  readonly #seen = new Map<string, SeenSend>();
  #forgottenAt = 0;

  find(key: string, now: number): SeenSend | undefined {
    const seen = this.#seen.get(key);
    return seen !== undefined && seen.at + deduplicationMilliseconds > now ? seen : undefined;
  }

  add(key: string, seen: SeenSend): void {
    this.#forget(seen.at);
    this.#seen.delete(key);
    this.#seen.set(key, seen);
  }

  entries(): readonly (readonly [string, SeenSend])[] {
    return [...this.#seen];
  }

  #forget(now: number): void {
    if (Math.abs(now - this.#forgottenAt) < forgetEveryMilliseconds) return;
    this.#forgottenAt = now;
    for (const [key, seen] of this.#seen) {
      if (seen.at + deduplicationMilliseconds > now) return;
      this.#seen.delete(key);
    }
  }
}

/** What a sender provided, without the body, and what SQS computed from it. */
export interface MessageFacts {
  readonly id: string;
  readonly deduplicationId: string;
  readonly md5: string;
  readonly attributes?: MessageAttributes;
  /** The system attribute AWSTraceHeader, the only one a sender may set. */
  readonly traceHeader?: string;
  /** The ARN of the queue it was moved from as undeliverable. */
  readonly movedFrom?: string;
}

export interface MessageContent {
  readonly facts: MessageFacts;
  readonly body: StoredBody;
}

/** A queue of the local engine: settings, messages and the sends of the last five minutes. */
export class LocalQueue {
  readonly name: string;
  /** Distinguishes a queue from an earlier one with the same name. */
  readonly uid: string;
  readonly createdAt: number;
  readonly messages: FifoQueue<MessageContent>;
  readonly seen = new DeduplicationWindow();
  tags: Readonly<Record<string, string>> = {};
  #attributes: QueueAttributes;
  #redrive: RedrivePolicy | undefined;
  #changedAt: number;

  constructor(name: string, uid: string, created: { at: number; attributes: QueueAttributes }) {
    this.name = name;
    this.uid = uid;
    this.createdAt = created.at;
    this.#changedAt = created.at;
    this.#attributes = created.attributes;
    this.#redrive = redriveOf(created.attributes);
    this.messages = new FifoQueue(timingOf(created.attributes));
  }

  get attributes(): QueueAttributes {
    return this.#attributes;
  }

  get changedAt(): number {
    return this.#changedAt;
  }

  get redrive(): RedrivePolicy | undefined {
    return this.#redrive;
  }

  configure(attributes: QueueAttributes, at: number): void {
    this.#attributes = attributes;
    this.#changedAt = at;
    this.#redrive = redriveOf(attributes);
    this.messages.retime(timingOf(attributes));
  }

  /** An attribute that is a whole number; every queue has those. */
  number(name: 'MaximumMessageSize' | 'ReceiveMessageWaitTimeSeconds' | 'VisibilityTimeout'): number {
    return Number(this.#attributes[name]);
  }

  /** What identifies duplicates of a send. */
  deduplicationKey(group: string, deduplicationId: string): string {
    const perGroup = this.#attributes['DeduplicationScope'] === 'messageGroup';
    return perGroup ? `${group}\n${deduplicationId}` : deduplicationId;
  }
}

const redriveOf = ({ RedrivePolicy: text }: QueueAttributes) =>
  text === undefined ? undefined : redrivePolicyOf(text);

const timingOf = (attributes: QueueAttributes): QueueTiming => ({
  delayMilliseconds: Number(attributes['DelaySeconds']) * 1000,
  retentionMilliseconds: Number(attributes['MessageRetentionPeriod']) * 1000,
});
