import { SQSClient } from '@aws-sdk/client-sqs';
import { awsSeals } from '../access/seals/seal-ring.dynamodb.ts';
import { awsInbox } from '../bus/consuming/inbox.sqs.ts';
import { pullEdge } from '../bus/consuming/pull.http.ts';
import { awsReceipts } from '../bus/consuming/receipts.dynamodb.ts';
import { ackEdge, nackEdge } from '../bus/consuming/settle.http.ts';
import { awsWaitingPolls } from '../bus/consuming/waiting-polls.dynamodb.ts';
import { awsQueueDepths } from '../bus/delivery/queues.sqs.ts';
import { awsArchiveTail } from '../bus/replay/archive.dynamodb.ts';
import { envVars } from '../contract/environments.ts';
import { limits } from '../contract/limits.ts';
import { clientConfig, clientConfigWithin, clientOf } from '../platform/aws/clients.ts';
import { recorder } from './activity.ts';
import {
  clock,
  type Env,
  ids,
  ledgerTable,
  once,
  registry,
  registryTable,
  requiredVariable,
} from './env.ts';
import type { RouteFunction } from './function.ts';

const { pullWaitSeconds, pollMarginMilliseconds, settleMilliseconds } = limits;

const settler = /* @__PURE__ */ once((env: Env) =>
  clientOf(env, 'SQS', new SQSClient(clientConfigWithin(env, 'SQS', settleMilliseconds))),
);

const poller = /* @__PURE__ */ once((env: Env) => {
  const requestTimeout = pullWaitSeconds.max * 1000 + pollMarginMilliseconds;
  return clientOf(
    env,
    'SQS',
    new SQSClient(clientConfig(env, 'SQS', { requestTimeout, maxAttempts: 1 })),
  );
});

const home = (env: Env) => ({
  client: settler(env),
  baseUrl: requiredVariable(env, envVars.queueBaseUrl),
});

const inbox = (env: Env) => awsInbox(home(env), poller(env));

const receipts = (env: Env) => awsReceipts(ledgerTable(env), clock(env));

const polls = (env: Env) => awsWaitingPolls(ledgerTable(env), clock(env));

/**
 * What clients hand back, receipts and positions: a process reads the keys for all of its
 * functions.
 */
export const seals = /* @__PURE__ */ once((env: Env) =>
  awsSeals(registryTable(env), { clock: clock(env), ids: ids() }),
);

const settlePorts = { clock, registry, inbox, receipts, seals, recorder };

export const pullFunction: RouteFunction<'pull'> = {
  route: 'pull',
  edge: pullEdge,
  ports: { clock, ids, registry, inbox, receipts, seals, polls, recorder },
};

export const ackFunction: RouteFunction<'ack'> = {
  route: 'ack',
  edge: ackEdge,
  ports: settlePorts,
};

export const nackFunction: RouteFunction<'nack'> = {
  route: 'nack',
  edge: nackEdge,
  ports: settlePorts,
};

export const depths = (env: Env) => awsQueueDepths(home(env));

export const archiveTail = (env: Env) => awsArchiveTail(ledgerTable(env));
