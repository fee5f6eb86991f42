import { isJsonObject } from '../../json/value.ts';
import { invalidParameter, sqsError } from './batch.ts';

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
const jsonObject: Fits = value => {
  try {
    return value === '' || isJsonObject(JSON.parse(value));
  } catch {
    return false;
  }
};

/** What a caller may set (AWS docs, CreateQueue). */
const settable: ReadonlyMap<string, Fits> = new Map([
  ['DeduplicationScope', oneOf('queue', 'messageGroup')],
  ['FifoQueue', oneOf('true')],
  ['FifoThroughputLimit', oneOf('perQueue', 'perMessageGroupId')],
  ['MaximumMessageSize', within(1024, 1_048_576)],
  ['MessageRetentionPeriod', within(60, 1_209_600)],
  ['Policy', jsonObject],
  ['ReceiveMessageWaitTimeSeconds', within(0, 20)],
  ['SqsManagedSseEnabled', oneOf('true', 'false')],
  ['VisibilityTimeout', within(0, 43_200)],
]);

/** The default attributes of a queue. */
export const defaultAttributes: QueueAttributes = {
  DeduplicationScope: 'queue',
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
