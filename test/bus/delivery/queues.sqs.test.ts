import { SQSClient } from '@aws-sdk/client-sqs';
import { awsQueueDepths, awsQueues } from '../../../lib/bus/delivery/queues.sqs.ts';
import { entry } from '../../support/entries.ts';
import { answering } from '../../support/fakes/aws-clients.ts';

const baseUrl = 'https://sqs.eu-west-1.amazonaws.com/111122223333/';
const queue = 'sombus-c333333333333.fifo';

/** A queue service that gives one answer, or throws it, and what it was asked. */
const queueService = (answer: object) => {
  const asked: (readonly [command: string, input: object])[] = [];
  const client = answering(SQSClient, command => {
    asked.push([command.constructor.name, command.input]);
    if (answer instanceof Error) throw answer;
    return answer;
  });
  return { home: { client, baseUrl }, asked };
};

const errorNamed = (name: string) => Object.assign(new Error('as SQS says it'), { name });

const goneNames = ['QueueDoesNotExist', 'AWS.SimpleQueueService.NonExistentQueue'];

describe('a send', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const one = entry('m1', { traceparent });
  const text = (StringValue: string) => ({ DataType: 'String', StringValue });

  test('carries the body as it is, and in attributes what a consumer sorts by', async () => {
    const { home, asked } = queueService({ MessageId: 'ours' });
    expect(await awsQueues(home).send(queue, one)).toBe('sent');
    expect(asked).toEqual([
      [
        'SendMessageCommand',
        {
          QueueUrl: `${baseUrl}${queue}`,
          MessageBody: '{"é": "m1"}\r\n',
          MessageAttributes: {
            traceparent: text(traceparent),
            message_id: text('m1'),
            message_type: text('link.committed'),
            correlation_id: text('00000000-0000-4000-8000-000000000001'),
            producer_id: text('c222222222222'),
            system_id: text('demo-ncs'),
            enqueued_at: text('2026-05-04T23:59:59.000Z'),
          },
          MessageGroupId: '00000000-0000-4000-8000-000000000001',
          MessageDeduplicationId: 'm1',
        },
      ],
    ]);
  });

  test('of a replay names it, and is no repetition of the publish’s', async () => {
    const { home, asked } = queueService({});
    await awsQueues(home).send(queue, one, 'y444444444444');
    expect(asked[0]?.[1]).toMatchObject({
      MessageAttributes: { replay_id: text('y444444444444') },
      MessageDeduplicationId: 'y444444444444.m1',
    });
  });

  test('of a publish without a trace has no attribute for it, nor for a replay', async () => {
    const { home, asked } = queueService({});
    await awsQueues(home).send(queue, entry('m1'));
    const [, input] = asked[0] ?? [];
    const { MessageAttributes } = { MessageAttributes: {}, ...input };
    expect(Object.keys(MessageAttributes)).toEqual([
      'message_id',
      'message_type',
      'correlation_id',
      'producer_id',
      'system_id',
      'enqueued_at',
    ]);
  });

  test('takes its body from a part of a larger buffer', async () => {
    const { home, asked } = queueService({});
    const body = Buffer.from('before{"a":1}after').subarray(6, 13);
    await awsQueues(home).send(queue, entry('m1', { body }));
    expect(asked[0]?.[1]).toMatchObject({ MessageBody: '{"a":1}' });
  });

  test.each(goneNames)('to a queue that is gone (%s) says so', async name => {
    const { home } = queueService(errorNamed(name));
    expect(await awsQueues(home).send(queue, one)).toBe('gone');
  });

  test('that fails for another reason throws it', async () => {
    const error = errorNamed('ThrottlingException');
    const { home } = queueService(error);
    await expect(awsQueues(home).send(queue, one)).rejects.toBe(error);
  });
});

describe('the depth of a queue', () => {
  test('is what waits and what is in flight, as SQS counts it', async () => {
    const { home, asked } = queueService({
      Attributes: {
        ApproximateNumberOfMessages: '12',
        ApproximateNumberOfMessagesNotVisible: '3',
      },
    });
    expect(await awsQueueDepths(home).depth(queue)).toEqual({ visible: 12, inFlight: 3 });
    expect(asked).toEqual([
      [
        'GetQueueAttributesCommand',
        {
          QueueUrl: `${baseUrl}${queue}`,
          AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
        },
      ],
    ]);
  });

  test.each([{}, { Attributes: {} }])('is nothing where SQS counts nothing: %j', async answer => {
    const { home } = queueService(answer);
    expect(await awsQueueDepths(home).depth(queue)).toEqual({ visible: 0, inFlight: 0 });
  });

  test.each(goneNames)('is unknown for a queue that is gone (%s)', async name => {
    const { home } = queueService(errorNamed(name));
    expect(await awsQueueDepths(home).depth(queue)).toBeUndefined();
  });
});
