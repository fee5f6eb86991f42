import { SQSClient } from '@aws-sdk/client-sqs';
import { clientConfigWithin } from '../../lib/adapters/aws/client-config.ts';
import { awsQueues } from '../../lib/adapters/aws/queues.ts';
import { envVars } from '../../lib/contract/env-vars.ts';
import { limits } from '../../lib/contract/limits.ts';
import type { Queues } from '../../lib/ports/queues.ts';
import { type Env, oncePerEnv, required } from '../env.ts';

const sender: (env: Env) => SQSClient = oncePerEnv(
  env => new SQSClient(clientConfigWithin(env, 'SQS', limits.sendMilliseconds)),
);

export const queues = (env: Env): Queues =>
  awsQueues({ client: sender(env), baseUrl: required(env, envVars.queueBaseUrl) });
