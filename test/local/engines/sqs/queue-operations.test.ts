import { LocalQueues } from '../../../../lib/local/engines/sqs/queues.ts';
import { openStore } from '../../../../lib/local/engines/store.ts';
import type { JsonObject } from '../../../../lib/platform/json/value.ts';
import { bodiesOf, sqsScene, toldOf } from '../support/sqs-scene.ts';

const fifo = { FifoQueue: 'true' };
const endpoint = 'http://127.0.0.1:9';
const url = (name: string) => `${endpoint}/000000000000/${name}`;
const told = (name: string, message: string) => ({
  type: expect.stringMatching(`#${name}$`),
  message,
});

describe('the attributes of a queue', () => {
  const defaults = {
    ApproximateNumberOfMessages: '0',
    ApproximateNumberOfMessagesDelayed: '0',
    ApproximateNumberOfMessagesNotVisible: '0',
    ContentBasedDeduplication: 'false',
    CreatedTimestamp: '1800000000',
    DeduplicationScope: 'queue',
    DelaySeconds: '0',
    FifoQueue: 'true',
    FifoThroughputLimit: 'perQueue',
    LastModifiedTimestamp: '1800000000',
    MaximumMessageSize: '1048576',
    MessageRetentionPeriod: '345600',
    QueueArn: 'arn:aws:sqs:us-east-1:000000000000:q.fifo',
    ReceiveMessageWaitTimeSeconds: '0',
    SqsManagedSseEnabled: 'true',
    VisibilityTimeout: '30',
  };
  const all = { AttributeNames: ['All'] };

  test('are those of AWS unless its creator says otherwise, and stay over a restart', () => {
    const { call, restart } = sqsScene({ VisibilityTimeout: '7', Policy: 'p' });
    const expected = { Attributes: { ...defaults, VisibilityTimeout: '7', Policy: 'p' } };
    expect(call('GetQueueAttributes', all)).toEqual(expected);
    restart();
    expect(call('GetQueueAttributes', all)).toEqual(expected);
  });

  test('that are set apply at once, stay over a restart, and say when that was', () => {
    const { call, clock, restart } = sqsScene({ Policy: 'p' });
    clock.advance(90_999);
    const changes = { VisibilityTimeout: '7', MaximumMessageSize: '1024', Policy: '' };
    expect(call('SetQueueAttributes', { Attributes: changes })).toEqual({});
    const { Policy: _, ...set } = changes;
    const Attributes = { ...defaults, ...set, LastModifiedTimestamp: '1800000090' };
    expect(call('GetQueueAttributes', all)).toEqual({ Attributes });
    restart();
    expect(call('GetQueueAttributes', all)).toEqual({ Attributes });
  });

  test('are told when they are asked for, and nothing is when none is', () => {
    const { call } = sqsScene();
    const ask = (...AttributeNames: readonly string[]) =>
      call('GetQueueAttributes', { AttributeNames });
    expect(ask('DelaySeconds', 'VisibilityTimeout')).toEqual({
      Attributes: { DelaySeconds: '0', VisibilityTimeout: '30' },
    });
    const unset = ['KmsDataKeyReusePeriodSeconds', 'KmsMasterKeyId', 'Policy'];
    expect(ask(...unset, 'RedriveAllowPolicy', 'RedrivePolicy')).toEqual({});
    expect(call('GetQueueAttributes')).toEqual({});
    for (const name of ['Nope', 'toString'])
      expect(toldOf(() => ask('QueueArn', name))).toMatchObject(
        told('InvalidAttributeName', `Unknown Attribute ${name}.`),
      );
  });

  test.each([
    ['Nope', '1'],
    ['toString', '1'],
    ['DelaySeconds', '0'],
    ['ContentBasedDeduplication', 'false'],
    ['QueueArn', 'arn'],
  ])('that nobody can set are refused: %s', (name, value) => {
    const { call } = sqsScene();
    const Attributes = { VisibilityTimeout: '7', [name]: value };
    const refusal = told('InvalidAttributeName', `Unknown Attribute ${name}.`);
    expect(toldOf(() => call('SetQueueAttributes', { Attributes }))).toMatchObject(refusal);
    const created = { QueueName: 'new.fifo', Attributes: { ...fifo, ...Attributes } };
    expect(toldOf(() => call('CreateQueue', created))).toMatchObject(refusal);
    const asked = { AttributeNames: ['VisibilityTimeout'] };
    expect(call('GetQueueAttributes', asked)).toEqual({ Attributes: { VisibilityTimeout: '30' } });
  });

  test('count the messages that may be received, and those that were', () => {
    const { call, send, receive } = sqsScene();
    for (const group of ['a', 'b', 'c']) send(group, group);
    receive({ MaxNumberOfMessages: 1 });
    expect(call('GetQueueAttributes', all)).toMatchObject({
      Attributes: {
        ApproximateNumberOfMessages: '2',
        ApproximateNumberOfMessagesNotVisible: '1',
      },
    });
  });
});

describe('a queue', () => {
  const create = (scene: ReturnType<typeof sqsScene>, QueueName: string, Attributes: JsonObject) =>
    scene.call('CreateQueue', { QueueName, Attributes });

  test('is created once, and again only with the attributes that it has', () => {
    const scene = sqsScene({ VisibilityTimeout: '7' });
    const again = (Attributes: JsonObject) => create(scene, 'q.fifo', Attributes);
    const QueueUrl = '/000000000000/q.fifo';
    expect(again(fifo)).toEqual({ QueueUrl });
    const same = { ...fifo, VisibilityTimeout: '7', DeduplicationScope: 'queue', Policy: '' };
    expect(again(same)).toEqual({ QueueUrl });
    scene.send();
    for (const [name, value] of [
      ['VisibilityTimeout', '30'],
      ['Policy', 'p'],
      ['DeduplicationScope', ''],
    ] as const)
      expect(toldOf(() => again({ ...same, [name]: value }))).toMatchObject({
        queryCode: 'QueueAlreadyExists',
        message: `A queue already exists with the same name and a different value for attribute ${name}`,
      });
    expect(bodiesOf(scene.receive())).toEqual(['1']);
  });

  test.each([
    ['standard', {}],
    ['standard', fifo],
    ['standard.fifo', {}],
    ['standard.fifo', { FifoQueue: 'false' }],
  ])('%s with the attributes %j is no FIFO queue', (name, attributes) => {
    const scene = sqsScene();
    expect(toldOf(() => create(scene, name, attributes))).toMatchObject(
      told('UnsupportedOperation', 'The local engine serves FIFO queues only.'),
    );
    expect(scene.call('ListQueues', { QueueUrl: undefined })).toMatchObject({
      QueueUrls: ['/000000000000/q.fifo'],
    });
  });

  test('is found by its name, and by the number of our account as its owner', () => {
    const { find, operations } = sqsScene();
    const gone = new AbortController().signal;
    const ask = (QueueName: string, owner?: string) =>
      operations.get('GetQueueUrl')?.(
        { QueueName, QueueOwnerAWSAccountId: owner },
        { endpoint, gone },
      );
    expect(ask('q.fifo')).toEqual({ QueueUrl: url('q.fifo') });
    expect(ask('q.fifo', '000000000000')).toEqual({ QueueUrl: url('q.fifo') });
    const refusal = told('QueueDoesNotExist', 'The specified queue does not exist.');
    expect(toldOf(() => ask('q.fifo', '111122223333'))).toMatchObject(refusal);
    expect(toldOf(() => ask('none.fifo'))).toMatchObject(refusal);
    expect(toldOf(() => ask(''))).toMatchObject({
      message: 'The request must contain the parameter QueueName.',
    });
    expect(toldOf(() => find({ QueueUrl: url('none.fifo') }))).toMatchObject(refusal);
  });

  test('is listed by its name, with the address at which it is asked for', () => {
    const { call, operations } = sqsScene();
    for (const QueueName of ['z.fifo', 'a.fifo'])
      call('CreateQueue', { QueueName, Attributes: fifo });
    const list = operations.get('ListQueues');
    expect(list?.({}, { endpoint, gone: new AbortController().signal })).toEqual({
      QueueUrls: ['a.fifo', 'q.fifo', 'z.fifo'].map(url),
    });
  });

  test('that is deleted is gone at once, also for those who wait for its messages', async () => {
    const { call, receive } = sqsScene();
    const poll = receive({ WaitTimeSeconds: 20 });
    expect(call('DeleteQueue')).toEqual({});
    await expect(poll).rejects.toThrow('The specified queue does not exist.');
    expect(toldOf(receive)).toMatchObject({
      queryCode: 'AWS.SimpleQueueService.NonExistentQueue',
    });
  });

  test('is needed by all operations on one', () => {
    const { call } = sqsScene();
    for (const name of ['DeleteQueue', 'GetQueueAttributes', 'PurgeQueue', 'SetQueueAttributes'])
      expect(toldOf(() => call(name, { QueueUrl: undefined }))).toMatchObject({
        message: 'The request must contain the parameter QueueUrl.',
      });
    expect(toldOf(() => call('SetQueueAttributes'))).toMatchObject({
      message: 'The request must contain the parameter Attributes.',
    });
  });

  test('deduplicates over all groups, or in each group', () => {
    const sendTwice = (DeduplicationScope: string) => {
      const { send, receive } = sqsScene({ DeduplicationScope });
      send('same', 'a');
      send('same', 'b');
      return bodiesOf(receive());
    };
    expect(sendTwice('queue')).toEqual(['same']);
    expect(sendTwice('messageGroup')).toEqual(['same', 'same']);
  });
});

test('numbers are reserved a thousand at a time, and none is given twice', () => {
  const store = openStore();
  const first = new LocalQueues(store);
  const reserving = jest.spyOn(store, 'sql');
  expect(Array.from({ length: 1_000 }, () => first.nextNumber())).toEqual(
    Array.from({ length: 1_000 }, (_, index) => index + 1),
  );
  expect(reserving).toHaveBeenCalledTimes(1);
  const second = new LocalQueues(store);
  expect([second.nextNumber(), first.nextNumber()]).toEqual([1_001, 2_001]);
  first.forget();
  expect([second.nextNumber(), first.nextNumber()]).toEqual([1_002, 3_001]);
});

test('a thousand queues are kept at hand, and changes are read', () => {
  const store = openStore();
  const queues = new LocalQueues(store);
  const name = (index: number) => `q${index}.fifo`;
  store.transaction(() => {
    for (let index = 0; index <= 1_000; index += 1)
      queues.create({ name: name(index), uid: 'u', at: 1, attributes: fifo });
  });
  const known = Array.from({ length: 1_000 }, (_, index) => queues.get(name(index)));
  for (const [index, queue] of known.entries()) expect(queues.get(name(index))).toBe(queue);
  const [first] = known;
  if (first === undefined) throw new Error('not created');
  queues.configure(first, { ...fifo, Policy: 'p' }, 2);
  expect(queues.get(name(0))).toMatchObject({ id: 1, attributes: { Policy: 'p' }, changedAt: 2 });
  expect(queues.get(name(1))).toBe(known[1]);
  expect(queues.get('none')).toBeUndefined();
  // One more: all are read anew.
  expect(queues.get(name(1_000))).toMatchObject({ id: 1_001, createdAt: 1 });
  expect(queues.get(name(1))).not.toBe(known[1]);
  const now = queues.get(name(1));
  queues.forget();
  expect(queues.get(name(1))).not.toBe(now);
});
