import { join } from 'node:path';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { RunningEngine } from '../../../lib/local/engines/aws-json/aws-json-server.ts';
import { startSqsEngine } from '../../../lib/local/engines/sqs-engine.ts';
import { scratchFolder } from './support/scratch-folder.ts';

const folder = scratchFolder();
let engine: RunningEngine;
let sqs: SQSClient;

beforeAll(async () => {
  engine = await startSqsEngine({ folder: join(folder, 'sqs') });
  sqs = new SQSClient({
    endpoint: engine.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
});

afterAll(async () => {
  sqs.destroy();
  await engine.close();
});

test('a message is sent, received and deleted', async () => {
  const { QueueUrl } = await sqs.send(
    new CreateQueueCommand({ QueueName: 'one.fifo', Attributes: { FifoQueue: 'true' } }),
  );
  await sqs.send(
    new SendMessageCommand({
      QueueUrl,
      MessageBody: 'héllo',
      MessageGroupId: 'g',
      MessageDeduplicationId: 'd',
      MessageAttributes: { Hello: { DataType: 'String', StringValue: 'There' } },
    }),
  );
  const { Messages } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    }),
  );
  expect(Messages?.[0]).toMatchObject({
    Body: 'héllo',
    MD5OfMessageAttributes: 'a311262e065454b75da111d535b8dacd',
  });
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: Messages?.[0]?.ReceiptHandle }));
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
  expect(Attributes).toMatchObject({
    ApproximateNumberOfMessages: '0',
    ApproximateNumberOfMessagesNotVisible: '0',
  });
  await expect(sqs.send(new ReceiveMessageCommand({ QueueUrl: 'x/nope.fifo' }))).rejects.toMatchObject({
    name: 'QueueDoesNotExist',
  });
});
