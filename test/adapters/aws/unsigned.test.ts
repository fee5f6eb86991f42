import { createServer, type IncomingHttpHeaders } from 'node:http';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig } from '../../../lib/adapters/aws/client-config.ts';
import { listen } from '../../../lib/local/listen.ts';

test('a request to a local engine says who asks and when, and is not signed', async () => {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    response.setHeader('content-type', 'application/x-amz-json-1.0').end('{}');
  });
  const endpoint = await listen(server, 0, '--port');
  const client = new SQSClient(
    clientConfig({ AWS_ENDPOINT_URL_SQS: endpoint, AWS_REGION: 'eu-west-1' }, 'SQS'),
  );
  await client.send(new ListQueuesCommand({}));
  client.destroy();
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
  const [{ authorization, 'x-amz-date': time } = {}] = seen;
  expect(time).toMatch(/^20\d{6}T\d{6}Z$/);
  const date = String(time).slice(0, 8);
  expect(authorization).toBe(
    `AWS4-HMAC-SHA256 Credential=local/${date}/eu-west-1/sqs/aws4_request, SignedHeaders=host;x-amz-date, Signature=${'0'.repeat(64)}`,
  );
});

test('a request to AWS is signed by the SDK, with the credentials that it finds', () => {
  const { signer, credentials } = clientConfig({ AWS_REGION: 'eu-west-1' }, 'SQS');
  expect(signer).toBeUndefined();
  expect(credentials).toBeUndefined();
});
