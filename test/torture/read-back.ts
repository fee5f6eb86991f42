import { DynamoDBClient, ScanCommand, type ScanCommandInput } from '@aws-sdk/client-dynamodb';
import { DeleteMessageBatchCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { clientConfig } from '../../lib/aws/clients.ts';
import { readFacts } from '../../lib/delivery/ledger-items.dynamodb.ts';
import { localTables } from '../../lib/local/env.ts';
import { operatorKeyIn } from '../../lib/local/roles.ts';
import type { Event, Ledger } from './compare.ts';
import type { Stage } from './stage.ts';

/** A running service and its data folder, where the operator's key is. */
type Readable = Pick<Stage, 'folder' | 'service'>;

/** A message as it waits in a queue. */
interface Waiting {
  readonly messageId: string;
  readonly body: string;
}

/** Takes everything out of the demo consumer's queue, byte for byte. */
const emptyQueue = async ({ folder, service }: Readable): Promise<readonly Waiting[]> => {
  const { endpoints, consumer } = service.ready;
  const config = clientConfig({ AWS_ENDPOINT_URL_SQS: endpoints.sqs }, 'SQS');
  const client = new SQSClient({ ...config, credentials: operatorKeyIn(folder) });
  const QueueUrl = consumer.queue_url;
  const asked = { QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1, MessageAttributeNames: ['All'] };
  const taken: Waiting[] = [];
  for (;;) {
    const { Messages = [] } = await client.send(new ReceiveMessageCommand(asked));
    if (Messages.length === 0) break;
    for (const { Body: body = '', MessageAttributes } of Messages)
      taken.push({ messageId: MessageAttributes?.['message_id']?.StringValue ?? '', body });
    const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  }
  client.destroy();
  return taken;
};

/** What was in the demo consumer's queue, as if a consumer had got it and acknowledged each by itself. */
export const readQueue = async (stage: Readable): Promise<readonly Event[]> =>
  (await emptyQueue(stage)).flatMap(({ messageId, body }) => [
    { kind: 'got', messageId, isSame: text => body === text },
    { kind: 'acked', messageId },
  ]);

/** The commit order of every correlation. */
export const readLedger = async ({ folder, service }: Readable): Promise<Ledger> => {
  const config = clientConfig({ AWS_ENDPOINT_URL_DYNAMODB: service.ready.endpoints.dynamodb }, 'DYNAMODB');
  const client = new DynamoDBClient({ ...config, credentials: operatorKeyIn(folder) });
  const entries: { correlation: string; number: number; id: string }[] = [];
  let from: ScanCommandInput['ExclusiveStartKey'];
  do {
    const page = await client.send(
      new ScanCommand({
        TableName: localTables.ledger,
        ...(from ? { ExclusiveStartKey: from } : {}),
      }),
    );
    for (const item of page.Items ?? []) {
      if (!item['archive_position']) continue;
      const { correlationId, number, messageId } = readFacts(unmarshall(item));
      entries.push({ correlation: correlationId, number, id: messageId });
    }
    from = page.LastEvaluatedKey;
  } while (from);
  client.destroy();
  entries.sort((one, other) => one.number - other.number);
  const ledger = new Map<string, string[]>();
  for (const { correlation, id } of entries)
    ledger.set(correlation, [...(ledger.get(correlation) ?? []), id]);
  return ledger;
};
