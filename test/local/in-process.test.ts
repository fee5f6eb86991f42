import { GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import {
  ConditionalCheckFailedException,
  GetItemCommand,
  ListTablesCommand,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { DescribeKeyCommand } from '@aws-sdk/client-kms';
import { GetQueueAttributesCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { AwsError } from '../../lib/local/engines/aws-json/input.ts';
import type { CallContext, Operations } from '../../lib/local/engines/aws-json/server.ts';
import { systemClock } from '../../lib/local/engines/machine.ts';
import { openStore } from '../../lib/local/engines/store.ts';
import { openEngines } from '../../lib/local/engines.ts';
import { sendInProcess, sendsInProcess } from '../../lib/local/in-process.ts';

const engines = openEngines(openStore(), systemClock);
type Answer = (input: object, call: CallContext) => object | Promise<object>;

/** An engine whose operations all answer as a test says, and what each was asked. */
const answering = (service: 'dynamodb' | 'sqs', answer: Answer) => {
  const asked: [string, object, CallContext][] = [];
  const operations = new Map(
    [...engines.operations[service].keys()].map(name => [
      name,
      (input: object, call: CallContext) => {
        asked.push([name, input, call]);
        return answer(input, call);
      },
    ]),
  ) as unknown as Operations;
  return { asked, send: sendInProcess(service, operations, 'http://127.0.0.1:7') };
};

const get = new GetItemCommand({ TableName: 't', Key: { pk: { S: 'a' } } });

test('a command is answered by the operation of its name', async () => {
  const { asked, send } = answering('dynamodb', () => ({ Item: {} }));
  expect(await send(get)).toEqual({ Item: {} });
  expect(asked).toEqual([
    ['GetItem', { TableName: 't', Key: { pk: { S: 'a' } } }, expect.anything()],
  ]);
  expect(asked[0]?.[2].endpoint).toBe('http://127.0.0.1:7');
});

test('a poll ends when its caller goes, and no other call ever does', async () => {
  const { asked, send } = answering('sqs', () => ({}));
  const { signal: abortSignal } = new AbortController();
  const poll = new ReceiveMessageCommand({ QueueUrl: 'q' });
  await send(poll, { abortSignal });
  await send(poll);
  await send(poll);
  const [first, second, third] = asked.map(([, , call]) => call.gone);
  expect(first).toBe(abortSignal);
  expect([second?.aborted, second === third]).toEqual([false, false]);
});

test('each service answers its own commands', async () => {
  const asked: string[] = [];
  const noting = (service: keyof typeof engines.operations): Operations =>
    new Map(
      [...engines.operations[service].keys()].map(name => [
        name,
        (_input: object, { endpoint }: CallContext) => {
          asked.push(`${service} ${name} at ${endpoint}`);
          return {};
        },
      ]),
    );
  const { DYNAMODB, SQS, KMS, CLOUDWATCH } = sendsInProcess({
    operations: {
      dynamodb: noting('dynamodb'),
      sqs: noting('sqs'),
      kms: noting('kms'),
      cloudwatch: noting('cloudwatch'),
    },
    endpoints: { dynamodb: 'd', sqs: 's', kms: 'k', cloudwatch: 'c' },
  });
  await DYNAMODB(get);
  await SQS(new GetQueueAttributesCommand({ QueueUrl: 'q' }));
  await KMS(new DescribeKeyCommand({ KeyId: 'k' }));
  await CLOUDWATCH(
    new GetMetricDataCommand({ MetricDataQueries: [], StartTime: undefined, EndTime: undefined }),
  );
  expect(asked).toEqual([
    'dynamodb GetItem at d',
    'sqs GetQueueAttributes at s',
    'kms DescribeKey at k',
    'cloudwatch GetMetricData at c',
  ]);
});

test.each([
  ['another command', new ListTablesCommand({}), 'ListTablesCommand'],
  ['a command of another service', new DescribeKeyCommand({ KeyId: 'k' }), 'DescribeKeyCommand'],
  ['a command without an input', Object.create(GetItemCommand.prototype), 'GetItemCommand'],
])('%s is named', async (_, command, name) => {
  const { asked, send } = answering('dynamodb', () => ({}));
  await expect(send(command)).rejects.toThrow(
    `${name} is not among the commands of lib/local/in-process.ts.`,
  );
  expect(asked).toEqual([]);
});

describe('a refusal is what the SDK would throw', () => {
  const thrownFor = async (error: Error) => {
    const later = answering('dynamodb', () => Promise.reject(error));
    const { send } = answering('dynamodb', () => {
      throw error;
    });
    const thrown = await send(get).catch((reason: unknown) => reason);
    expect(await later.send(get).catch((reason: unknown) => reason)).toEqual(thrown);
    return thrown;
  };
  const shape = (name: string, more: object = {}) => ({
    type: `com.amazonaws.dynamodb.v20120810#${name}`,
    status: 400,
    ...more,
  });
  const $metadata = { httpStatusCode: 400 };

  test('with its name, its status and what it carries', async () => {
    const error = new AwsError(shape('ValidationException'), 'No.', { Fields: ['a'] });
    const thrown = await thrownFor(error);
    expect(thrown).toBeInstanceOf(Error);
    expect({ ...(thrown as object), message: (thrown as Error).message }).toEqual({
      name: 'ValidationException',
      message: 'No.',
      Fields: ['a'],
      $metadata,
    });
  });

  test('by the class of it that the adapters look for', async () => {
    const reasons = { CancellationReasons: [{ Code: 'None' }] };
    const cancelled = new AwsError(shape('TransactionCanceledException'), 'Cancelled.', reasons);
    const transaction = await thrownFor(cancelled);
    expect(transaction).toBeInstanceOf(TransactionCanceledException);
    expect(transaction).toMatchObject({ message: 'Cancelled.', $metadata, ...reasons });
    const item = { Item: { pk: { S: 'a' } } };
    const failed = new AwsError(shape('ConditionalCheckFailedException'), 'Failed.', item);
    const condition = await thrownFor(failed);
    expect(condition).toBeInstanceOf(ConditionalCheckFailedException);
    expect(condition).toMatchObject({ message: 'Failed.', $metadata, ...item });
  });

  test('by the code of the older protocol, where the SDK does not know it', async () => {
    const coral = (more: object) => ({
      ...shape('X'),
      type: 'com.amazon.coral.service#AccessDeniedException',
      ...more,
    });
    const nameOf = async (of: ReturnType<typeof shape>) =>
      ((await thrownFor(new AwsError(of, 'No.'))) as Error).name;
    const queryCode = 'AccessDenied';
    expect(await nameOf(coral({ queryCode }))).toBe('AccessDenied');
    expect(await nameOf(coral({}))).toBe('AccessDeniedException');
    expect(await nameOf(shape('QueueDoesNotExist', { queryCode }))).toBe('QueueDoesNotExist');
  });

  test('unless it is a failure of the engine itself', async () => {
    const bug = new TypeError('x is not a function');
    expect(await thrownFor(bug)).toBe(bug);
  });
});
