import {
  type BatchResultErrorEntry,
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { QueueHome } from '../aws/clients.ts';
import type { Inbox, Received } from './receipts.ts';

const batchSize = 10;

const batches = <T>(items: readonly T[]): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / batchSize) }, (_, index) =>
    items.slice(index * batchSize, (index + 1) * batchSize),
  );

type BatchCall = (handles: readonly string[]) => Promise<readonly BatchResultErrorEntry[] | undefined>;

/** Whether a batch entry failed because of the service, not because of the request. */
const isServiceError = ({ SenderFault, Code = '' }: BatchResultErrorEntry): boolean =>
  SenderFault === false || /throttl/i.test(Code);

const batchTries = 2;

/** Applies a batch call to receipt handles, and retries once those that the service failed on. Returns the refused handles. */
const refusedOf = async (handles: readonly string[], call: BatchCall): Promise<readonly string[]> => {
  const refused: string[] = [];
  let left = handles;
  for (let tries = 1; ; tries += 1) {
    const asked = left;
    const failed = (await call(asked)) ?? [];
    const handlesOf = (entries: typeof failed) => entries.flatMap(({ Id }) => asked[Number(Id)] ?? []);
    const errors = failed.filter(isServiceError);
    refused.push(...handlesOf(failed.filter(entry => !errors.includes(entry))));
    if (errors.length === 0) return refused;
    if (tries === batchTries) throw new Error(`The queue service failed: ${errors[0]?.Code}`);
    left = handlesOf(errors);
  }
};

/**
 * Applies a batch call to any number of receipt handles, and returns the refused ones.
 *
 * @throws Error if the service failed for some handles, after all the others are done
 */
const inBatches = async (handles: readonly string[], call: BatchCall): Promise<readonly string[]> => {
  const outcomes = await Promise.allSettled(batches(handles).map(batch => refusedOf(batch, call)));
  return outcomes.flatMap(outcome => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
};

const attribute = ({ MessageAttributes }: Message, name: string): string =>
  MessageAttributes?.[name]?.StringValue ?? '';

const received = (message: Message): Received => ({
  receiptHandle: message.ReceiptHandle ?? '',
  messageId: attribute(message, 'message_id'),
  messageType: attribute(message, 'message_type'),
  correlationId: attribute(message, 'correlation_id'),
  producer: attribute(message, 'producer_id'),
  systemId: attribute(message, 'system_id'),
  enqueuedAt: Date.parse(attribute(message, 'enqueued_at')),
  receiveCount: Number(message.Attributes?.ApproximateReceiveCount ?? 1),
  ...(message.MessageAttributes?.['replay_id'] ? { replay: attribute(message, 'replay_id') } : {}),
  body: message.Body ?? '',
});

/**
 * The consumers' queues in SQS FIFO.
 *
 * @param poller waits as long as a poll takes and never retries: a second poll would outlast the caller
 */
export const awsInbox = ({ client, baseUrl }: QueueHome, poller: SQSClient = client): Inbox => ({
  async receive(queue, { max, waitSeconds, visibilitySeconds, gone }, attempt) {
    const receive = (WaitTimeSeconds: number) =>
      new ReceiveMessageCommand({
        QueueUrl: baseUrl + queue,
        MaxNumberOfMessages: max,
        WaitTimeSeconds,
        VisibilityTimeout: visibilitySeconds,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['ApproximateReceiveCount'],
        ReceiveRequestAttemptId: attempt,
      });
    const abort = gone && { abortSignal: gone };
    const response = await poller.send(receive(waitSeconds), abort).catch(() => {
      if (gone?.aborted) return undefined;
      // The response of a failed poll may be lost: the same attempt id returns its messages again, without a wait.
      return client.send(receive(0));
    });
    return (response?.Messages ?? []).map(received);
  },

  delete: (queue, handles) =>
    inBatches(handles, async batch => {
      const Entries = batch.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle }));
      return (await client.send(new DeleteMessageBatchCommand({ QueueUrl: baseUrl + queue, Entries })))
        .Failed;
    }),

  release: (queue, handles, delaySeconds) =>
    inBatches(handles, async batch => {
      const Entries = batch.map((ReceiptHandle, index) => ({
        Id: String(index),
        ReceiptHandle,
        VisibilityTimeout: delaySeconds,
      }));
      return (
        await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: baseUrl + queue, Entries }))
      ).Failed;
    }),
});
