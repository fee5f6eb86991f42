import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { DeleteMessageBatchCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { readFacts } from '../../lib/bus/delivery/ledger-items.dynamodb.ts';
import type { EntryFacts } from '../../lib/bus/delivery/log.ts';
import { localTables } from '../../lib/local/env.ts';
import { operatorKeyIn } from '../../lib/local/roles.ts';
import { clientConfig } from '../../lib/platform/aws/clients.ts';
import type { Event, Ledger } from './compare.ts';
import type { Stage } from './stage.ts';

/** A running service and its data folder, where the operator's key is. */
type Readable = Pick<Stage, 'folder' | 'service'>;

/**
 * Takes all out of the demo consumer's queue, byte for byte, as if a consumer had got it and
 * acknowledged each message by itself.
 */
export const readQueue = async ({ folder, service }: Readable): Promise<readonly Event[]> => {
  const { endpoints, consumer } = service.ready;
  const config = clientConfig({ AWS_ENDPOINT_URL_SQS: endpoints.sqs }, 'SQS');
  const client = new SQSClient({ ...config, credentials: operatorKeyIn(folder) });
  const QueueUrl = consumer.queue_url;
  const asked = {
    QueueUrl,
    MaxNumberOfMessages: 10,
    WaitTimeSeconds: 1,
    MessageAttributeNames: ['All'],
  };
  const events: Event[] = [];
  for (;;) {
    const { Messages = [] } = await client.send(new ReceiveMessageCommand(asked));
    if (Messages.length === 0) break;
    for (const { Body: body = '', MessageAttributes } of Messages) {
      const messageId = MessageAttributes?.['message_id']?.StringValue ?? '';
      events.push(
        { kind: 'got', messageId, isSame: text => body === text },
        { kind: 'acked', messageId },
      );
    }
    const Entries = Messages.map(({ ReceiptHandle }, index) => ({
      Id: String(index),
      ReceiptHandle,
    }));
    await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  }
  client.destroy();
  return events;
};

/** The commit order of every correlation. */
export const readLedger = async ({ folder, service }: Readable): Promise<Ledger> => {
  const config = clientConfig(
    { AWS_ENDPOINT_URL_DYNAMODB: service.ready.endpoints.dynamodb },
    'DYNAMODB',
  );
  const client = new DynamoDBClient({ ...config, credentials: operatorKeyIn(folder) });
  const entries: EntryFacts[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName: localTables.ledger }))
    for (const item of Items.filter(one => one['archive_position']))
      entries.push(readFacts(unmarshall(item)));
  client.destroy();
  entries.sort((one, other) => one.number - other.number);
  const ledger = new Map<string, string[]>();
  for (const { correlationId, messageId } of entries)
    ledger.set(correlationId, [...(ledger.get(correlationId) ?? []), messageId]);
  return ledger;
};
