import { isDeepStrictEqual } from 'node:util';
import { DynamoDBClient, ScanCommand, type ScanCommandInput } from '@aws-sdk/client-dynamodb';
import { DeleteMessageBatchCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig } from '../../lib/adapters/aws/client-config.ts';
import { localTables } from '../../lib/local/local-env.ts';
import { bearer, call, post } from '../support/http-client.ts';
import type { ServiceProcess } from '../support/service-process.ts';

/** A message as its producer sent it. */
export interface Sent {
  readonly messageId: string;
  readonly text: string;
}

export interface Client {
  readonly client_id: string;
  readonly client_secret: string;
}

/** A message as a consumer got it. */
export interface Got {
  readonly messageId: string;
  readonly correlationId: string;
  readonly same: (text: string) => boolean;
}

interface Stage {
  readonly service: ServiceProcess;
}

export const pulledFrom = async ({ service }: Stage, consumer: Client): Promise<Got[]> => {
  const { base_url, workspace } = service.ready;
  const authorization = await bearer(base_url, consumer);
  const queue = `${base_url}/tenants/${workspace}/consumers/${consumer.client_id}`;
  const got: Got[] = [];
  for (;;) {
    const { body } = await call(`${queue}/messages?max=10&wait=1`, { headers: { authorization } });
    const messages = body['messages'] as {
      message_id: string;
      correlation_id: string;
      receipt_handle: string;
      envelope: unknown;
    }[];
    if (messages.length === 0) return got;
    for (const { message_id, correlation_id, envelope } of messages) {
      got.push({
        messageId: message_id,
        correlationId: correlation_id,
        same: text => isDeepStrictEqual(envelope, JSON.parse(text)),
      });
    }
    await post(`${queue}/ack`, authorization, { receipt_handles: messages.map(one => one.receipt_handle) });
  }
};

/** Byte for byte, as a consumer with a cloud role reads its queue. */
export const readFrom = async ({ service }: Stage): Promise<Got[]> => {
  const { endpoints, consumer } = service.ready;
  const client = new SQSClient(clientConfig({ AWS_ENDPOINT_URL_SQS: endpoints.sqs }, 'SQS'));
  const QueueUrl = consumer.queue_url;
  const got: Got[] = [];
  for (;;) {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: 1,
        MessageAttributeNames: ['All'],
      }),
    );
    if (Messages.length === 0) break;
    for (const { Body, MessageAttributes } of Messages) {
      got.push({
        messageId: MessageAttributes?.['message_id']?.StringValue ?? '',
        correlationId: MessageAttributes?.['correlation_id']?.StringValue ?? '',
        same: text => Body === text,
      });
    }
    const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  }
  client.destroy();
  return got;
};

/** How many of the ledger's entries have a message_id that another entry has. */
export const committedTwice = async ({ service }: Stage): Promise<number> => {
  const config = clientConfig({ AWS_ENDPOINT_URL_DYNAMODB: service.ready.endpoints.dynamodb }, 'DYNAMODB');
  const client = new DynamoDBClient(config);
  const ids: string[] = [];
  let from: ScanCommandInput['ExclusiveStartKey'];
  do {
    const page = await client.send(
      new ScanCommand({
        TableName: localTables.ledger,
        ProjectionExpression: 'pk, message_id',
        FilterExpression: 'attribute_exists(message_id)',
        ...(from ? { ExclusiveStartKey: from } : {}),
      }),
    );
    ids.push(...(page.Items ?? []).map(item => item['message_id']?.S ?? ''));
    from = page.LastEvaluatedKey;
  } while (from);
  client.destroy();
  return ids.length - new Set(ids).size;
};

export const compare = (sent: ReadonlyMap<string, readonly Sent[]>, got: readonly Got[]) => {
  const first = new Map<string, Got>();
  for (const one of got) if (!first.has(one.messageId)) first.set(one.messageId, one);
  const order = new Map<string, string[]>();
  for (const { correlationId, messageId } of first.values()) {
    order.set(correlationId, [...(order.get(correlationId) ?? []), messageId]);
  }
  const result = { lost: 0, outOfOrder: 0, changed: 0, repeated: got.length - first.size };
  for (const [correlationId, messages] of sent) {
    const arrived = order.get(correlationId) ?? [];
    for (const [index, { messageId, text }] of messages.entries()) {
      const one = first.get(messageId);
      if (!one) result.lost += 1;
      else if (!one.same(text)) result.changed += 1;
      if (one && arrived[index] !== messageId) result.outOfOrder += 1;
    }
  }
  return result;
};
