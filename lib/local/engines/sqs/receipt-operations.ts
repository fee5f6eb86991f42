import { crc32 } from 'node:zlib';
import type { JsonObject } from '../../../platform/json/value.ts';
import { type AwsError, integerInput, textInput } from '../aws-json/input.ts';
import {
  batchEntriesOf,
  invalidParameter,
  requiredParameter,
  runBatch,
  sqsError,
} from './batch.ts';
import type { FoundMessage } from './messages.ts';
import { queueNamedIn } from './queue-operations.ts';
import type { LocalQueue } from './queues.ts';
import type { SqsState } from './state.ts';

interface Receipt {
  readonly queue: string;
  readonly sequence: number;
  readonly receipt: string;
}

/**
 * An opaque text without any character that needs escaping; its checksum tells a damaged handle
 * from an old one.
 */
export const encodeReceipt = ({ queue, sequence, receipt }: Receipt): string => {
  const text = JSON.stringify([queue, sequence, receipt]);
  return Buffer.from(`${checksum(text)}${text}`).toString('base64url');
};

/** undefined: not a handle that `encodeReceipt` returned. */
export const decodeReceipt = (handle: string): Receipt | undefined => {
  const decoded = Buffer.from(handle, 'base64url').toString();
  const text = decoded.slice(8);
  if (decoded.slice(0, 8) !== checksum(text)) return undefined;
  const parts = parsed(text);
  if (!Array.isArray(parts) || parts.length !== 3) return undefined;
  const [queue, sequence, receipt] = parts;
  if (typeof queue !== 'string' || !Number.isSafeInteger(sequence) || typeof receipt !== 'string')
    return undefined;
  return { queue, sequence, receipt };
};

/** Anybody can compute a checksum: what has one need not be JSON. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const checksum = (text: string) => crc32(text).toString(16).padStart(8, '0');

/** AWS docs, ChangeMessageVisibility: counted from the receive. */
const maxVisibilitySeconds = 43_200;

export const deleteMessage = (state: SqsState, input: JsonObject): JsonObject => {
  const queue = queueNamedIn(state, input);
  const look = lookUp(state, queue, [input]);
  const refusal = (handle: string) =>
    invalidParameter('ReceiptHandle', handle, 'The receipt handle has expired.');
  const message = removable(look(input), refusal);
  if (message !== undefined) remove(state, queue, [message]);
  return {};
};

/** Deletes all entries that may be deleted with a few statements, however many they are. */
export const deleteMessageBatch = (state: SqsState, input: JsonObject): JsonObject => {
  const queue = queueNamedIn(state, input);
  const entries = batchEntriesOf(input, ['ReceiptHandle']);
  const look = lookUp(
    state,
    queue,
    entries.map(entry => entry.input),
  );
  const refusal = () => sqsError('ReceiptHandleIsInvalid', 'The receipt handle has expired');
  const removed = new Map<number, FoundMessage>();
  const response = runBatch(entries, entry => {
    const message = removable(look(entry), refusal);
    if (message !== undefined) removed.set(message.sequence, message);
    return {};
  });
  if (removed.size > 0) remove(state, queue, [...removed.values()]);
  return response;
};

export const changeMessageVisibility = (state: SqsState, input: JsonObject): JsonObject => {
  const queue = queueNamedIn(state, input);
  return state.change([queue.name], () => changeVisibility(state, queue, input));
};

export const changeMessageVisibilityBatch = (state: SqsState, input: JsonObject): JsonObject => {
  const queue = queueNamedIn(state, input);
  const entries = batchEntriesOf(input, ['ReceiptHandle', 'VisibilityTimeout']);
  return state.change([queue.name], () =>
    runBatch(entries, entry => changeVisibility(state, queue, entry)),
  );
};

const remove = (state: SqsState, queue: LocalQueue, messages: readonly FoundMessage[]): void =>
  state.change([queue.name], () => queue.messages.remove(messages, state.clock.now()));

interface Named {
  readonly handle: string;
  readonly message: FoundMessage | undefined;
  readonly isCurrent: boolean;
}

/**
 * Reads the messages of all inputs at once; what is wrong with one is thrown when it is asked for.
 */
const lookUp = (
  state: SqsState,
  queue: LocalQueue,
  inputs: readonly JsonObject[],
): ((input: JsonObject) => Named) => {
  const now = state.clock.now();
  const sequences = inputs.flatMap(input => decodeReceipt(handleText(input) ?? '')?.sequence ?? []);
  const found = queue.messages.find(sequences, now);
  return input => {
    const handle = requiredParameter(textInput(input, 'ReceiptHandle'), 'ReceiptHandle');
    const receipt = decodeReceipt(handle);
    if (receipt === undefined || receipt.queue !== queue.uid)
      throw sqsError(
        'ReceiptHandleIsInvalid',
        `The input receipt handle "${handle}" is not a valid receipt handle.`,
      );
    const message = found.get(receipt.sequence);
    return {
      handle,
      message,
      isCurrent: message?.receipt === receipt.receipt && message.hiddenUntil > now,
    };
  };
};

const handleText = ({ ReceiptHandle: handle }: JsonObject) =>
  typeof handle === 'string' ? handle : undefined;

/**
 * A message that is gone counts as deleted; one that is there needs the handle it is in flight
 * under.
 *
 * @param refusal the error for an expired handle: AWS uses different words in a batch
 */
const removable = (
  { handle, message, isCurrent }: Named,
  refusal: (handle: string) => AwsError,
): FoundMessage | undefined => {
  if (message !== undefined && !isCurrent) throw refusal(handle);
  return message;
};

const changeVisibility = (state: SqsState, queue: LocalQueue, input: JsonObject): JsonObject => {
  const seconds = requiredParameter(integerInput(input, 'VisibilityTimeout'), 'VisibilityTimeout');
  if (seconds < 0 || seconds > maxVisibilitySeconds)
    throw invalidParameter(
      'VisibilityTimeout',
      seconds,
      `Must be between 0 and ${maxVisibilitySeconds}.`,
    );
  const { handle, message, isCurrent } = lookUp(state, queue, [input])(input);
  if (message === undefined || !isCurrent) {
    const reason = 'Message does not exist or is not available for visibility timeout change.';
    throw invalidParameter('ReceiptHandle', handle, reason);
  }
  const now = state.clock.now();
  const until = now + seconds * 1000;
  if (until > message.takenAt + maxVisibilitySeconds * 1000) {
    const reason =
      `Total VisibilityTimeout for the message is beyond the limit [${maxVisibilitySeconds} ` +
      'seconds].';
    throw invalidParameter('VisibilityTimeout', seconds, reason);
  }
  queue.messages.hide(message, until, now);
  return {};
};
