import { GetQueueAttributesCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { iso } from '../../contract/outside.ts';
import { goneErrors, type QueueHome } from '../../platform/aws/clients.ts';
import { mustStillRead, unlessError } from '../../platform/aws/table.ts';
import type { Entry } from './log.ts';
import { deduplicationId, type QueueDepths, type Queues } from './queues.ts';

const text = (value: string) => ({ DataType: 'String', StringValue: value });

export const attributesOf = (entry: Entry, replay?: string) => ({
  ...(replay !== undefined && { replay_id: text(replay) }),
  ...(entry.traceparent !== undefined && { traceparent: text(entry.traceparent) }),
  message_id: text(entry.messageId),
  message_type: text(entry.messageType),
  correlation_id: text(entry.correlationId),
  producer_id: text(entry.producer),
  system_id: text(entry.systemId),
  enqueued_at: text(iso(entry.acceptedAt)),
});

export const awsQueues = ({ client, baseUrl }: QueueHome): Queues => ({
  async send(queue, entry, replay) {
    const { body } = entry;
    const send = new SendMessageCommand({
      QueueUrl: baseUrl + queue,
      MessageBody: Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8'),
      MessageAttributes: attributesOf(entry, replay),
      MessageGroupId: entry.correlationId,
      MessageDeduplicationId: deduplicationId(entry, replay),
    });
    if (await unlessError(client.send(send), ...goneErrors)) return 'sent';
    return 'gone';
  },
});

export const awsQueueDepths = ({ client, baseUrl }: QueueHome): QueueDepths => ({
  async depth(queue) {
    await mustStillRead();
    const ask = new GetQueueAttributesCommand({
      QueueUrl: baseUrl + queue,
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    });
    const response = await unlessError(client.send(ask), ...goneErrors);
    if (!response) return undefined;
    const { Attributes = {} } = response;
    return {
      visible: Number(Attributes['ApproximateNumberOfMessages'] ?? 0),
      inFlight: Number(Attributes['ApproximateNumberOfMessagesNotVisible'] ?? 0),
    };
  },
});
