import { QueueDoesNotExist } from '@aws-sdk/client-sqs';
import { refused, sqsBench } from './support/sqs-bench.ts';

const bench = sqsBench();

test('creating a queue again with the same attributes returns the same URL', async () => {
  const create = {
    QueueName: 'same.fifo',
    Attributes: { FifoQueue: 'true', VisibilityTimeout: '60' },
  };
  const { QueueUrl } = await bench.sqs.createQueue(create);
  expect(QueueUrl).toBe(`${bench.engine.endpoint}/000000000000/same.fifo`);
  expect((await bench.sqs.createQueue(create)).QueueUrl).toBe(QueueUrl);
  expect((await bench.sqs.getQueueUrl({ QueueName: 'same.fifo' })).QueueUrl).toBe(QueueUrl);
});

test('creating a queue again with another attribute is refused', async () => {
  const Attributes = { FifoQueue: 'true' };
  await bench.sqs.createQueue({ QueueName: 'other.fifo', Attributes });
  const again = { QueueName: 'other.fifo', Attributes: { ...Attributes, VisibilityTimeout: '99' } };
  await refused(bench.sqs.createQueue(again), 'QueueNameExists', 'attribute VisibilityTimeout');
});

test.each([
  ['standard', {}],
  ['no-suffix', { FifoQueue: 'true' }],
  ['forgotten.fifo', {}],
])('the queue %s with %j is refused: it is not FIFO', async (QueueName, Attributes) => {
  await refused(
    bench.sqs.createQueue({ QueueName, Attributes }),
    'UnsupportedOperation',
    'FIFO queues only',
  );
});

test.each<Record<string, string>>([
  { Unheard: '1' },
  { constructor: '1' },
  { RedrivePolicy: '{}' },
])('the attributes %j are refused', async attributes => {
  await refused(bench.queue(attributes), 'InvalidAttributeName', 'Unknown Attribute');
});

test("attributes are returned as they were set, with SQS's defaults and the counts", async () => {
  const QueueUrl = await bench.queue({ VisibilityTimeout: '45' });
  await bench.send(QueueUrl, 'a', 'one', 'two');
  await bench.send(QueueUrl, 'b', 'three');
  await bench.receive(QueueUrl, { MaxNumberOfMessages: 1 });
  const { Attributes } = await bench.sqs.getQueueAttributes({ QueueUrl, AttributeNames: ['All'] });
  const second = String(bench.clock.now() / 1000);
  expect(Attributes).toEqual({
    ApproximateNumberOfMessages: '2',
    ApproximateNumberOfMessagesDelayed: '0',
    ApproximateNumberOfMessagesNotVisible: '1',
    ContentBasedDeduplication: 'false',
    CreatedTimestamp: second,
    DelaySeconds: '0',
    DeduplicationScope: 'queue',
    FifoQueue: 'true',
    FifoThroughputLimit: 'perQueue',
    LastModifiedTimestamp: second,
    MaximumMessageSize: '1048576',
    MessageRetentionPeriod: '345600',
    QueueArn: `arn:aws:sqs:us-east-1:000000000000:${QueueUrl.split('/').at(-1)}`,
    ReceiveMessageWaitTimeSeconds: '0',
    SqsManagedSseEnabled: 'true',
    VisibilityTimeout: '45',
  });
});

test('only requested attributes are returned, and unknown ones are refused', async () => {
  const QueueUrl = await bench.queue();
  const ask = (...AttributeNames: ('QueueArn' | 'Policy')[]) =>
    bench.sqs.getQueueAttributes({ QueueUrl, AttributeNames });
  expect(Object.keys((await ask('QueueArn', 'Policy')).Attributes ?? {})).toEqual(['QueueArn']);
  const unknown = bench.sqs.getQueueAttributes({ QueueUrl, AttributeNames: ['Nope' as 'All'] });
  await refused(unknown, 'InvalidAttributeName');
});

test('an attribute that AWS knows and the queue does not have is left out', async () => {
  const QueueUrl = await bench.queue();
  const names = ['RedrivePolicy', 'RedriveAllowPolicy', 'KmsMasterKeyId', 'DelaySeconds'] as const;
  const { Attributes } = await bench.sqs.getQueueAttributes({
    QueueUrl,
    AttributeNames: [...names],
  });
  expect(Attributes).toEqual({ DelaySeconds: '0' });
});

test('the owner of a queue may be named, as clients of another account must', async () => {
  await bench.sqs.createQueue({ QueueName: 'owned.fifo', Attributes: { FifoQueue: 'true' } });
  const ask = (QueueOwnerAWSAccountId: string) =>
    bench.sqs.getQueueUrl({ QueueName: 'owned.fifo', QueueOwnerAWSAccountId });
  expect((await ask('000000000000')).QueueUrl).toMatch(/\/000000000000\/owned\.fifo$/);
  await refused(ask('111122223333'), 'QueueDoesNotExist');
});

test('set attributes apply from then on, and an empty string removes one', async () => {
  const QueueUrl = await bench.queue();
  const set = (Attributes: Record<string, string>) =>
    bench.sqs.setQueueAttributes({ QueueUrl, Attributes });
  const policy = async () =>
    (
      await bench.sqs.getQueueAttributes({
        QueueUrl,
        AttributeNames: ['Policy', 'VisibilityTimeout'],
      })
    ).Attributes;
  await set({ Policy: '{"Version":"2012-10-17"}', VisibilityTimeout: '7' });
  expect(await policy()).toEqual({ Policy: '{"Version":"2012-10-17"}', VisibilityTimeout: '7' });
  await set({ Policy: '' });
  expect(await policy()).toEqual({ VisibilityTimeout: '7' });
});

test('a deleted queue is gone, and its name can be used again without its messages', async () => {
  const QueueUrl = await bench.queue();
  await bench.send(QueueUrl, 'a', 'old');
  const [old] = await bench.receive(QueueUrl, { VisibilityTimeout: 60 });
  await bench.sqs.deleteQueue({ QueueUrl });
  await expect(bench.receive(QueueUrl)).rejects.toBeInstanceOf(QueueDoesNotExist);
  await refused(bench.sqs.getQueueUrl({ QueueName: 'gone.fifo' }), 'QueueDoesNotExist');
  await bench.sqs.createQueue({
    QueueName: QueueUrl.split('/').at(-1),
    Attributes: { FifoQueue: 'true' },
  });
  expect(await bench.receive(QueueUrl)).toEqual([]);
  const stale = bench.sqs.deleteMessage({ QueueUrl, ReceiptHandle: old?.ReceiptHandle });
  await refused(stale, 'ReceiptHandleIsInvalid');
});

test('queues are listed', async () => {
  for (const letter of ['c', 'a', 'b']) {
    await bench.sqs.createQueue({
      QueueName: `list-${letter}.fifo`,
      Attributes: { FifoQueue: 'true' },
    });
  }
  const url = (letter: string) => `${bench.engine.endpoint}/000000000000/list-${letter}.fifo`;
  const { QueueUrls } = await bench.sqs.listQueues({});
  expect(QueueUrls).toEqual(expect.arrayContaining(['a', 'b', 'c'].map(url)));
});

test("any URL that ends in the queue's name addresses the queue", async () => {
  const QueueUrl = await bench.queue();
  const name = QueueUrl.split('/').at(-1);
  await bench.send(`http://elsewhere:1/123456789012/${name}`, 'a', 'found');
  expect(await bench.bodies(QueueUrl)).toEqual(['found']);
});

test('the refusal of an unsupported operation names it', async () => {
  const move = bench.sqs.startMessageMoveTask({ SourceArn: 'arn' });
  await refused(move, 'UnknownOperationException', 'AmazonSQS.StartMessageMoveTask');
});

test('the refusal of an unsupported parameter names it', async () => {
  const listed = bench.sqs.listQueues({ QueueNamePrefix: 'a' });
  await refused(listed, 'UnsupportedOperation', 'the parameter QueueNamePrefix of ListQueues');
});
