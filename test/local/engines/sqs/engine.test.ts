import { sqsOperations, sqsProtocol } from '../../../../lib/local/engines/sqs/engine.ts';
import { openStore } from '../../../../lib/local/engines/store.ts';
import { messagesOf, sqsScene, toldOf } from '../support/sqs-scene.ts';

/** What each operation takes, by the names of the API reference. */
const parameters: Readonly<Record<string, readonly string[]>> = {
  ChangeMessageVisibility: ['QueueUrl', 'ReceiptHandle', 'VisibilityTimeout'],
  ChangeMessageVisibilityBatch: ['QueueUrl', 'Entries'],
  CreateQueue: ['QueueName', 'Attributes'],
  DeleteMessage: ['QueueUrl', 'ReceiptHandle'],
  DeleteMessageBatch: ['QueueUrl', 'Entries'],
  DeleteQueue: ['QueueUrl'],
  GetQueueAttributes: ['QueueUrl', 'AttributeNames'],
  GetQueueUrl: ['QueueName', 'QueueOwnerAWSAccountId'],
  ListQueues: [],
  PurgeQueue: ['QueueUrl'],
  ReceiveMessage: [
    ...['QueueUrl', 'AttributeNames', 'MessageSystemAttributeNames', 'MessageAttributeNames'],
    ...['MaxNumberOfMessages', 'VisibilityTimeout', 'WaitTimeSeconds', 'ReceiveRequestAttemptId'],
  ],
  SendMessage: [
    ...['QueueUrl', 'MessageBody', 'MessageAttributes'],
    ...['MessageGroupId', 'MessageDeduplicationId'],
  ],
  SetQueueAttributes: ['QueueUrl', 'Attributes'],
};

test('there are the operations that the bus uses', () => {
  expect([...sqsScene().operations.keys()].sort()).toEqual(Object.keys(parameters).sort());
});

test.each(Object.entries(parameters))('%s takes %j, and nothing else', (operation, known) => {
  const { operations } = sqsScene();
  // The first that is not known is named: all before it are.
  const input = Object.fromEntries([...known, 'Unheard'].map(name => [name, 'x']));
  const call = { endpoint: '', gone: new AbortController().signal };
  expect(toldOf(() => operations.get(operation)?.(input, call))).toMatchObject({
    queryCode: 'AWS.SimpleQueueService.UnsupportedOperation',
    message: `The local SQS engine does not support the parameter Unheard of ${operation}.`,
  });
});

test('requests name the protocol, and have up to 8 MB', () => {
  expect(sqsProtocol).toEqual({
    target: 'AmazonSQS',
    version: '1.0',
    maxRequestBytes: 8_388_608,
  });
});

test('the queue of a request is found by its URL or its name, and not by both', () => {
  const { find } = sqsScene({ Policy: 'p' });
  const queue = { arn: 'arn:aws:sqs:us-east-1:000000000000:q.fifo', policy: 'p' };
  expect(find({ QueueUrl: 'http://somewhere/1/q.fifo' })).toEqual(queue);
  expect(find({ QueueName: 'q.fifo' })).toEqual(queue);
  expect(toldOf(() => find({ QueueName: 'q.fifo', QueueUrl: '/q.fifo' }))).toMatchObject({
    queryCode: 'InvalidParameterValue',
    message: 'A request has either QueueUrl or QueueName.',
  });
  for (const input of [{}, { QueueName: 'none' }, { QueueUrl: '/none' }])
    expect(toldOf(() => find(input))).toMatchObject({
      message: 'The specified queue does not exist.',
    });
  expect(sqsScene().find({ QueueName: 'q.fifo' }).policy).toBeUndefined();
});

test('the age of the oldest message is told in whole seconds, 0 if there is none', () => {
  const { call, clock, oldestAge, receive, send } = sqsScene({ MessageRetentionPeriod: '600' });
  const age = () => oldestAge('q.fifo')?.seconds;
  expect(age()).toBe(0);
  send('a', 'a');
  clock.advance(1_999);
  send('b', 'b');
  expect(oldestAge('q.fifo')).toEqual({ at: new Date(clock.now()), seconds: 1 });
  clock.advance(1);
  expect(age()).toBe(2);
  // One in flight counts, too; one that is deleted does not.
  const [a] = messagesOf(receive({ MaxNumberOfMessages: 1 }));
  expect(age()).toBe(2);
  call('DeleteMessage', { ReceiptHandle: a?.['ReceiptHandle'] });
  expect(age()).toBe(0);
  clock.advance(599_998);
  expect(age()).toBe(599);
  clock.advance(1);
  expect(age()).toBe(0);
  expect(oldestAge('none.fifo')).toBeUndefined();
});

test('without a clock and ids of its own it has those of the machine', () => {
  const { operations } = sqsOperations(openStore());
  const call = { endpoint: '', gone: new AbortController().signal };
  const run = (name: string, input: object) => operations.get(name)?.({ ...input }, call);
  run('CreateQueue', { QueueName: 'q.fifo', Attributes: { FifoQueue: 'true' } });
  const ids = { MessageGroupId: 'g', MessageDeduplicationId: 'd' };
  const before = Date.now();
  expect(run('SendMessage', { QueueUrl: '/q.fifo', MessageBody: 'x', ...ids })).toMatchObject({
    MessageId: expect.stringMatching(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/),
  });
  const asked = { QueueUrl: '/q.fifo', AttributeNames: ['SentTimestamp'] };
  const [message] = messagesOf(run('ReceiveMessage', asked));
  const sentAt = Number(Reflect.get(Object(message?.['Attributes']), 'SentTimestamp'));
  expect(sentAt).toBeGreaterThanOrEqual(before);
  expect(sentAt).toBeLessThanOrEqual(Date.now());
});
