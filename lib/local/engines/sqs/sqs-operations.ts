import type { JsonObject } from '../../../domain/message/json-object.ts';
import type { Call, Operation } from '../aws-json/aws-json-service.ts';
import * as queues from './queue-operations.ts';
import * as receipts from './receipt-operations.ts';
import { receiveMessage } from './receive-operation.ts';
import * as sends from './send-operations.ts';
import type { SqsState } from './sqs-state.ts';

type SqsOperation = (state: SqsState, input: JsonObject, call: Call) => JsonObject | Promise<JsonObject>;

const reads: Readonly<Record<string, SqsOperation>> = {
  GetQueueAttributes: queues.getQueueAttributes,
  GetQueueUrl: queues.getQueueUrl,
  ListQueueTags: queues.listQueueTags,
  ListQueues: queues.listQueues,
  ReceiveMessage: receiveMessage,
};

const writes: Readonly<Record<string, SqsOperation>> = {
  ChangeMessageVisibility: receipts.changeMessageVisibility,
  ChangeMessageVisibilityBatch: receipts.changeMessageVisibilityBatch,
  CreateQueue: queues.createQueue,
  DeleteMessage: receipts.deleteMessage,
  DeleteMessageBatch: receipts.deleteMessageBatch,
  DeleteQueue: queues.deleteQueue,
  PurgeQueue: queues.purgeQueue,
  SendMessage: sends.sendMessage,
  SendMessageBatch: sends.sendMessageBatch,
  SetQueueAttributes: queues.setQueueAttributes,
  TagQueue: queues.tagQueue,
  UntagQueue: queues.untagQueue,
};

/** The operations of SQS; those that write answer when everything they saw or did is on disk. */
export function sqsOperations(state: SqsState): ReadonlyMap<string, Operation> {
  const reading = Object.entries(reads).map(([name, operation]): [string, Operation] => [
    name,
    (input, call) => operation(state, input, call),
  ]);
  const writing = Object.entries(writes).map(([name, operation]): [string, Operation] => [
    name,
    async (input, call) => {
      const answer = await operation(state, input, call);
      // A duplicate, or a second delete, changes nothing: what it confirms must be on disk all the same.
      await state.log.saved();
      return answer;
    },
  ]);
  return new Map([...reading, ...writing]);
}
