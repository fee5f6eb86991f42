import { isJsonObject } from '../../json/value.ts';
import { invalidParameter, sqsError } from './batch.ts';

export interface RedrivePolicy {
  /** The name of the dead-letter queue. */
  readonly queue: string;
  readonly maxReceiveCount: number;
}

/** Reads the RedrivePolicy attribute (AWS docs, "Using dead-letter queues in Amazon SQS"). */
export const redrivePolicyOf = (text: string): RedrivePolicy => {
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
};

const parsed = (text: string): { deadLetterTargetArn?: unknown; maxReceiveCount?: unknown } => {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Refused below, like JSON of another shape.
  }
  throw refused(text, 'Redrive policy is not a valid JSON map.');
};

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

const jsonObject: Fits = value => {
  try {
    return value === '' || isJsonObject(JSON.parse(value));
  } catch {
    return false;
  }
};

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
  ['Policy', jsonObject],
  ['ReceiveMessageWaitTimeSeconds', within(0, 20)],
  ['RedriveAllowPolicy', jsonObject],
  ['RedrivePolicy', anyText],
  ['SqsManagedSseEnabled', oneOf('true', 'false')],
  ['VisibilityTimeout', within(0, 43_200)],
]);

/** The default attributes of a queue. */
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

/** Refuses names and values that SQS refuses. */
const checkAttributes = (attributes: QueueAttributes): void => {
  for (const [name, value] of Object.entries(attributes)) {
    const fits = settable.get(name);
    if (fits === undefined) throw sqsError('InvalidAttributeName', `Unknown Attribute ${name}.`);
    if (!fits(value)) throw sqsError('InvalidAttributeValue', `Invalid value for the parameter ${name}.`);
  }
};

/** `current` with `changes`; refuses a contradictory result. */
export const mergeAttributes = (current: QueueAttributes, changes: QueueAttributes): QueueAttributes => {
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
};

/** The first attribute whose value in `wanted` is not the one in `actual`. */
export const differingAttribute = (wanted: QueueAttributes, actual: QueueAttributes): string | undefined =>
  Object.keys(wanted).find(name => (wanted[name] ?? '') !== (actual[name] ?? ''));
