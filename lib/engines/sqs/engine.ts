import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../json/value.ts';
import { textOf } from '../aws-json/input.ts';
import type { Call, Operation } from '../aws-json/server.ts';
import { type EngineClock, systemClock } from '../machine.ts';
import type { Store } from '../store/store.ts';
import { sqsError } from './batch.ts';
import * as queues from './queue-operations.ts';
import * as receipts from './receipt-operations.ts';
import { receiveMessage } from './receive-operation.ts';
import * as sends from './send-operations.ts';
import { SqsState } from './state.ts';

type SqsOperation = (state: SqsState, input: JsonObject, call: Call) => JsonObject | Promise<JsonObject>;

const operations: Readonly<Record<string, SqsOperation>> = {
  ChangeMessageVisibility: receipts.changeMessageVisibility,
  ChangeMessageVisibilityBatch: receipts.changeMessageVisibilityBatch,
  CreateQueue: queues.createQueue,
  DeleteMessage: receipts.deleteMessage,
  DeleteMessageBatch: receipts.deleteMessageBatch,
  DeleteQueue: queues.deleteQueue,
  GetQueueAttributes: queues.getQueueAttributes,
  GetQueueUrl: queues.getQueueUrl,
  ListQueueTags: queues.listQueueTags,
  ListQueues: queues.listQueues,
  PurgeQueue: queues.purgeQueue,
  ReceiveMessage: receiveMessage,
  SendMessage: sends.sendMessage,
  SendMessageBatch: sends.sendMessageBatch,
  SetQueueAttributes: queues.setQueueAttributes,
  TagQueue: queues.tagQueue,
  UntagQueue: queues.untagQueue,
};

/** SQS FIFO queues in a database. */
export interface SqsEngine {
  /** By name. All but ReceiveMessage are synchronous; changes are on disk when the store says `saved`. */
  readonly operations: ReadonlyMap<string, Operation>;
  /** The queue that an input means (`QueueUrl` or `QueueName`). Throws SQS's refusal if there is none. */
  find(input: JsonObject): { readonly arn: string; readonly policy: string | undefined };
  /** Answers pending long polls without messages, and lets no new ones wait. */
  endPolls(): void;
}

interface SqsEdges {
  readonly clock?: EngineClock;
  /** Unique texts for message ids and receipts. */
  readonly newId?: () => string;
}

/** `X-Amz-Target`, protocol version and size limit of SQS; a body of 1 MiB can take six times that as JSON. */
export const sqsProtocol = {
  target: 'AmazonSQS',
  version: '1.0',
  maxRequestBytes: 8 * 1024 * 1024,
} as const;

/** The operations of SQS on the queues of `store`. They take the SDK's inputs, with bytes as such or as base64. */
export const sqsOperations = (store: Store, edges: SqsEdges = {}): SqsEngine => {
  const { clock = systemClock, newId = randomUUID } = edges;
  const state = new SqsState(store, { clock, newId });
  const named = Object.entries(operations).map(([name, operation]): [string, Operation] => [
    name,
    (input, call) => operation(state, input, call),
  ]);
  return {
    operations: new Map(named),
    find(input) {
      // An operation reads one of them: with both, it could mean another queue.
      const url = textOf(input, 'QueueName') ?? textOf(input, 'QueueUrl') ?? '';
      if ('QueueName' in input && 'QueueUrl' in input)
        throw sqsError('InvalidParameterValue', 'A request has either QueueUrl or QueueName.');
      const { name, attributes } = state.queueAt(url);
      return { arn: queues.queueArn(name), policy: attributes['Policy'] };
    },
    endPolls: () => state.polls.close(),
  };
};
