import { SQSClient } from '@aws-sdk/client-sqs';
import { awsGuardedQueues, awsQueueAdmin } from '../../../lib/access/trust/queue-access.sqs.ts';
import { queuePolicy } from '../../../lib/access/trust/queue-access.ts';
import { answering } from '../../support/fakes/aws-clients.ts';

const baseUrl = 'https://sqs.eu-west-1.amazonaws.com/111122223333/';
const baseArn = 'arn:aws:sqs:eu-west-1:111122223333:';
const busRoles = 'arn:aws:iam::111122223333:role/sombus/sandbox/*';
const queue = 'sombus-caaaaaaaaaaaa.fifo';
const QueueUrl = baseUrl + queue;
const reader = 'arn:aws:iam::444455556666:role/newsroom/prompter';
const policy = (...readers: string[]) =>
  JSON.stringify(queuePolicy({ queueArn: baseArn + queue, busRoles, readers }));

/** SQS that answers every command so, and what it was asked. */
const scene = (answer: object = {}) => {
  const asked: unknown[] = [];
  const client = answering(SQSClient, async command => {
    await undefined;
    asked.push([command.constructor.name, command.input]);
    if (answer instanceof Error) throw answer;
    return answer;
  });
  const home = { client, baseUrl, baseArn, busRoles };
  return { admin: awsQueueAdmin(home), queues: awsGuardedQueues(home), asked };
};
const named = (name: string) => Object.assign(new Error(name), { name });
const gone = named('QueueDoesNotExist');
const other = named('RequestThrottled');

test('a queue is made with its limits and a policy that lets only the bus in', async () => {
  const { admin, asked } = scene();
  await admin.create(queue);
  expect(asked).toEqual([
    [
      'CreateQueueCommand',
      {
        QueueName: queue,
        Attributes: {
          FifoQueue: 'true',
          DeduplicationScope: 'messageGroup',
          FifoThroughputLimit: 'perMessageGroupId',
          MessageRetentionPeriod: '1209600',
          VisibilityTimeout: '60',
          SqsManagedSseEnabled: 'true',
          Policy: policy(),
        },
      },
    ],
  ]);
  expect(admin.url(queue)).toBe(QueueUrl);
  await expect(scene(other).admin.create(queue)).rejects.toBe(other);
});

test('readers are set by the policy alone; a queue that is gone is said to be', async () => {
  const { admin, asked } = scene();
  expect(await admin.letRead(queue, [reader])).toBe('set');
  expect(asked).toEqual([
    ['SetQueueAttributesCommand', { QueueUrl, Attributes: { Policy: policy(reader) } }],
  ]);
  expect(await scene(gone).admin.letRead(queue, [reader])).toBe('gone');
  await expect(scene(other).admin.letRead(queue, [reader])).rejects.toBe(other);
});

test('a queue is removed, and one that is gone already is no error', async () => {
  const { admin, asked } = scene();
  await admin.remove(queue);
  expect(asked).toEqual([['DeleteQueueCommand', { QueueUrl }]]);
  await scene(gone).admin.remove(queue);
  await expect(scene(other).admin.remove(queue)).rejects.toBe(other);
});

describe('a look at a queue', () => {
  const holding = (waiting: string, taken: string, Policy = policy(reader)) => ({
    Attributes: {
      ApproximateNumberOfMessages: waiting,
      ApproximateNumberOfMessagesNotVisible: taken,
      Policy,
    },
  });

  test('asks for what it holds and for its policy', async () => {
    const { queues, asked } = scene(holding('0', '0'));
    expect(await queues.look(queue, [reader])).toEqual({ holdsMessages: false, isGuarded: true });
    expect(asked).toEqual([
      [
        'GetQueueAttributesCommand',
        {
          QueueUrl,
          AttributeNames: [
            'ApproximateNumberOfMessages',
            'ApproximateNumberOfMessagesNotVisible',
            'Policy',
          ],
        },
      ],
    ]);
  });

  test.each([
    ['1', '0'],
    ['0', '1'],
  ])('sees %s messages that wait and %s that are taken', async (waiting, taken) => {
    const { queues } = scene(holding(waiting, taken));
    expect(await queues.look(queue, [reader])).toEqual({ holdsMessages: true, isGuarded: true });
  });

  test('sees a policy for other readers, and one that is missing', async () => {
    const unguarded = { holdsMessages: false, isGuarded: false };
    const { queues } = scene(holding('0', '0', policy()));
    expect(await queues.look(queue, [reader])).toEqual(unguarded);
    expect(await queues.look(queue, [])).toEqual({ ...unguarded, isGuarded: true });
    expect(await scene().queues.look(queue, [])).toEqual(unguarded);
  });

  test('finds no queue that is gone, and throws any other error', async () => {
    expect(await scene(gone).queues.look(queue, [])).toBeUndefined();
    await expect(scene(other).queues.look(queue, [])).rejects.toBe(other);
  });
});
