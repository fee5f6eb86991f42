import { SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig, clientConfigWithin } from '../../lib/adapters/aws/client-config.ts';
import { awsQueues } from '../../lib/adapters/aws/queues.ts';
import { envVars } from '../../lib/contract/env-vars.ts';
import { limits } from '../../lib/contract/limits.ts';
import type { Queues } from '../../lib/ports/queues.ts';
import { type Env, oncePerEnv, required } from '../env.ts';

const { pullWaitSeconds, pollMarginMilliseconds, settleMilliseconds, sendMilliseconds } = limits;

const client = (milliseconds: number) =>
  oncePerEnv(env => new SQSClient(clientConfigWithin(env, 'SQS', milliseconds)));

const settler: (env: Env) => SQSClient = client(settleMilliseconds);
const sender: (env: Env) => SQSClient = client(sendMilliseconds);

const poller: (env: Env) => SQSClient = oncePerEnv(env => {
  const requestTimeout = pullWaitSeconds.most * 1000 + pollMarginMilliseconds;
  return new SQSClient(clientConfig(env, 'SQS', { requestTimeout, maxAttempts: 1 }));
});

export const queues = (env: Env): Queues =>
  awsQueues(
    { client: settler(env), baseUrl: required(env, envVars.queueBaseUrl) },
    { sender: sender(env), poller: poller(env) },
  );
