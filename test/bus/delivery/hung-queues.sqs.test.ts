import { createServer } from 'node:http';
import { SQSClient } from '@aws-sdk/client-sqs';
import { awsQueues } from '../../../lib/bus/delivery/queues.sqs.ts';
import { functionSizes } from '../../../lib/contract/functions.ts';
import { limits } from '../../../lib/contract/limits.ts';
import { listen } from '../../../lib/local/gateway-endpoint.ts';
import { clientConfig, clientConfigWithin } from '../../../lib/platform/aws/clients.ts';
import { entry } from '../../support/entries.ts';

test('a send to a queue service that never answers fails after a second attempt', async () => {
  let attempts = 0;
  const server = createServer(() => {
    attempts += 1;
  });
  const endpoint = await listen(server, { port: 0, option: '--port' });
  const client = new SQSClient(
    clientConfigWithin({ AWS_ENDPOINT_URL_SQS: endpoint }, 'SQS', 1_100),
  );
  const queues = awsQueues({ client, baseUrl: `${endpoint}/0/` });
  await expect(queues.send('q.fifo', entry('m1'))).rejects.toThrow('500 ms');
  expect(attempts).toBe(2);
  client.destroy();
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
});

test('a poll and its repetition fit into the function with two seconds to spare', () => {
  const { pullWaitSeconds, pollMarginMilliseconds, settleMilliseconds } = limits;
  const longest = pullWaitSeconds.max * 1000 + pollMarginMilliseconds + settleMilliseconds;
  expect(longest).toBeLessThanOrEqual(functionSizes.pull.timeoutSeconds * 1000 - 2_000);
});

test.each([200, 1_500])(
  'the attempts of a client and the pause between them fit into its %i ms',
  milliseconds => {
    const { maxAttempts, requestHandler } = clientConfigWithin({}, 'SQS', milliseconds);
    expect(maxAttempts * requestHandler.requestTimeout).toBeLessThan(milliseconds);
  },
);

test('a request that is not answered in time is an error, not a warning', () => {
  expect(clientConfig({}, 'SQS').requestHandler.throwOnRequestTimeout).toBe(true);
});
