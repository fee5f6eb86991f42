import { createServer } from 'node:http';
import { SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig } from '../../lib/adapters/aws/client-config.ts';
import { awsQueues } from '../../lib/adapters/aws/queues.ts';
import { listen } from '../../lib/local/listen.ts';
import { entry } from './entries.ts';

test('a send to a queue service that never answers fails in its time', async () => {
  const server = createServer(() => undefined);
  const endpoint = await listen(server, 0, '--port');
  const client = new SQSClient(clientConfig({ AWS_ENDPOINT_URL_SQS: endpoint }, 'SQS'));
  const queues = awsQueues({ client, baseUrl: `${endpoint}/0/` }, { client, milliseconds: 20 });
  await expect(queues.send('q.fifo', entry('m1'))).rejects.toThrow(/abort/i);
  client.destroy();
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
});

test('a request that is not answered in time is a fault, not a warning', () => {
  expect(clientConfig({}, 'SQS').requestHandler.throwOnRequestTimeout).toBe(true);
});
