import type { StoredBody } from '../journal/frame.ts';
import { FifoQueue, type QueueTiming } from './fifo-queue.ts';
import { invalidParameter, type MessageAttributes, sqsError } from './requests.ts';

/** A send as later duplicates of it are answered. */
export interface SeenSend {
  readonly at: number;
  readonly messageId: string;
  readonly sequence: number;
}

/** AWS docs, "Using the message deduplication ID": duplicates are dropped for 5 minutes from the first send. */
export const deduplicationMs = 300_000;
/** Forgetting walks over the dropped entries' places: once a second, not with every send. */
const forgetEveryMs = 1_000;

/** The sends of the last five minutes by key, whether or not their messages are still in the queue. */
export class DeduplicationWindow {
  readonly #seen = new Map<string, SeenSend>();
  #forgottenAt = 0;

  find(key: string, now: number): SeenSend | undefined {
    const seen = this.#seen.get(key);
    return seen !== undefined && seen.at + deduplicationMs > now ? seen : undefined;
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
    if (Math.abs(now - this.#forgottenAt) < forgetEveryMs) return;
    this.#forgottenAt = now;
    for (const [key, seen] of this.#seen) {
      if (seen.at + deduplicationMs > now) return;
      this.#seen.delete(key);
    }
  }
}

interface RedrivePolicy {
  /** The name of the queue that takes what could not be processed. */
  readonly queue: string;
  readonly maxReceiveCount: number;
}

/** Reads the RedrivePolicy attribute (AWS docs, "Using dead-letter queues in Amazon SQS"). */
export function redrivePolicyOf(text: string): RedrivePolicy {
  const { deadLetterTargetArn, maxReceiveCount } = parsed(text);
  const queue =
    typeof deadLetterTargetArn === 'string'
      ? /^arn:aws:sqs:[^:]*:\d{12}:(.+)$/.exec(deadLetterTargetArn)?.[1]
      : undefined;
  if (queue === undefined) throw refused(text, 'Invalid value for deadLetterTargetArn.');
  if (!queue.endsWith('.fifo'))
    throw refused(text, 'Dead-letter queue must be same type of queue as the source.');
  const count = Number(maxReceiveCount);
  if (!Number.isInteger(count) || count < 1 || count > 1000) {
    throw refused(text, 'Invalid value for maxReceiveCount: must be between 1 and 1000.');
  }
  return { queue, maxReceiveCount: count };
}

function parsed(text: string): { deadLetterTargetArn?: unknown; maxReceiveCount?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Refused below, like JSON of another shape.
  }
  throw refused(text, 'Redrive policy is not a valid JSON map.');
}

const refused = (text: string, reason: string) => invalidParameter('RedrivePolicy', text, reason);

export type QueueAttributes = Readonly<Record<string, string>>;

type Fits = (value: string) => boolean;

const within =
  (min: number, max: number): Fits =>
  value =>
    /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max;

const oneOf =
  (...words: string[]): Fits =>
  value =>
    words.includes(value);

/** An empty text removes the attribute. */
const anyText: Fits = () => true;

/** What a caller may set (AWS docs, CreateQueue). */
const settable: ReadonlyMap<string, Fits> = new Map([
  ['ContentBasedDeduplication', oneOf('true', 'false')],
  ['DeduplicationScope', oneOf('queue', 'messageGroup')],
  ['DelaySeconds', within(0, 900)],
  ['FifoQueue', oneOf('true')],
  ['FifoThroughputLimit', oneOf('perQueue', 'perMessageGroupId')],
  ['KmsDataKeyReusePeriodSeconds', within(60, 86_400)],
  ['KmsMasterKeyId', anyText],
  ['MaximumMessageSize', within(1024, 1_048_576)],
  ['MessageRetentionPeriod', within(60, 1_209_600)],
  ['Policy', anyText],
  ['ReceiveMessageWaitTimeSeconds', within(0, 20)],
  ['RedriveAllowPolicy', anyText],
  ['RedrivePolicy', anyText],
  ['SqsManagedSseEnabled', oneOf('true', 'false')],
  ['VisibilityTimeout', within(0, 43_200)],
]);

/** What a queue has when nothing else is said. */
export const defaultAttributes: QueueAttributes = {
  ContentBasedDeduplication: 'false',
  DeduplicationScope: 'queue',
  DelaySeconds: '0',
  FifoQueue: 'true',
  FifoThroughputLimit: 'perQueue',
  MaximumMessageSize: '1048576',
  MessageRetentionPeriod: '345600',
  ReceiveMessageWaitTimeSeconds: '0',
  SqsManagedSseEnabled: 'true',
  VisibilityTimeout: '30',
};

export const isSettable = (name: string): boolean => settable.has(name);

/** Refuses names SQS does not know and values it does not take. */
function checkAttributes(attributes: QueueAttributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    const fits = settable.get(name);
    if (fits === undefined) throw sqsError('InvalidAttributeName', `Unknown Attribute ${name}.`);
    if (!fits(value)) throw sqsError('InvalidAttributeValue', `Invalid value for the parameter ${name}.`);
  }
}

/** `current` with `changes`; refuses what would not fit together. */
export function mergeAttributes(current: QueueAttributes, changes: QueueAttributes): QueueAttributes {
  checkAttributes(changes);
  const merged = Object.entries({ ...current, ...changes }).filter(([, value]) => value !== '');
  const attributes = Object.fromEntries(merged);
  if (
    attributes['FifoThroughputLimit'] === 'perMessageGroupId' &&
    attributes['DeduplicationScope'] !== 'messageGroup'
  ) {
    const reason = 'perMessageGroupId is allowed only when DeduplicationScope is messageGroup.';
    throw invalidParameter('FifoThroughputLimit', 'perMessageGroupId', reason);
  }
  return attributes;
}

/** The first attribute whose value in `wanted` is not the one in `actual`. */
export const differingAttribute = (wanted: QueueAttributes, actual: QueueAttributes): string | undefined =>
  Object.keys(wanted).find(name => (wanted[name] ?? '') !== (actual[name] ?? ''));

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
