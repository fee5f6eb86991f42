import { invalidParameter, sqsError } from './sqs-error.ts';

export type QueueAttributes = Readonly<Record<string, string>>;

type Fits = (value: string) => boolean;

const within =
  (least: number, most: number): Fits =>
  value =>
    /^\d{1,9}$/.test(value) && Number(value) >= least && Number(value) <= most;

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
