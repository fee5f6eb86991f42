import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { awsCounts } from '../bus/activity/count-history.dynamodb.ts';
import { awsHistory } from '../bus/activity/history.dynamodb.ts';
import { messageEdge } from '../bus/activity/message.http.ts';
import { backlogEdge } from '../bus/consuming/backlog.http.ts';
import { awsQueueAges } from '../bus/consuming/queue-ages.cloudwatch.ts';
import { awsAcceptances, awsStories } from '../bus/delivery/ledger.dynamodb.ts';
import { clientConfig, clientOf } from '../platform/aws/clients.ts';
import { archiveTail, depths } from './consuming.ts';
import { activityTable, clock, type Env, ledgerTable, registry } from './env.ts';
import type { RouteFunction } from './function.ts';
import { backlog, log } from './publishing.ts';

export const history = (env: Env) => awsHistory(activityTable(env));

export const counts = (env: Env) => awsCounts(activityTable(env));

export const acceptances = (env: Env) => awsAcceptances(ledgerTable(env));

export const stories = (env: Env) => awsStories(ledgerTable(env));

export const queueAges = (env: Env) =>
  awsQueueAges(
    clientOf(env, 'CLOUDWATCH', new CloudWatchClient(clientConfig(env, 'CLOUDWATCH'))),
    clock(env),
  );

export const messageFunction: RouteFunction<'message'> = {
  route: 'message',
  edge: messageEdge,
  ports: { clock, registry, history, acceptances },
};

export const backlogFunction: RouteFunction<'backlog'> = {
  route: 'backlog',
  edge: backlogEdge,
  ports: { clock, registry, history, log, backlog, archiveTail, depths },
};
