import {
  type BatchResultErrorEntry,
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { deduplicationId } from '../../domain/delivery/deduplication-id.ts';
import type { Queues } from '../../ports/queues.ts';
import { attributesOf, received } from './queue-attributes.ts';
import { isFault } from './table.ts';

/** Consumers' queues live side by side: a queue's URL is this base and its name. */
export interface QueueHome {
  readonly client: SQSClient;
  /** With the closing slash. */
  readonly baseUrl: string;
}

const batchSize = 10;

const batches = <T>(items: readonly T[]): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / batchSize) }, (_, index) =>
    items.slice(index * batchSize, (index + 1) * batchSize),
  );

type BatchCall = (handles: readonly string[]) => Promise<readonly BatchResultErrorEntry[] | undefined>;

/** Applies a batch call to any number of receipt handles, and gives those that failed. */
const inBatches = async (handles: readonly string[], call: BatchCall): Promise<readonly string[]> => {
  const failures = batches(handles).map(async batch => {
    const failed = (await call(batch)) ?? [];
    const ours = failed.find(({ SenderFault }) => SenderFault === false);
    if (ours) throw new Error(`The queue service failed: ${ours.Code}`);
    return failed.flatMap(({ Id }) => batch[Number(Id)] ?? []);
  });
  return (await Promise.all(failures)).flat();
};

/** How SQS says that there is no such queue: the second is the name of the older protocol. */
export const goneFaults = ['QueueDoesNotExist', 'AWS.SimpleQueueService.NonExistentQueue'];

/**
 * Consumers' queues in SQS FIFO.
 *
 * @param sender sends: a client of its own where the other one, which polls, waits long for its answers
 */
export const awsQueues = ({ client, baseUrl }: QueueHome, sender: SQSClient = client): Queues => ({
  async send(queue, entry, replay) {
    const send = new SendMessageCommand({
      QueueUrl: baseUrl + queue,
      MessageBody: Buffer.from(entry.body).toString('utf8'),
      MessageAttributes: attributesOf(entry, replay),
      MessageGroupId: entry.correlationId,
      MessageDeduplicationId: deduplicationId(entry, replay),
    });
    try {
      await sender.send(send);
      return 'sent';
    } catch (fault) {
      if (isFault(fault, ...goneFaults)) return 'gone';
      throw fault;
    }
  },

  async receive(queue, { max, waitSeconds, visibilitySeconds }) {
    const receive = new ReceiveMessageCommand({
      QueueUrl: baseUrl + queue,
      MaxNumberOfMessages: max,
      WaitTimeSeconds: waitSeconds,
      VisibilityTimeout: visibilitySeconds,
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['ApproximateReceiveCount'],
    });
    return ((await client.send(receive)).Messages ?? []).map(received);
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
