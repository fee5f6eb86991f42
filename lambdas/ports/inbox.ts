import { SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig, clientConfigWithin } from '../../lib/adapters/aws/client-config.ts';
import { awsInbox } from '../../lib/adapters/aws/inbox.ts';
import { envVars } from '../../lib/contract/env-vars.ts';
import { limits } from '../../lib/contract/limits.ts';
import type { Inbox } from '../../lib/ports/inbox.ts';
import { type Env, oncePerEnv, required } from '../env.ts';

const { pullWaitSeconds, pollMarginMilliseconds, settleMilliseconds } = limits;

const settler: (env: Env) => SQSClient = oncePerEnv(
  env => new SQSClient(clientConfigWithin(env, 'SQS', settleMilliseconds)),
);

const poller: (env: Env) => SQSClient = oncePerEnv(env => {
  const requestTimeout = pullWaitSeconds.most * 1000 + pollMarginMilliseconds;
  return new SQSClient(clientConfig(env, 'SQS', { requestTimeout, maxAttempts: 1 }));
});

export const inbox = (env: Env): Inbox =>
  awsInbox({ client: settler(env), baseUrl: required(env, envVars.queueBaseUrl) }, poller(env));
