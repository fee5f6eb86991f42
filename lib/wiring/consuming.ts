import { SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig, clientConfigWithin } from '../aws/clients.ts';
import { awsInbox } from '../consuming/inbox.sqs.ts';
import { awsReceipts } from '../consuming/receipts.dynamodb.ts';
import type { Inbox, Receipts } from '../consuming/receipts.ts';
import { envVars } from '../contract/environments.ts';
import { limits } from '../contract/limits.ts';
import { clock, type Env, ledgerTable, oncePerEnv, required } from './env.ts';

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

export const receipts = (env: Env): Receipts => awsReceipts(ledgerTable(env), clock());
