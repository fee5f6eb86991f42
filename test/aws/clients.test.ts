import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig } from '../../lib/aws/clients.ts';
import { listen } from '../../lib/local/gateway-server.ts';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const exchanges: Exchange[] = [];
let engine: Server;
let client: SQSClient;

beforeEach(async () => {
  exchanges.length = 0;
  engine = createServer();
  const endpoint = await listen(engine, 0, '--port');
  client = new SQSClient(clientConfig({ AWS_ENDPOINT_URL_SQS: endpoint, AWS_REGION: 'eu-west-1' }, 'SQS'));
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

test('a request to a local engine says who asks and when, with a signature of zeros', async () => {
  const [exchange] = await askAtOnce(1);
  const { authorization, 'x-amz-date': time } = exchange?.request.headers ?? {};
  expect(time).toMatch(/^20\d{6}T\d{6}Z$/);
  const date = String(time).slice(0, 8);
  expect(authorization).toBe(
    `AWS4-HMAC-SHA256 Credential=local/${date}/eu-west-1/sqs/aws4_request, SignedHeaders=host;x-amz-date, Signature=${'0'.repeat(64)}`,
  );
});

test.each(['DYNAMODB', 'SQS', 'KMS', 'API_GATEWAY', 'WAFV2'] as const)(
  'a request to %s on AWS is signed by the SDK, with the credentials that it finds',
  service => {
    const { endpoint, credentials, signer } = clientConfig({ AWS_REGION: 'eu-west-1' }, service);
    expect([endpoint, credentials, signer]).toEqual([undefined, undefined, undefined]);
  },
);

test('a hundred polls that wait at a local engine keep no other request waiting', async () => {
  expect(await askAtOnce(101)).toHaveLength(101);
});
