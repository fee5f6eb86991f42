import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../../platform/json/value.ts';
import { type OperationRow, operationsOf, textInput } from '../aws-json/input.ts';
import type { CallContext, Operation, Operations } from '../aws-json/server.ts';
import { type EngineClock, systemClock } from '../machine.ts';
import type { Store } from '../store.ts';
import { checkQueueParameters, sqsError } from './batch.ts';
import * as queues from './queue-operations.ts';
import * as receipts from './receipt-operations.ts';
import { receiveMessage, receiveParameters } from './receive-operation.ts';
import * as sends from './send-operations.ts';
import { SqsState } from './state.ts';

const operations: Readonly<
  Record<string, OperationRow<SqsState, [CallContext], ReturnType<Operation>>>
> = {
  ChangeMessageVisibility: {
    run: receipts.changeMessageVisibility,
    parameters: ['QueueUrl', 'ReceiptHandle', 'VisibilityTimeout'],
  },
  ChangeMessageVisibilityBatch: {
    run: receipts.changeMessageVisibilityBatch,
    parameters: ['QueueUrl', 'Entries'],
  },
  CreateQueue: { run: queues.createQueue, parameters: ['QueueName', 'Attributes'] },
  DeleteMessage: { run: receipts.deleteMessage, parameters: ['QueueUrl', 'ReceiptHandle'] },
  DeleteMessageBatch: { run: receipts.deleteMessageBatch, parameters: ['QueueUrl', 'Entries'] },
  DeleteQueue: { run: queues.deleteQueue, parameters: ['QueueUrl'] },
  GetQueueAttributes: {
    run: queues.getQueueAttributes,
    parameters: ['QueueUrl', 'AttributeNames'],
  },
  GetQueueUrl: { run: queues.getQueueUrl, parameters: ['QueueName', 'QueueOwnerAWSAccountId'] },
  ListQueues: { run: queues.listQueues, parameters: [] },
  PurgeQueue: { run: queues.purgeQueue, parameters: ['QueueUrl'] },
  ReceiveMessage: { run: receiveMessage, parameters: ['QueueUrl', ...receiveParameters] },
  SendMessage: { run: sends.sendMessage, parameters: ['QueueUrl', ...sends.sendParameters] },
  SetQueueAttributes: { run: queues.setQueueAttributes, parameters: ['QueueUrl', 'Attributes'] },
};

export interface SqsEngine {
  /**
   * By name. All but ReceiveMessage are synchronous; changes are on disk when the store says
   * `saved`.
   */
  readonly operations: Operations;
  /**
   * The queue that an input means (`QueueUrl` or `QueueName`). Throws SQS's refusal if there is
   * none.
   */
  find(input: JsonObject): { readonly arn: string; readonly policy: string | undefined };
  /** What CloudWatch has as ApproximateAgeOfOldestMessage; undefined if there is no such queue. */
  oldestAge(name: string): { readonly at: Date; readonly seconds: number } | undefined;
  endPolls(): void;
}

interface SqsEdges {
  readonly clock?: EngineClock;
  readonly newId?: () => string;
}

/**
 * `X-Amz-Target`, protocol version and size limit of SQS; a body of 1 MiB can take six times that
 * as JSON.
 */
export const sqsProtocol = {
  target: 'AmazonSQS',
  version: '1.0',
  maxRequestBytes: 8 * 1024 * 1024,
} as const;

/**
 * The operations of SQS on the queues of `store`. They take the SDK's inputs, with bytes as such or
 * as base64.
 */
export const sqsOperations = (store: Store, edges: SqsEdges = {}): SqsEngine => {
  const { clock = systemClock, newId = randomUUID } = edges;
  const state = new SqsState(store, { clock, newId });
  return {
    operations: operationsOf(state, operations, checkQueueParameters),
    find(input) {
      // An operation reads one of them: with both, it could mean another queue.
      const url = textInput(input, 'QueueName') ?? textInput(input, 'QueueUrl') ?? '';
      if ('QueueName' in input && 'QueueUrl' in input)
        throw sqsError('InvalidParameterValue', 'A request has either QueueUrl or QueueName.');
      const { name, attributes } = state.queueAt(url);
      return { arn: queues.queueArn(name), policy: attributes['Policy'] };
    },
    oldestAge(name) {
      if (!state.queues.names.includes(name)) return undefined;
      const now = state.clock.now();
      const sentAt = state.queueAt(name).messages.oldestSentAt(now) ?? now;
      return { at: new Date(now), seconds: Math.floor((now - sentAt) / 1000) };
    },
    endPolls: () => state.polls.close(),
  };
};
