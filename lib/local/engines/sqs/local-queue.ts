import type { StoredBody } from '../journal/stored-record.ts';
import { DeduplicationWindow } from './deduplication-window.ts';
import { FifoQueue, type QueueTiming } from './fifo-queue.ts';
import type { MessageAttributes } from './message-attribute.ts';
import type { QueueAttributes } from './queue-attributes.ts';
import { type RedrivePolicy, redrivePolicyOf } from './redrive-policy.ts';

/** What a sender gave, without the body, and what SQS computed from it. */
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
  /** Tells a queue from an earlier one of the same name. */
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

  /** What a send is told from its duplicates by. */
  deduplicationKey(group: string, deduplicationId: string): string {
    const perGroup = this.#attributes['DeduplicationScope'] === 'messageGroup';
    return perGroup ? `${group}\n${deduplicationId}` : deduplicationId;
  }
}

const redriveOf = ({ RedrivePolicy: text }: QueueAttributes) =>
  text === undefined ? undefined : redrivePolicyOf(text);

const timingOf = (attributes: QueueAttributes): QueueTiming => ({
  delayMs: Number(attributes['DelaySeconds']) * 1000,
  retentionMs: Number(attributes['MessageRetentionPeriod']) * 1000,
});
