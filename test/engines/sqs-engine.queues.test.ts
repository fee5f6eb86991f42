import { QueueDoesNotExist } from '@aws-sdk/client-sqs';
import { sqsBench } from './support/sqs-bench.ts';

const bench = sqsBench();
const refused = (answer: Promise<unknown>, name: string, message?: string) =>
  expect(answer).rejects.toMatchObject({
    name,
    ...(message && { message: expect.stringContaining(message) }),
  });

test('creating a queue again with the same attributes returns the same URL', async () => {
  const create = { QueueName: 'same.fifo', Attributes: { FifoQueue: 'true', VisibilityTimeout: '60' } };
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

test('a standard queue is refused with advice', async () => {
  await refused(bench.sqs.createQueue({ QueueName: 'standard' }), 'UnsupportedOperation', 'FIFO queues only');
});

test.each([
  ['no-suffix', { FifoQueue: 'true' }],
  ['bad name.fifo', { FifoQueue: 'true' }],
  [`${'n'.repeat(76)}.fifo`, { FifoQueue: 'true' }],
  ['forgotten.fifo', {}],
])('the queue name %s with %j is refused', async (QueueName, Attributes) => {
  await refused(bench.sqs.createQueue({ QueueName, Attributes }), 'InvalidParameterValue');
});

test.each([
  [{ Unheard: '1' }, 'InvalidAttributeName'],
  [{ constructor: '1' }, 'InvalidAttributeName'],
  [{ VisibilityTimeout: '43201' }, 'InvalidAttributeValue'],
  [{ VisibilityTimeout: '-1' }, 'InvalidAttributeValue'],
  [{ VisibilityTimeout: '1.5' }, 'InvalidAttributeValue'],
  [{ MessageRetentionPeriod: '59' }, 'InvalidAttributeValue'],
  [{ MaximumMessageSize: '1048577' }, 'InvalidAttributeValue'],
  [{ DeduplicationScope: 'group' }, 'InvalidAttributeValue'],
  [{ FifoThroughputLimit: 'perMessageGroupId' }, 'InvalidParameterValue'],
  [{ RedrivePolicy: 'no json' }, 'InvalidParameterValue'],
  [{ Policy: 'no json' }, 'InvalidAttributeValue'],
  [{ Policy: '[]' }, 'InvalidAttributeValue'],
  [{ RedriveAllowPolicy: 'x' }, 'InvalidAttributeValue'],
  [{ RedrivePolicy: '{"deadLetterTargetArn":"dummy","maxReceiveCount":3}' }, 'InvalidParameterValue'],
])('the attributes %j are refused with %s', async (attributes, name) => {
  await refused(bench.queue(attributes), name);
});

test('a dead-letter queue must be FIFO and must exist', async () => {
  const policy = (name: string) =>
    JSON.stringify({
      deadLetterTargetArn: `arn:aws:sqs:us-east-1:000000000000:${name}`,
      maxReceiveCount: '3',
    });
  await refused(bench.queue({ RedrivePolicy: policy('plain') }), 'InvalidParameterValue', 'same type');
  await refused(
    bench.queue({ RedrivePolicy: policy('none.fifo') }),
    'InvalidParameterValue',
    'does not exist',
  );
});

describe('maxReceiveCount', () => {
  const policy = (maxReceiveCount: unknown) =>
    JSON.stringify({
      deadLetterTargetArn: 'arn:aws:sqs:us-east-1:000000000000:counted.fifo',
      maxReceiveCount,
    });
  beforeAll(() => bench.sqs.createQueue({ QueueName: 'counted.fifo', Attributes: { FifoQueue: 'true' } }));

  test.each([1, 1000, '1000'])('may be %j', async count => {
    const QueueUrl = await bench.queue({ RedrivePolicy: policy(count) });
    const { Attributes = {} } = await bench.sqs.getQueueAttributes({ QueueUrl, AttributeNames: ['All'] });
    expect(Attributes['RedrivePolicy']).toBe(policy(count));
  });

  test.each([0, 1001, 1.5, -1, 'many', '', null, undefined])('may not be %j', async count => {
    const answer = bench.queue({ RedrivePolicy: policy(count) });
    await refused(answer, 'InvalidParameterValue', 'must be between 1 and 1000');
  });
});

test("attributes are returned as they were set, with SQS's defaults and the counts", async () => {
  const QueueUrl = await bench.queue({ VisibilityTimeout: '45', ContentBasedDeduplication: 'true' });
  await bench.send(QueueUrl, 'a', 'one', 'two');
  await bench.send(QueueUrl, 'b', 'three');
  await bench.receive(QueueUrl, { MaxNumberOfMessages: 1 });
  const { Attributes } = await bench.sqs.getQueueAttributes({ QueueUrl, AttributeNames: ['All'] });
  const second = String(bench.clock.now() / 1000);
  expect(Attributes).toEqual({
    ApproximateNumberOfMessages: '2',
    ApproximateNumberOfMessagesDelayed: '0',
    ApproximateNumberOfMessagesNotVisible: '1',
    ContentBasedDeduplication: 'true',
    CreatedTimestamp: second,
    DeduplicationScope: 'queue',
    DelaySeconds: '0',
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

test('set attributes apply from then on, and an empty string removes one', async () => {
  const QueueUrl = await bench.queue();
  const set = (Attributes: Record<string, string>) => bench.sqs.setQueueAttributes({ QueueUrl, Attributes });
  const policy = async () =>
    (await bench.sqs.getQueueAttributes({ QueueUrl, AttributeNames: ['Policy', 'VisibilityTimeout'] }))
      .Attributes;
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
  await bench.sqs.createQueue({ QueueName: QueueUrl.split('/').at(-1), Attributes: { FifoQueue: 'true' } });
  expect(await bench.receive(QueueUrl)).toEqual([]);
  const stale = bench.sqs.deleteMessage({ QueueUrl, ReceiptHandle: old?.ReceiptHandle });
  await refused(stale, 'ReceiptHandleIsInvalid');
});

test('a purged queue is empty', async () => {
  const QueueUrl = await bench.queue();
  await bench.send(QueueUrl, 'a', 'one', 'two');
  await bench.receive(QueueUrl, { MaxNumberOfMessages: 1 });
  await bench.sqs.purgeQueue({ QueueUrl });
  bench.clock.advance(60_000);
  expect(await bench.receive(QueueUrl)).toEqual([]);
});

test('queues are listed by prefix, in pages', async () => {
  for (const letter of ['c', 'a', 'b']) {
    await bench.sqs.createQueue({ QueueName: `list-${letter}.fifo`, Attributes: { FifoQueue: 'true' } });
  }
  const url = (letter: string) => `${bench.engine.endpoint}/000000000000/list-${letter}.fifo`;
  const QueueNamePrefix = 'list-';
  expect((await bench.sqs.listQueues({ QueueNamePrefix })).QueueUrls).toEqual(['a', 'b', 'c'].map(url));
  const page = await bench.sqs.listQueues({ QueueNamePrefix, MaxResults: 2 });
  expect(page.QueueUrls).toEqual(['a', 'b'].map(url));
  const rest = await bench.sqs.listQueues({ QueueNamePrefix, MaxResults: 2, NextToken: page.NextToken });
  expect(rest.QueueUrls).toEqual([url('c')]);
  expect(rest.NextToken).toBeUndefined();
});

test('tags are stored, changed and removed', async () => {
  const Attributes = { FifoQueue: 'true' };
  const { QueueUrl } = await bench.sqs.createQueue({
    QueueName: 'tagged.fifo',
    Attributes,
    tags: { one: '1' },
  });
  await bench.sqs.tagQueue({ QueueUrl, Tags: { two: '2', one: 'I' } });
  expect((await bench.sqs.listQueueTags({ QueueUrl })).Tags).toEqual({ one: 'I', two: '2' });
  await bench.sqs.untagQueue({ QueueUrl, TagKeys: ['one'] });
  expect((await bench.sqs.listQueueTags({ QueueUrl })).Tags).toEqual({ two: '2' });
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
  const elsewhere = bench.sqs.getQueueUrl({ QueueName: 'a.fifo', QueueOwnerAWSAccountId: '210987654321' });
  await refused(elsewhere, 'UnsupportedOperation', 'the parameter QueueOwnerAWSAccountId of GetQueueUrl');
});
