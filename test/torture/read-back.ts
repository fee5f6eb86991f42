import { DynamoDBClient, ScanCommand, type ScanCommandInput } from '@aws-sdk/client-dynamodb';
import { DeleteMessageBatchCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig } from '../../lib/aws/clients.ts';
import { localTables } from '../../lib/local/env.ts';
import { operatorKeyIn } from '../../lib/local/roles.ts';
import type { Event, Ledger } from './compare.ts';
import type { Stage } from './stage.ts';

/** Everything in the demo consumer's queue, byte for byte. */
export const readQueue = async ({ folder, service }: Stage): Promise<readonly Event[]> => {
  const { endpoints, consumer } = service.ready;
  const config = clientConfig({ AWS_ENDPOINT_URL_SQS: endpoints.sqs }, 'SQS');
  const client = new SQSClient({ ...config, credentials: operatorKeyIn(folder) });
  const QueueUrl = consumer.queue_url;
  const asked = { QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1, MessageAttributeNames: ['All'] };
  const events: Event[] = [];
  for (;;) {
    const { Messages = [] } = await client.send(new ReceiveMessageCommand(asked));
    if (Messages.length === 0) break;
    const ids = Messages.map(({ MessageAttributes }) => MessageAttributes?.['message_id']?.StringValue ?? '');
    for (const [index, messageId] of ids.entries())
      events.push({ kind: 'got', messageId, isSame: text => Messages[index]?.Body === text });
    const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
    for (const messageId of ids) events.push({ kind: 'acked', messageId });
  }
  client.destroy();
  return events;
};

/** The commit order of every correlation. */
export const readLedger = async ({ folder, service }: Stage): Promise<Ledger> => {
  const config = clientConfig({ AWS_ENDPOINT_URL_DYNAMODB: service.ready.endpoints.dynamodb }, 'DYNAMODB');
  const client = new DynamoDBClient({ ...config, credentials: operatorKeyIn(folder) });
  const entries: { correlation: string; number: number; id: string }[] = [];
  let from: ScanCommandInput['ExclusiveStartKey'];
  do {
    const page = await client.send(
      new ScanCommand({
        TableName: localTables.ledger,
        ProjectionExpression: 'message_id, correlation_id, #number',
        ExpressionAttributeNames: { '#number': 'number' },
        FilterExpression: 'attribute_exists(message_id)',
        ...(from ? { ExclusiveStartKey: from } : {}),
      }),
    );
    for (const item of page.Items ?? [])
      entries.push({
        correlation: item['correlation_id']?.S ?? '',
        number: Number(item['number']?.N),
        id: item['message_id']?.S ?? '',
      });
    from = page.LastEvaluatedKey;
  } while (from);
  client.destroy();
  entries.sort((one, other) => one.number - other.number);
  const ledger = new Map<string, string[]>();
  for (const { correlation, id } of entries)
    ledger.set(correlation, [...(ledger.get(correlation) ?? []), id]);
  return ledger;
};
