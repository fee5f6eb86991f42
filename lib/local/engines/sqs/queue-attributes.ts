import { invalidParameter, sqsError } from './sqs-error.ts';

export type QueueAttributes = Readonly<Record<string, string>>;

interface Range {
  readonly least: number;
  readonly most: number;
}

/** Whole numbers a caller may set (AWS docs, CreateQueue). */
const ranges: Readonly<Record<string, Range>> = {
  DelaySeconds: { least: 0, most: 900 },
  KmsDataKeyReusePeriodSeconds: { least: 60, most: 86_400 },
  MaximumMessageSize: { least: 1024, most: 1_048_576 },
  MessageRetentionPeriod: { least: 60, most: 1_209_600 },
  ReceiveMessageWaitTimeSeconds: { least: 0, most: 20 },
  VisibilityTimeout: { least: 0, most: 43_200 },
};

/** Words a caller may set. */
const words: Readonly<Record<string, readonly string[]>> = {
  ContentBasedDeduplication: ['true', 'false'],
  DeduplicationScope: ['queue', 'messageGroup'],
  FifoQueue: ['true'],
  FifoThroughputLimit: ['perQueue', 'perMessageGroupId'],
  SqsManagedSseEnabled: ['true', 'false'],
};

/** Texts a caller may set; an empty one removes the attribute. */
const texts: readonly string[] = ['KmsMasterKeyId', 'Policy', 'RedriveAllowPolicy', 'RedrivePolicy'];

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

/** Refuses names SQS does not know and values it does not take. */
export function checkAttributes(attributes: QueueAttributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    const range = ranges[name];
    const allowed = words[name];
    if (range === undefined && allowed === undefined && !texts.includes(name)) {
      throw sqsError('InvalidAttributeName', `Unknown Attribute ${name}.`);
    }
    const fits =
      (range === undefined || isWithin(value, range)) && (allowed === undefined || allowed.includes(value));
    if (!fits) throw sqsError('InvalidAttributeValue', `Invalid value for the parameter ${name}.`);
  }
}

const isWithin = (value: string, { least, most }: Range) =>
  /^\d{1,9}$/.test(value) && Number(value) >= least && Number(value) <= most;

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
