import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { deduplicationId } from '../../domain/delivery/deduplication-id.ts';
import type { Queues } from '../../ports/queues.ts';
import { attributesOf } from './queue-attributes.ts';
import { isFault } from './table.ts';

/** Consumers' queues live side by side: a queue's URL is this base and its name. */
export interface QueueHome {
  readonly client: SQSClient;
  /** With the closing slash. */
  readonly baseUrl: string;
}

/** How SQS says that there is no such queue: the second is the name of the older protocol. */
export const goneFaults = ['QueueDoesNotExist', 'AWS.SimpleQueueService.NonExistentQueue'];

/** Sends to consumers' queues in SQS FIFO. */
export const awsQueues = ({ client, baseUrl }: QueueHome): Queues => ({
  async send(queue, entry, replay) {
    const send = new SendMessageCommand({
      QueueUrl: baseUrl + queue,
      MessageBody: Buffer.from(entry.body).toString('utf8'),
      MessageAttributes: attributesOf(entry, replay),
      MessageGroupId: entry.correlationId,
      MessageDeduplicationId: deduplicationId(entry, replay),
    });
    try {
      await client.send(send);
      return 'sent';
    } catch (fault) {
      if (isFault(fault, ...goneFaults)) return 'gone';
      throw fault;
    }
  },
});
