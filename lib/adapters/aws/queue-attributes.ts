import type { Message } from '@aws-sdk/client-sqs';
import type { Entry } from '../../domain/delivery/log.ts';
import type { Received } from '../../ports/inbox.ts';

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
