import { hash } from 'node:crypto';
import { largeBytes } from '../../json/compression.ts';
import type { JsonObject } from '../../json/value.ts';
import { AwsError, integerOf, mapOf, textOf } from '../aws-json/input.ts';
import {
  answerBatch,
  type BatchEntry,
  batchEntriesOf,
  invalidParameter,
  requiredParameter,
  sqsError,
} from './batch.ts';
import {
  attributesBytes,
  attributesMd5,
  type MessageAttributes,
  messageAttributesOf,
} from './message-contents.ts';
import { queueOf } from './queue-operations.ts';
import type { LocalQueue } from './queues.ts';
import type { SentContent } from './sent-content.ts';
import type { SqsState } from './state.ts';

/** AWS docs, SendMessageBatch: of all messages of a batch together. */
const maxBatchBytes = 1_048_576;

/** What a message may be sent with. */
export const sendParameters = [
  'MessageBody',
  'MessageAttributes',
  'MessageSystemAttributes',
  'MessageGroupId',
  'MessageDeduplicationId',
  'DelaySeconds',
];

/** A message as its sender provided it, checked. */
interface Draft {
  readonly content: SentContent;
  readonly group: string;
  readonly deduplicationId: string;
  readonly system?: MessageAttributes;
}

export const sendMessage = (state: SqsState, input: JsonObject): JsonObject => {
  const queue = queueOf(state, input);
  const draft = draftOf(state, queue, input);
  return state.change([queue.name], () => send(state, queue, draft));
};

export const sendMessageBatch = (state: SqsState, input: JsonObject): JsonObject => {
  const queue = queueOf(state, input);
  const entries = batchEntriesOf(input, sendParameters);
  refuseUnordered(queue, entries);
  const bytes = entries.reduce((sum, entry) => sum + sizeOf(entry.input), 0);
  if (bytes > maxBatchBytes) {
    const sent = `Batch requests cannot be longer than ${maxBatchBytes} bytes. You have sent ${bytes} bytes.`;
    throw sqsError('BatchRequestTooLong', sent);
  }
  return state.change([queue.name], () =>
    answerBatch(entries, entry => send(state, queue, draftOf(state, queue, entry))),
  );
};

/** A batch is refused as a whole if a message cannot be ordered or deduplicated. */
const refuseUnordered = (queue: LocalQueue, entries: readonly BatchEntry[]): void => {
  for (const { input } of entries) {
    if (!textOf(input, 'MessageGroupId')) {
      throw sqsError('InvalidParameterValue', 'The request must contain the parameter MessageGroupId.');
    }
    if (textOf(input, 'MessageDeduplicationId') === undefined) refuseWithoutContentBased(queue);
  }
};

const sizeOf = (input: JsonObject): number => {
  const bytes = Buffer.byteLength(textOf(input, 'MessageBody') ?? '');
  try {
    return bytes + attributesBytes(messageAttributesOf(input, 'MessageAttributes'));
  } catch (fault) {
    // Attributes that are wrong are refused with their entry.
    if (fault instanceof AwsError) return bytes;
    throw fault;
  }
};

/** A queue with a consumer that keeps up stays below it, and spares the time to compress; a backlog spares the disk. */
const minBacklog = 1_000;

const send = (state: SqsState, queue: LocalQueue, draft: Draft): JsonObject => {
  const { content, group, deduplicationId, system } = draft;
  const at = state.clock.now();
  const key = { queue: queue.id, key: queue.deduplicationKey(group, deduplicationId), at };
  const fresh = { messageId: state.newId(), sequence: state.queues.nextNumber() };
  const first = state.sends.add(key, fresh);
  const { messageId: id, sequence } = first ?? fresh;
  if (first === undefined) {
    const traceHeader = system?.['AWSTraceHeader']?.StringValue;
    const isCompressed = content.bytes >= largeBytes || queue.messages.size >= minBacklog;
    const packed = content.pack({ deduplicationId, traceHeader, isCompressed });
    queue.messages.add({ sequence, id, group, sentAt: at, packed });
  }
  return {
    MessageId: id,
    MD5OfMessageBody: content.md5,
    ...(content.attributesMd5 && { MD5OfMessageAttributes: content.attributesMd5 }),
    ...(system && { MD5OfMessageSystemAttributes: attributesMd5(system) }),
    SequenceNumber: sequenceText(sequence),
  };
};

/** 20 digits, so that they also sort as text. */
export const sequenceText = (sequence: number): string => `1${String(sequence).padStart(19, '0')}`;

const draftOf = (state: SqsState, queue: LocalQueue, input: JsonObject): Draft => {
  const content = state.contents.of(input);
  const max = queue.number('MaximumMessageSize');
  if (content.bytes > max) {
    const reason = `One or more parameters are invalid. Reason: Message must be shorter than ${max} bytes.`;
    throw sqsError('InvalidParameterValue', reason);
  }
  refuseDelay(input);
  const system = systemAttributesOf(input);
  const ids = { group: groupOf(input), deduplicationId: deduplicationIdOf(queue, input, content.body) };
  return { content, ...ids, ...(system && { system }) };
};

const refuseDelay = (input: JsonObject): void => {
  const delay = integerOf(input, 'DelaySeconds') ?? 0;
  if (delay === 0) return;
  throw invalidParameter(
    'DelaySeconds',
    delay,
    'The request include parameter that is not valid for this queue type.',
  );
};

const systemAttributesOf = (input: JsonObject): MessageAttributes | undefined => {
  const names = Object.keys(mapOf(input, 'MessageSystemAttributes') ?? {});
  const unknown = names.find(name => name !== 'AWSTraceHeader');
  if (unknown === undefined) return messageAttributesOf(input, 'MessageSystemAttributes');
  throw sqsError('InvalidParameterValue', `Message system attribute name '${unknown}' is invalid.`);
};

// AWS docs, SendMessage: alphanumeric characters and ASCII punctuation.
const idPattern = /^[\x21-\x7e]{1,128}$/;

/** An id that the caller chose: of a group, a send or a receive. */
export const checkedId = (name: string, id: string): string => {
  if (idPattern.test(id)) return id;
  const form = 'can only include alphanumeric and punctuation characters. 1 to 128 in length.';
  throw invalidParameter(name, id, `${name} ${form}`);
};

const groupOf = (input: JsonObject) =>
  checkedId('MessageGroupId', requiredParameter(textOf(input, 'MessageGroupId'), 'MessageGroupId'));

const deduplicationIdOf = (queue: LocalQueue, input: JsonObject, body: Buffer): string => {
  const given = textOf(input, 'MessageDeduplicationId');
  if (given !== undefined) return checkedId('MessageDeduplicationId', given);
  refuseWithoutContentBased(queue);
  return hash('sha256', body);
};

const refuseWithoutContentBased = (queue: LocalQueue): void => {
  if (queue.attributes['ContentBasedDeduplication'] === 'true') return;
  const missing = 'have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly';
  throw sqsError('InvalidParameterValue', `The queue should either ${missing}`);
};
