import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { awsQueueAdmin } from '../../../lib/access/trust/queue-access.sqs.ts';
import { queuePolicy } from '../../../lib/access/trust/queue-access.ts';
import type { RunningEngine } from '../../../lib/local/engines/aws-json/server.ts';
import { localEnv } from '../../../lib/local/env.ts';
import { clientConfig } from '../../../lib/platform/aws/clients.ts';
import { guardedQueueHome } from '../../../lib/wiring/registry.ts';
import { startSqsEngine } from '../../support/engine-servers.ts';

const queue = 'sombus-caaaaaaaaaaaa.fifo';
const role = 'arn:aws:iam::123456789012:role/newsroom/prompter';
let engine: RunningEngine;
let client: SQSClient;
let home: ReturnType<typeof guardedQueueHome>;

beforeAll(async () => {
  engine = await startSqsEngine();
  const env = localEnv('http://127.0.0.1', {
    dynamodb: '',
    sqs: engine.endpoint,
    kms: '',
    cloudwatch: '',
  });
  client = new SQSClient(clientConfig(env, 'SQS'));
  home = { ...guardedQueueHome(env), client };
});

afterAll(async () => {
  client.destroy();
  await engine.close();
});

const policyNow = async () => {
  const asked = { QueueUrl: home.baseUrl + queue, AttributeNames: ['Policy' as const] };
  const { Attributes } = await client.send(new GetQueueAttributesCommand(asked));
  return JSON.parse(Attributes?.['Policy'] ?? '{}');
};
const allowed = async () =>
  (await policyNow()).Statement.filter(({ Effect }: { Effect: string }) => Effect === 'Allow').map(
    ({ Principal }: { Principal: { AWS: readonly string[] } }) => Principal.AWS,
  );

/** An adapter whose policies SQS refuses with an error. */
const answering = (name: string) => {
  const failing = new SQSClient(clientConfig({ AWS_ENDPOINT_URL_SQS: engine.endpoint }, 'SQS'));
  failing.middlewareStack.add(
    () => async () => {
      throw Object.assign(new Error('Invalid value for the parameter Policy.'), { name });
    },
    { step: 'initialize' },
  );
  return awsQueueAdmin({ ...home, client: failing });
};

test('a queue is FIFO, encrypted, keeps messages for fourteen days, and has its policy from the beginning', async () => {
  await awsQueueAdmin(home).create(queue);
  const busRoles = 'arn:aws:iam::000000000000:role/sombus/sandbox/*';
  const queueArn = `arn:aws:sqs:us-east-1:000000000000:${queue}`;
  expect(await policyNow()).toEqual(queuePolicy({ queueArn, busRoles, readers: [] }));
  const asked = { QueueUrl: home.baseUrl + queue, AttributeNames: ['All' as const] };
  expect((await client.send(new GetQueueAttributesCommand(asked))).Attributes).toMatchObject({
    FifoQueue: 'true',
    DeduplicationScope: 'messageGroup',
    FifoThroughputLimit: 'perMessageGroupId',
    MessageRetentionPeriod: String(14 * 24 * 60 * 60),
    SqsManagedSseEnabled: 'true',
  });
});

test('readers are added and removed, each time all at once', async () => {
  const { letRead } = awsQueueAdmin(home);
  expect(await letRead(queue, [role])).toBe('set');
  expect(await allowed()).toEqual([[role]]);
  expect(await letRead(queue, [])).toBe('set');
  expect(await allowed()).toEqual([]);
});

test.each(['InvalidAttributeValue', 'InvalidParameterValue', 'OverLimit'])(
  'a policy that SQS refuses with %s is refused',
  async name => {
    expect(await answering(name).letRead(queue, [role])).toBe('refused');
  },
);

test('any other error is thrown', async () => {
  await expect(answering('RequestThrottled').letRead(queue, [role])).rejects.toThrow();
});
