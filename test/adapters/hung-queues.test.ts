import { createServer } from 'node:http';
import { SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig, clientConfigWithin } from '../../lib/adapters/aws/client-config.ts';
import { awsQueues } from '../../lib/adapters/aws/queues.ts';
import { listen } from '../../lib/local/listen.ts';
import { entry } from './entries.ts';

test('a send to a queue service that never answers fails after a second attempt', async () => {
  let attempts = 0;
  const server = createServer(() => {
    attempts += 1;
  });
  const endpoint = await listen(server, 0, '--port');
  const client = new SQSClient(clientConfigWithin({ AWS_ENDPOINT_URL_SQS: endpoint }, 'SQS', 140));
  const queues = awsQueues({ client, baseUrl: `${endpoint}/0/` });
  await expect(queues.send('q.fifo', entry('m1'))).rejects.toThrow('20 ms');
  expect(attempts).toBe(2);
  client.destroy();
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
});

test.each([200, 1_500])('the attempts of a client and the pause between fit into its %i ms', milliseconds => {
  const { maxAttempts, requestHandler } = clientConfigWithin({}, 'SQS', milliseconds);
  expect(maxAttempts * requestHandler.requestTimeout).toBeLessThan(milliseconds);
});

test('a request that is not answered in time is a fault, not a warning', () => {
  expect(clientConfig({}, 'SQS').requestHandler.throwOnRequestTimeout).toBe(true);
});
