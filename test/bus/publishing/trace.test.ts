import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { BrokenQueue } from '../../../lib/bus/delivery/queues.ts';
import { envVars } from '../../../lib/contract/environments.ts';
import { localEnv } from '../../../lib/local/env.ts';
import { provision } from '../../../lib/local/provision.ts';
import { seed } from '../../../lib/local/seed.ts';
import { clientConfig } from '../../../lib/platform/aws/clients.ts';
import type { LogFacts } from '../../../lib/platform/http/response.ts';
import { ackFunction, pullFunction } from '../../../lib/wiring/consuming.ts';
import { lambda } from '../../../lib/wiring/function.ts';
import { scheduled } from '../../../lib/wiring/job.ts';
import { relayFunction } from '../../../lib/wiring/jobs.ts';
import { operatorPorts } from '../../../lib/wiring/operator.ts';
import { publishFunction } from '../../../lib/wiring/publishing.ts';
import { startLocalAws } from '../../support/local-aws.ts';
import { storyContext } from '../../support/messages.ts';
import { proxyEvent } from '../../support/proxy-event.ts';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

let aws: Awaited<ReturnType<typeof startLocalAws>>;
beforeAll(async () => {
  aws = await startLocalAws();
});
afterAll(() => aws.close());

test('one message id leads through the log lines from publish over the relay to ack, and its trace to the queue’s readers', async () => {
  const env = localEnv('http://127.0.0.1', aws.endpoints);
  await provision(env);
  const { workspace, producer, consumer } = await seed(operatorPorts(env));
  const lines: LogFacts[] = [];
  const log = { answered: (facts: LogFacts) => void lines.push(facts), failed: () => undefined };
  const broken = () => ({
    send: async () => Promise.reject(new BrokenQueue('', { cause: new Error('hung') })),
  });
  const publish = lambda(
    { ...publishFunction, ports: { ...publishFunction.ports, queues: broken } },
    env,
    log,
  );
  const as = (connection: string, body?: object) =>
    proxyEvent({
      httpMethod: body ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json', traceparent },
      pathParameters: { t: workspace, c: connection },
      requestContext: { authorizer: { connection, workspace } } as never,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  const bodyOf = async (result: ReturnType<typeof publish>) => {
    const { body, isBase64Encoded } = await result;
    return JSON.parse(isBase64Encoded ? Buffer.from(body, 'base64').toString() : body);
  };

  const message = storyContext();
  expect(await publish(as(producer.client_id, message))).toMatchObject({ statusCode: 503 });
  const later = { now: () => Date.now() + 60_000, sleep: async () => undefined };
  await scheduled(relayFunction, env, {
    metrics: () => ({ report: () => undefined }),
    clock: () => later,
  })(120);

  const sqs = new SQSClient(clientConfig(env, 'SQS'));
  const look = { MessageAttributeNames: ['All'], VisibilityTimeout: 0 };
  const QueueUrl = `${env[envVars.queueBaseUrl]}sombus-${consumer.client_id}.fifo`;
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, ...look }));
  sqs.destroy();
  expect(Messages.map(one => one.MessageAttributes?.['traceparent']?.StringValue)).toEqual([
    traceparent,
  ]);
  expect(JSON.parse(Messages[0]?.Body ?? '')).toEqual(message);

  const { messages } = await bodyOf(lambda(pullFunction, env, log)(as(consumer.client_id)));
  expect(messages).toEqual([expect.not.objectContaining({ traceparent: expect.anything() })]);
  const receipt_handles = [messages[0].receipt_handle];
  await lambda(ackFunction, env, log)(as(consumer.client_id, { receipt_handles }));

  const id = message.message_id;
  expect(lines).toEqual([
    expect.objectContaining({ messageId: id, traceparent }),
    expect.objectContaining({ messageIds: [id] }),
    expect.objectContaining({ messageIds: [id] }),
  ]);
});
