import type { JsonObject } from '../../../platform/json/value.ts';
import { textInput, textListOf, textMapOf } from '../aws-json/input.ts';
import type { CallContext } from '../aws-json/server.ts';
import { localAccount } from '../machine.ts';
import { noSuchQueue, requiredParameter, sqsError } from './batch.ts';
import type { LocalQueue, QueueAttributes } from './queues.ts';
import type { SqsState } from './state.ts';

/** What a queue has unless its creator says otherwise (AWS docs, CreateQueue). */
const defaultAttributes: QueueAttributes = {
  DeduplicationScope: 'queue',
  FifoQueue: 'true',
  FifoThroughputLimit: 'perQueue',
  MaximumMessageSize: '1048576',
  MessageRetentionPeriod: '345600',
  ReceiveMessageWaitTimeSeconds: '0',
  SqsManagedSseEnabled: 'true',
  VisibilityTimeout: '30',
};

/** What AWS tells of every queue, and nobody can change here. */
const fixedAttributes: QueueAttributes = { ContentBasedDeduplication: 'false', DelaySeconds: '0' };

/** What AWS tells of a queue that has it: no queue here does. */
const unsetAttributes: readonly string[] = [
  'KmsDataKeyReusePeriodSeconds',
  'KmsMasterKeyId',
  'RedriveAllowPolicy',
  'RedrivePolicy',
];

const isSettable = (name: string): boolean =>
  name === 'Policy' || Object.hasOwn(defaultAttributes, name);

/** An empty text removes an attribute. Values are those of the bus: they are not checked. */
const mergeAttributes = (current: QueueAttributes, changes: QueueAttributes): QueueAttributes => {
  const unknown = Object.keys(changes).find(name => !isSettable(name));
  if (unknown !== undefined)
    throw sqsError('InvalidAttributeName', `Unknown Attribute ${unknown}.`);
  return Object.fromEntries(
    Object.entries({ ...current, ...changes }).filter(([, value]) => value !== ''),
  );
};

const { account, region } = localAccount;

export const queueArn = (name: string) => `arn:aws:sqs:${region}:${account}:${name}`;
const queueUrl = (call: CallContext, name: string) => `${call.endpoint}/${account}/${name}`;
const seconds = (milliseconds: number) => String(Math.floor(milliseconds / 1000));

export const createQueue = (state: SqsState, input: JsonObject, call: CallContext): JsonObject => {
  const name = requiredParameter(textInput(input, 'QueueName'), 'QueueName');
  const wanted = textMapOf(input, 'Attributes') ?? {};
  if (wanted['FifoQueue'] !== 'true' || !name.endsWith('.fifo'))
    throw sqsError('UnsupportedOperation', 'The local engine serves FIFO queues only.');
  const attributes = mergeAttributes(defaultAttributes, wanted);
  const existing = state.queues.get(name);
  const differing =
    existing &&
    Object.keys(wanted).find(each => (wanted[each] ?? '') !== (existing.attributes[each] ?? ''));
  if (differing !== undefined) {
    const reason =
      'A queue already exists with the same name and a different value for attribute ' +
      `${differing}`;
    throw sqsError('QueueNameExists', reason);
  }
  if (existing === undefined) {
    const at = state.clock.now();
    state.change([], () => state.queues.create({ name, uid: state.newId(), at, attributes }));
  }
  return { QueueUrl: queueUrl(call, name) };
};

export const deleteQueue = (state: SqsState, input: JsonObject): JsonObject => {
  const queue = queueNamedIn(state, input);
  state.change([queue.name], () => state.queues.drop(queue));
  return {};
};

export const getQueueUrl = (state: SqsState, input: JsonObject, call: CallContext): JsonObject => {
  const name = requiredParameter(textInput(input, 'QueueName'), 'QueueName');
  const owner = textInput(input, 'QueueOwnerAWSAccountId') ?? account;
  if (owner !== account) throw noSuchQueue();
  return { QueueUrl: queueUrl(call, state.queueAt(name).name) };
};

export const listQueues = (state: SqsState, _input: JsonObject, call: CallContext): JsonObject => ({
  QueueUrls: state.queues.names.map(name => queueUrl(call, name)),
});

export const getQueueAttributes = (state: SqsState, input: JsonObject): JsonObject => {
  const queue = queueNamedIn(state, input);
  const asked = textListOf(input, 'AttributeNames') ?? [];
  const all = attributesOf(queue, state.clock.now());
  const absent = ['All', 'Policy', ...unsetAttributes];
  const unknown = asked.find(name => !Object.hasOwn(all, name) && !absent.includes(name));
  if (unknown !== undefined)
    throw sqsError('InvalidAttributeName', `Unknown Attribute ${unknown}.`);
  const shown = Object.entries(all).filter(
    ([name]) => asked.includes('All') || asked.includes(name),
  );
  if (shown.length === 0) return {};
  return { Attributes: Object.fromEntries(shown) };
};

const attributesOf = (queue: LocalQueue, now: number): QueueAttributes => {
  const { visible, inFlight } = queue.messages.counts(now);
  return {
    ...fixedAttributes,
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
  const queue = queueNamedIn(state, input);
  const changes = requiredParameter(textMapOf(input, 'Attributes'), 'Attributes');
  const attributes = mergeAttributes(queue.attributes, changes);
  state.change([queue.name], () => state.queues.configure(queue, attributes, state.clock.now()));
  return {};
};

export const purgeQueue = (state: SqsState, input: JsonObject): JsonObject => {
  const queue = queueNamedIn(state, input);
  state.change([], () => state.queues.purge(queue));
  return {};
};

export const queueNamedIn = (state: SqsState, input: JsonObject): LocalQueue =>
  state.queueAt(requiredParameter(textInput(input, 'QueueUrl'), 'QueueUrl'));
