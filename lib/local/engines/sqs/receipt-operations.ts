import type { JsonObject } from '../../../domain/message/json-object.ts';
import type { AwsError } from '../aws-json/aws-error.ts';
import { integerOf, textOf } from '../aws-json/json-input.ts';
import { answerBatch, batchEntriesOf } from './batch-request.ts';
import type { LocalQueue } from './local-queue.ts';
import { queueOf } from './queue-operations.ts';
import { decodeReceipt } from './receipt-handle.ts';
import { invalidParameter, requiredParameter, sqsError } from './sqs-error.ts';
import type { SqsState } from './sqs-state.ts';

/** AWS docs, ChangeMessageVisibility: counted from the receive. */
const maxVisibilitySeconds = 43_200;

export const deleteMessage = (state: SqsState, input: JsonObject): JsonObject =>
  remove(state, queueOf(state, input), {
    input,
    refusal: handle => invalidParameter('ReceiptHandle', handle, 'The receipt handle has expired.'),
  });

export function deleteMessageBatch(state: SqsState, input: JsonObject): JsonObject {
  const queue = queueOf(state, input);
  const refusal = () => sqsError('ReceiptHandleIsInvalid', 'The receipt handle has expired');
  return answerBatch(batchEntriesOf(input), entry => remove(state, queue, { input: entry, refusal }));
}

export const changeMessageVisibility = (state: SqsState, input: JsonObject): JsonObject =>
  changeVisibility(state, queueOf(state, input), input);

export function changeMessageVisibilityBatch(state: SqsState, input: JsonObject): JsonObject {
  const queue = queueOf(state, input);
  return answerBatch(batchEntriesOf(input), entry => changeVisibility(state, queue, entry));
}

interface Removal {
  readonly input: JsonObject;
  /** What an expired handle is told: AWS uses other words in a batch. */
  readonly refusal: (handle: string) => AwsError;
}

/** A message that is gone counts as deleted; one that is there needs the handle it is in flight under. */
function remove(state: SqsState, queue: LocalQueue, { input, refusal }: Removal): JsonObject {
  const { handle, message, isCurrent } = found(queue, input);
  if (message === undefined) return {};
  if (!isCurrent) throw refusal(handle);
  state.change({ op: 'delete', queue: queue.name, at: state.clock.now(), sequence: message.sequence });
  return {};
}

function changeVisibility(state: SqsState, queue: LocalQueue, input: JsonObject): JsonObject {
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
}

function found(queue: LocalQueue, input: JsonObject) {
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
}
