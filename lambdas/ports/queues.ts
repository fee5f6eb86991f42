import { SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig, clientConfigWithin } from '../../lib/adapters/aws/client-config.ts';
import { awsQueues, type QueueHome } from '../../lib/adapters/aws/queues.ts';
import { envVars } from '../../lib/contract/env-vars.ts';
import { limits } from '../../lib/contract/limits.ts';
import type { Queues } from '../../lib/ports/queues.ts';
import { type Env, oncePerEnv, required } from '../env.ts';

/** Longer than the longest poll. */
const requestTimeout = (limits.pullWaitSeconds.most + 5) * 1000;

export const queueHome: (env: Env) => QueueHome = oncePerEnv(env => ({
  client: new SQSClient(clientConfig(env, 'SQS', { requestTimeout })),
  baseUrl: required(env, envVars.queueBaseUrl),
}));

const sender: (env: Env) => SQSClient = oncePerEnv(
  env => new SQSClient(clientConfigWithin(env, 'SQS', limits.sendMilliseconds)),
);

export const queues = (env: Env): Queues => awsQueues(queueHome(env), sender(env));
