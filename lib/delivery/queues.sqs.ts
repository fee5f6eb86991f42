import { type Message, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { isFault } from '../aws/table.ts';
import type { Received } from '../consuming/receipts.ts';
import type { Entry } from './log.ts';
import { deduplicationId, type Queues } from './queues.ts';

const text = (value: string) => ({ DataType: 'String', StringValue: value });

/** The message attributes that every queued message carries beside its body; `replay_id` tells a replayed one. */
export const attributesOf = (entry: Entry, replay?: string) => ({
  ...(replay === undefined ? {} : { replay_id: text(replay) }),
  message_id: text(entry.messageId),
  message_type: text(entry.messageType),
  correlation_id: text(entry.correlationId),
  producer_id: text(entry.producer),
  system_id: text(entry.systemId),
  enqueued_at: text(new Date(entry.acceptedAt).toISOString()),
});

const attribute = ({ MessageAttributes }: Message, name: string): string =>
  MessageAttributes?.[name]?.StringValue ?? '';

/** A message of SQS in the bus's words. */
export const received = (message: Message): Received => ({
  receiptHandle: message.ReceiptHandle ?? '',
  messageId: attribute(message, 'message_id'),
  messageType: attribute(message, 'message_type'),
  correlationId: attribute(message, 'correlation_id'),
  producer: attribute(message, 'producer_id'),
  systemId: attribute(message, 'system_id'),
  enqueuedAt: Date.parse(attribute(message, 'enqueued_at')),
  receiveCount: Number(message.Attributes?.ApproximateReceiveCount ?? 1),
  body: message.Body ?? '',
});

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
