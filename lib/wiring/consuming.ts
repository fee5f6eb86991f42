import { SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig, clientConfigWithin, clientOf } from '../aws/clients.ts';
import { awsInbox } from '../consuming/inbox.sqs.ts';
import { pullEdge } from '../consuming/pull.http.ts';
import type { WaitingPolls } from '../consuming/pull.ts';
import { awsReceipts } from '../consuming/receipts.dynamodb.ts';
import type { Inbox, Receipts } from '../consuming/receipts.ts';
import { ackEdge, nackEdge } from '../consuming/settle.http.ts';
import { awsWaitingPolls } from '../consuming/waiting-polls.dynamodb.ts';
import { envVars } from '../contract/environments.ts';
import { limits } from '../contract/limits.ts';
import { awsQueueDepths } from '../delivery/queues.sqs.ts';
import type { QueueDepths } from '../delivery/queues.ts';
import { awsArchiveTail } from '../replay/archive.dynamodb.ts';
import type { ArchiveTail } from '../replay/replay.ts';
import { recorder } from './activity.ts';
import { clock, type Env, ids, ledgerTable, oncePerEnv, registry, required } from './env.ts';
import type { RouteFunction } from './function.ts';

const { pullWaitSeconds, pollMarginMilliseconds, settleMilliseconds } = limits;

const newSettler = (env: Env): SQSClient =>
  clientOf(env, 'SQS', new SQSClient(clientConfigWithin(env, 'SQS', settleMilliseconds)));

const newPoller = (env: Env): SQSClient => {
  const requestTimeout = pullWaitSeconds.max * 1000 + pollMarginMilliseconds;
  return clientOf(env, 'SQS', new SQSClient(clientConfig(env, 'SQS', { requestTimeout, maxAttempts: 1 })));
};

const inbox = (env: Env): Inbox =>
  awsInbox(
    { client: oncePerEnv(env, newSettler), baseUrl: required(env, envVars.queueBaseUrl) },
    oncePerEnv(env, newPoller),
  );

const receipts = (env: Env): Receipts => awsReceipts(ledgerTable(env), clock(env));

const polls = (env: Env): WaitingPolls => awsWaitingPolls(ledgerTable(env), clock(env));

const settlePorts = { clock, registry, inbox, receipts, recorder };

export const pullFunction: RouteFunction<'pull'> = {
  route: 'pull',
  edge: pullEdge,
  ports: { clock, ids, registry, inbox, receipts, polls, recorder },
};

export const ackFunction: RouteFunction<'ack'> = { route: 'ack', edge: ackEdge, ports: settlePorts };

export const nackFunction: RouteFunction<'nack'> = { route: 'nack', edge: nackEdge, ports: settlePorts };

export const depths = (env: Env): QueueDepths =>
  awsQueueDepths({ client: oncePerEnv(env, newSettler), baseUrl: required(env, envVars.queueBaseUrl) });

export const archiveTail = (env: Env): ArchiveTail => awsArchiveTail(ledgerTable(env));
