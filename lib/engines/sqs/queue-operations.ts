import { isJsonObject, type JsonObject } from '../../json/value.ts';
import { textListOf, textMapOf, textOf } from '../aws-json/input.ts';
import type { Call } from '../aws-json/server.ts';
import { localAccount } from '../machine.ts';
import { invalidParameter, requiredParameter, sqsError } from './batch.ts';
import type { LocalQueue, QueueAttributes } from './queues.ts';
import type { SqsState } from './state.ts';

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

const checkAttributes = (attributes: QueueAttributes): void => {
  for (const [name, value] of Object.entries(attributes)) {
    const fits = settable.get(name);
    if (fits === undefined) throw sqsError('InvalidAttributeName', `Unknown Attribute ${name}.`);
    if (!fits(value)) throw sqsError('InvalidAttributeValue', `Invalid value for the parameter ${name}.`);
  }
};

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

export const differingAttribute = (wanted: QueueAttributes, actual: QueueAttributes): string | undefined =>
  Object.keys(wanted).find(name => (wanted[name] ?? '') !== (actual[name] ?? ''));

const { account, region } = localAccount;

export const queueArn = (name: string) => `arn:aws:sqs:${region}:${account}:${name}`;
const queueUrl = (call: Call, name: string) => `${call.endpoint}/${account}/${name}`;
const seconds = (milliseconds: number) => String(Math.floor(milliseconds / 1000));

export const createQueue = (state: SqsState, input: JsonObject, call: Call): JsonObject => {
  const name = requiredParameter(textOf(input, 'QueueName'), 'QueueName');
  const wanted = textMapOf(input, 'Attributes') ?? {};
  checkName(name, wanted);
  const attributes = mergeAttributes(defaultAttributes, wanted);
  const existing = state.queues.get(name);
  const differing = existing && differingAttribute(wanted, existing.attributes);
  if (differing !== undefined) {
    const reason = `A queue already exists with the same name and a different value for attribute ${differing}`;
    throw sqsError('QueueNameExists', reason);
  }
  if (existing === undefined) {
    const at = state.clock.now();
    state.change([], () => state.queues.create({ name, uid: state.newId(), at, attributes }));
  }
  return { QueueUrl: queueUrl(call, name) };
};

const checkName = (name: string, attributes: QueueAttributes): void => {
  if (!name.endsWith('.fifo') && attributes['FifoQueue'] === undefined) {
    const advice = 'give QueueName the suffix .fifo and set the attribute FifoQueue to true.';
    throw sqsError('UnsupportedOperation', `The local engine serves FIFO queues only: ${advice}`);
  }
  if (!/^[\w-]{1,75}\.fifo$/.test(name)) {
    const form =
      'can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix';
    throw sqsError('InvalidParameterValue', `The name of a FIFO queue ${form} and be 1 to 80 in length.`);
  }
  if (attributes['FifoQueue'] === undefined) {
    throw invalidParameter(
      'QueueName',
      name,
      'A name with the suffix .fifo needs the attribute FifoQueue=true.',
    );
  }
};

export const deleteQueue = (state: SqsState, input: JsonObject): JsonObject => {
  const queue = queueOf(state, input);
  state.change([queue.name], () => state.queues.drop(queue));
  return {};
};

export const getQueueUrl = (state: SqsState, input: JsonObject, call: Call): JsonObject => {
  const name = requiredParameter(textOf(input, 'QueueName'), 'QueueName');
  return { QueueUrl: queueUrl(call, state.queueAt(name).name) };
};

export const listQueues = (state: SqsState, _input: JsonObject, call: Call): JsonObject => ({
  QueueUrls: state.queues.names.map(name => queueUrl(call, name)),
});

export const getQueueAttributes = (state: SqsState, input: JsonObject): JsonObject => {
  const queue = queueOf(state, input);
  const asked = textListOf(input, 'AttributeNames') ?? [];
  const all = attributesOf(queue, state.clock.now());
  const unknown = asked.find(name => name !== 'All' && !Object.hasOwn(all, name) && !isSettable(name));
  if (unknown !== undefined) throw sqsError('InvalidAttributeName', `Unknown Attribute ${unknown}.`);
  const shown = Object.entries(all).filter(([name]) => asked.includes('All') || asked.includes(name));
  return shown.length === 0 ? {} : { Attributes: Object.fromEntries(shown) };
};

const attributesOf = (queue: LocalQueue, now: number): QueueAttributes => {
  const { visible, inFlight } = queue.messages.counts(now);
  return {
    ...queue.attributes,
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesDelayed: '0',
    ApproximateNumberOfMessagesNotVisible: String(inFlight),
    CreatedTimestamp: seconds(queue.createdAt),
    LastModifiedTimestamp: seconds(queue.changedAt),
    QueueArn: queueArn(queue.name),
  };
};

export const setQueueAttributes = (state: SqsState, input: JsonObject): JsonObject => {
  const queue = queueOf(state, input);
  const changes = requiredParameter(textMapOf(input, 'Attributes'), 'Attributes');
  const attributes = mergeAttributes(queue.attributes, changes);
  state.change([queue.name], () => state.queues.configure(queue, attributes, state.clock.now()));
  return {};
};

export const purgeQueue = (state: SqsState, input: JsonObject): JsonObject => {
  const queue = queueOf(state, input);
  state.change([], () => state.queues.purge(queue));
  return {};
};

export const queueOf = (state: SqsState, input: JsonObject): LocalQueue =>
  state.queueAt(requiredParameter(textOf(input, 'QueueUrl'), 'QueueUrl'));
