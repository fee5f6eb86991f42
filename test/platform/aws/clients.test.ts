import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { listen } from '../../../lib/local/gateway-endpoint.ts';
import { clientConfig, clientConfigWithin } from '../../../lib/platform/aws/clients.ts';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const exchanges: Exchange[] = [];
let engine: Server;
let endpoint: string;
let client: SQSClient;

beforeEach(async () => {
  exchanges.length = 0;
  engine = createServer();
  endpoint = await listen(engine, { port: 0, option: '--port' });
  client = new SQSClient(
    clientConfig({ AWS_ENDPOINT_URL_SQS: endpoint, AWS_REGION: 'eu-west-1' }, 'SQS'),
  );
});

afterEach(async () => {
  client.destroy();
  engine.closeAllConnections();
  await new Promise(resolve => engine.close(resolve));
});

/** Sends so many requests at once to an engine that answers when it has them all. */
const askAtOnce = async (count: number): Promise<readonly Exchange[]> => {
  engine.on('request', (request, response) => {
    exchanges.push({ request, response });
    if (exchanges.length < count) return;
    for (const { response: open } of exchanges.filter(each => !each.response.headersSent))
      open.setHeader('content-type', 'application/x-amz-json-1.0').end('{}');
  });
  await Promise.all(Array.from({ length: count }, () => client.send(new ListQueuesCommand({}))));
  return exchanges;
};

/** The access key id, the signed scope and the signature of the one request of a client. */
const signatureOf = async (env: Record<string, string>) => {
  const config = { AWS_ENDPOINT_URL_SQS: endpoint, AWS_REGION: 'eu-west-1', ...env };
  client.destroy();
  client = new SQSClient(clientConfig(config, 'SQS'));
  const [exchange] = await askAtOnce(1);
  const header = exchange?.request.headers.authorization ?? '';
  return /^AWS4-HMAC-SHA256 Credential=(\w+)\/\d{8}\/([\w/-]+), SignedHeaders=[\w;-]+, Signature=([\da-f]{64})$/
    .exec(header)
    ?.slice(1);
};

test('a request to a local engine is signed with the key of the environment', async () => {
  const key = { SOMBUS_ENGINE_ACCESS_KEY_ID: 'AKIAOPERATOR', SOMBUS_ENGINE_SECRET_ACCESS_KEY: 's' };
  const [id, scope, signature] = (await signatureOf(key)) ?? [];
  expect([id, scope]).toEqual(['AKIAOPERATOR', 'eu-west-1/sqs/aws4_request']);
  expect(signature).not.toMatch(/^0+$/);
});

test('a request to a local engine is never signed with the credentials of the machine', async () => {
  const [id] =
    (await signatureOf({ AWS_ACCESS_KEY_ID: 'AKIAMACHINE', AWS_SECRET_ACCESS_KEY: 's' })) ?? [];
  expect(id).toBe('local');
});

test.each(['DYNAMODB', 'SQS', 'KMS', 'API_GATEWAY', 'WAFV2'] as const)(
  'the SDK signs a request to %s on AWS with the credentials that it finds',
  service => {
    const config = clientConfig({ AWS_REGION: 'eu-west-1' }, service);
    expect([config.endpoint, config.credentials]).toEqual([undefined, undefined]);
  },
);

test('a hundred waiting polls at a local engine do not make another request wait', async () => {
  expect(await askAtOnce(101)).toHaveLength(101);
});

test('a call has three attempts of three seconds, or two within a given time', () => {
  const requestHandler = {
    connectionTimeout: 1_000,
    requestTimeout: 3_000,
    throwOnRequestTimeout: true,
    httpAgent: { maxSockets: Number.POSITIVE_INFINITY },
  };
  const usual = { region: 'us-east-1', maxAttempts: 3, cacheMiddleware: true, requestHandler };
  expect(clientConfig({}, 'SQS')).toEqual(usual);
  const env = { AWS_REGION: 'eu-west-1', AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:1' };
  expect(clientConfigWithin(env, 'SQS', 1_500)).toEqual({
    ...usual,
    region: 'eu-west-1',
    maxAttempts: 2,
    requestHandler: { ...requestHandler, requestTimeout: 700 },
    endpoint: env.AWS_ENDPOINT_URL_SQS,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
});
