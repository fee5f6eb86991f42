import { largeBytes } from '../../../platform/json/compression.ts';
import type { JsonObject } from '../../../platform/json/value.ts';
import { textInput } from '../aws-json/input.ts';
import { invalidParameter, requiredParameter, sqsError } from './batch.ts';
import type { SentContent } from './message-contents.ts';
import { queueNamedIn } from './queue-operations.ts';
import type { LocalQueue } from './queues.ts';
import type { SqsState } from './state.ts';

export const sendParameters = [
  'MessageBody',
  'MessageAttributes',
  'MessageGroupId',
  'MessageDeduplicationId',
];

interface Draft {
  readonly content: SentContent;
  readonly group: string;
  readonly deduplicationId: string;
}

export const sendMessage = (state: SqsState, input: JsonObject): JsonObject => {
  const queue = queueNamedIn(state, input);
  const draft = draftOf(state, queue, input);
  return state.change([queue.name], () => send(state, queue, draft));
};

/**
 * A queue with a consumer that keeps up stays below it, and spares the time to compress; a backlog
 * spares the disk.
 */
const minBacklog = 1_000;

const send = (state: SqsState, queue: LocalQueue, draft: Draft): JsonObject => {
  const { content, group, deduplicationId } = draft;
  const at = state.clock.now();
  const key = { queue: queue.id, key: queue.deduplicationKey(group, deduplicationId), at };
  const fresh = { messageId: state.newId(), sequence: state.queues.nextNumber() };
  const first = state.sends.add(key, fresh);
  const { messageId: id, sequence } = first ?? fresh;
  if (first === undefined) {
    const isCompressed = content.bytes >= largeBytes || queue.messages.size >= minBacklog;
    const packed = content.pack(deduplicationId, isCompressed);
    queue.messages.add({ sequence, id, group, sentAt: at, packed });
  }
  return {
    MessageId: id,
    MD5OfMessageBody: content.md5,
    ...(content.attributesMd5 && { MD5OfMessageAttributes: content.attributesMd5 }),
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
  return {
    content,
    group: idOf(input, 'MessageGroupId'),
    deduplicationId: idOf(input, 'MessageDeduplicationId'),
  };
};

// AWS docs, SendMessage: alphanumeric characters and ASCII punctuation.
const idPattern = /^[\x21-\x7e]{1,128}$/;

/** An id that the caller chose: of a group, a send or a receive. */
export const checkedId = (name: string, id: string): string => {
  if (idPattern.test(id)) return id;
  const form = 'can only include alphanumeric and punctuation characters. 1 to 128 in length.';
  throw invalidParameter(name, id, `${name} ${form}`);
};

const idOf = (input: JsonObject, name: 'MessageGroupId' | 'MessageDeduplicationId'): string =>
  checkedId(name, requiredParameter(textInput(input, name), name));
