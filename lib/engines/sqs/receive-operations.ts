import { crc32 } from 'node:zlib';
import type { JsonObject } from '../../json/value.ts';
import { type AwsError, integerOf, textListOf, textOf } from '../aws-json/input.ts';
import type { Call } from '../aws-json/server.ts';
import { localPlace } from '../machine.ts';
import { answerBatch, batchEntriesOf, invalidParameter, requiredParameter, sqsError } from './batch.ts';
import type { QueuedMessage } from './fifo-queue.ts';
import type { LocalQueue, MessageContent } from './local-queue.ts';
import { askedAttributes, attributesMd5, md5 } from './message-contents.ts';
import { queueArn, queueOf } from './queue-operations.ts';
import { sequenceText } from './send-operations.ts';
import type { SqsState } from './state.ts';

/** What a receipt handle encodes: one receive of one message of one queue. */
export interface Receipt {
  readonly queue: string;
  readonly sequence: number;
  readonly receipt: string;
}

/** An opaque text without any character that needs escaping; its checksum tells a damaged handle from an old one. */
export const encodeReceipt = ({ queue, sequence, receipt }: Receipt): string => {
  const text = JSON.stringify([queue, sequence, receipt]);
  return Buffer.from(`${checksum(text)}${text}`).toString('base64url');
};

/** undefined: not a handle that `encodeReceipt` returned. */
export const decodeReceipt = (handle: string): Receipt | undefined => {
  const decoded = Buffer.from(handle, 'base64url').toString();
  const text = decoded.slice(8);
  if (!text.startsWith('[') || decoded.slice(0, 8) !== checksum(text)) return undefined;
  const parts: unknown = JSON.parse(text);
  if (!Array.isArray(parts)) return undefined;
  const [queue, sequence, receipt] = parts;
  if (typeof queue !== 'string' || typeof sequence !== 'number' || typeof receipt !== 'string')
    return undefined;
  return { queue, sequence, receipt };
};

const checksum = (text: string) => crc32(text).toString(16).padStart(8, '0');

type Message = QueuedMessage<MessageContent>;

interface Asked {
  readonly max: number;
  readonly waitSeconds: number;
  readonly visibilitySeconds: number;
}

/** Answers as soon as something is visible, or empty when the wait is over. */
export const receiveMessage = async (state: SqsState, input: JsonObject, call: Call): Promise<JsonObject> => {
  const asked = askedOf(queueOf(state, input), input);
  const until = state.clock.now() + asked.waitSeconds * 1000;
  for (;;) {
    const queue = queueOf(state, input);
    const messages = call.gone.aborted ? [] : take(state, queue, asked);
    if (messages.length > 0) return await answer(state, { queue, messages, input, call });
    if (state.clock.now() >= until || state.arrivals.closed || call.gone.aborted) return {};
    await state.arrivals.next(queue.name, Math.min(until, queue.messages.nextChangeAt ?? until), call.gone);
  }
};

const askedOf = (queue: LocalQueue, input: JsonObject): Asked => {
  const between = (name: string, min: number, max: number) => {
    const value = integerOf(input, name);
    if (value === undefined || (value >= min && value <= max)) return value;
    throw invalidParameter(name, value, `Must be between ${min} and ${max}, if provided.`);
  };
  return {
    max: between('MaxNumberOfMessages', 1, 10) ?? 1,
    waitSeconds: between('WaitTimeSeconds', 0, 20) ?? queue.number('ReceiveMessageWaitTimeSeconds'),
    visibilitySeconds: between('VisibilityTimeout', 0, 43_200) ?? queue.number('VisibilityTimeout'),
  };
};

const take = (state: SqsState, queue: LocalQueue, { max, visibilitySeconds }: Asked): readonly Message[] => {
  let messages = queue.messages.available(max);
  while (redrive(state, queue, messages)) messages = queue.messages.available(max);
  if (messages.length === 0) return messages;
  const at = state.clock.now();
  const sequences = messages.map(({ sequence }) => sequence);
  const until = at + visibilitySeconds * 1000;
  state.take({ op: 'take', queue: queue.name, at, sequences, receipt: state.newId(), until });
  return messages;
};

/** Moves those that were received too often to the dead-letter queue; whether there were any. */
const redrive = (state: SqsState, queue: LocalQueue, messages: readonly Message[]): boolean => {
  const { redrive: policy } = queue;
  if (policy === undefined || state.queues.get(policy.queue) === undefined) return false;
  const exhausted = messages.filter(({ receives }) => receives >= policy.maxReceiveCount);
  for (const { sequence } of exhausted) {
    const target = {
      to: policy.queue,
      newSequence: state.queues.nextSequence,
      movedFrom: queueArn(queue.name),
    };
    state.change({ op: 'move', queue: queue.name, at: state.clock.now(), sequence, ...target });
  }
  return exhausted.length > 0;
};

interface Taken {
  readonly queue: LocalQueue;
  readonly messages: readonly Message[];
  readonly input: JsonObject;
  readonly call: Call;
}

const answer = async (state: SqsState, { queue, messages, input, call }: Taken): Promise<JsonObject> => {
  const receipts = messages.map(message => ({ message, receipt: message.receipt }));
  // They were not delivered: visible again immediately instead of after the timeout.
  const giveBack = () => {
    for (const { message, receipt } of receipts) {
      if (message.receipt !== receipt || message.hiddenUntil === 0) continue;
      const at = state.clock.now();
      state.change({ op: 'hide', queue: queue.name, at, sequence: message.sequence, until: at });
    }
  };
  const Messages = await Promise.all(messages.map(message => shown(state, queue, { message, input })));
  if (call.gone.aborted) giveBack();
  else call.gone.addEventListener('abort', giveBack, { once: true });
  return { Messages };
};

const shown = async (state: SqsState, queue: LocalQueue, taken: { message: Message; input: JsonObject }) => {
  const { message, input } = taken;
  const { facts, body: stored } = message.content;
  // Before the first wait: these change with a later receive.
  const Attributes = systemAttributes(message, input);
  const handle = { queue: queue.uid, sequence: message.sequence, receipt: message.receipt };
  const body = await state.log.read(stored);
  if (md5(body) !== facts.md5) {
    throw new Error(`The body of message ${facts.id} is damaged: ${stored.file} at byte ${stored.offset}`);
  }
  const attributes = askedAttributes(facts.attributes, textListOf(input, 'MessageAttributeNames') ?? []);
  const hasAttributes = Object.keys(attributes).length > 0;
  return {
    MessageId: facts.id,
    ReceiptHandle: encodeReceipt(handle),
    Body: body.toString(),
    MD5OfBody: facts.md5,
    ...(Object.keys(Attributes).length > 0 && { Attributes }),
    ...(hasAttributes && {
      MessageAttributes: attributes,
      MD5OfMessageAttributes: attributesMd5(attributes),
    }),
  };
};

const systemAttributes = (message: Message, input: JsonObject): Readonly<Record<string, string>> => {
  const { facts } = message.content;
  const known: Readonly<Record<string, string | undefined>> = {
    ApproximateFirstReceiveTimestamp: String(message.firstTakenAt),
    ApproximateReceiveCount: String(message.receives),
    AWSTraceHeader: facts.traceHeader,
    DeadLetterQueueSourceArn: facts.movedFrom,
    MessageDeduplicationId: facts.deduplicationId,
    MessageGroupId: message.group,
    SenderId: localPlace.account,
    SentTimestamp: String(message.sentAt),
    SequenceNumber: sequenceText(message.sequence),
  };
  const asked = ['AttributeNames', 'MessageSystemAttributeNames'].flatMap(
    name => textListOf(input, name) ?? [],
  );
  return Object.fromEntries(
    Object.entries(known).flatMap(([name, value]): [string, string][] =>
      value !== undefined && (asked.includes('All') || asked.includes(name)) ? [[name, value]] : [],
    ),
  );
};

/** AWS docs, ChangeMessageVisibility: counted from the receive. */
const maxVisibilitySeconds = 43_200;

export const deleteMessage = (state: SqsState, input: JsonObject): JsonObject =>
  remove(state, queueOf(state, input), {
    input,
    refusal: handle => invalidParameter('ReceiptHandle', handle, 'The receipt handle has expired.'),
  });

export const deleteMessageBatch = (state: SqsState, input: JsonObject): JsonObject => {
  const queue = queueOf(state, input);
  const refusal = () => sqsError('ReceiptHandleIsInvalid', 'The receipt handle has expired');
  return answerBatch(batchEntriesOf(input), entry => remove(state, queue, { input: entry, refusal }));
};

export const changeMessageVisibility = (state: SqsState, input: JsonObject): JsonObject =>
  changeVisibility(state, queueOf(state, input), input);

export const changeMessageVisibilityBatch = (state: SqsState, input: JsonObject): JsonObject => {
  const queue = queueOf(state, input);
  return answerBatch(batchEntriesOf(input), entry => changeVisibility(state, queue, entry));
};

interface Removal {
  readonly input: JsonObject;
  /** The error for an expired handle: AWS uses different words in a batch. */
  readonly refusal: (handle: string) => AwsError;
}

/** A message that is gone counts as deleted; one that is there needs the handle it is in flight under. */
const remove = (state: SqsState, queue: LocalQueue, { input, refusal }: Removal): JsonObject => {
  const { handle, message, isCurrent } = found(queue, input);
  if (message === undefined) return {};
  if (!isCurrent) throw refusal(handle);
  state.change({ op: 'delete', queue: queue.name, at: state.clock.now(), sequence: message.sequence });
  return {};
};

const changeVisibility = (state: SqsState, queue: LocalQueue, input: JsonObject): JsonObject => {
  const seconds = requiredParameter(integerOf(input, 'VisibilityTimeout'), 'VisibilityTimeout');
  if (seconds < 0 || seconds > maxVisibilitySeconds) {
    throw invalidParameter('VisibilityTimeout', seconds, `Must be between 0 and ${maxVisibilitySeconds}.`);
  }
  const { handle, message, isCurrent } = found(queue, input);
  if (message === undefined || !isCurrent) {
    const reason = 'Message does not exist or is not available for visibility timeout change.';
    throw invalidParameter('ReceiptHandle', handle, reason);
  }
  const at = state.clock.now();
  const until = at + seconds * 1000;
  if (until > message.takenAt + maxVisibilitySeconds * 1000) {
    const reason = `Total VisibilityTimeout for the message is beyond the limit [${maxVisibilitySeconds} seconds].`;
    throw invalidParameter('VisibilityTimeout', seconds, reason);
  }
  state.change({ op: 'hide', queue: queue.name, at, sequence: message.sequence, until });
  return {};
};

const found = (queue: LocalQueue, input: JsonObject) => {
  const handle = requiredParameter(textOf(input, 'ReceiptHandle'), 'ReceiptHandle');
  const receipt = decodeReceipt(handle);
  if (receipt === undefined || receipt.queue !== queue.uid) {
    throw sqsError(
      'ReceiptHandleIsInvalid',
      `The input receipt handle "${handle}" is not a valid receipt handle.`,
    );
  }
  const message = queue.messages.find(receipt.sequence);
  return { handle, message, isCurrent: message?.receipt === receipt.receipt && message.hiddenUntil > 0 };
};
