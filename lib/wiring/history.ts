import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { awsCounts } from '../bus/activity/count-history.dynamodb.ts';
import { awsHistory } from '../bus/activity/history.dynamodb.ts';
import { messageEdge } from '../bus/activity/message.http.ts';
import { backlogEdge } from '../bus/consuming/backlog.http.ts';
import { awsQueueAges } from '../bus/consuming/queue-ages.cloudwatch.ts';
import { awsAcceptances, awsStories } from '../bus/delivery/ledger.dynamodb.ts';
import { awsArchive } from '../bus/replay/archive.dynamodb.ts';
import { awsReplayList, awsReplays } from '../bus/replay/replays.dynamodb.ts';
import { resourceNames } from '../contract/environments.ts';
import { clientConfig, clientOf } from '../platform/aws/clients.ts';
import { awsAlarmStates } from '../portal/alarm-states.cloudwatch.ts';
import { depths } from './consuming.ts';
import { activityTable, clock, type Env, environment, ledgerTable, once, registry } from './env.ts';
import type { RouteFunction } from './function.ts';
import { backlog, log } from './publishing.ts';
import { principals } from './registry.ts';

export const history = (env: Env) => awsHistory(activityTable(env));

export const counts = (env: Env) => awsCounts(activityTable(env));

export const acceptances = (env: Env) => awsAcceptances(ledgerTable(env));

export const stories = (env: Env) => awsStories(ledgerTable(env));

const cloudWatch = /* @__PURE__ */ once((env: Env) =>
  clientOf(env, 'CLOUDWATCH', new CloudWatchClient(clientConfig(env, 'CLOUDWATCH'))),
);

export const queueAges = (env: Env) => awsQueueAges(cloudWatch(env), clock(env));

export const alarmStates = (env: Env) =>
  awsAlarmStates(cloudWatch(env), resourceNames(environment(env)));

export const archive = (env: Env) => awsArchive(ledgerTable(env));

export const replays = (env: Env) => awsReplays(ledgerTable(env));

export const replayList = (env: Env) => awsReplayList(ledgerTable(env));

export const messageFunction: RouteFunction<'message'> = {
  route: 'message',
  edge: messageEdge,
  ports: { clock, registry, history, acceptances },
};

export const backlogFunction: RouteFunction<'backlog'> = {
  route: 'backlog',
  edge: backlogEdge,
  ports: {
    clock,
    registry,
    principals,
    history,
    log,
    backlog,
    archive,
    replays,
    replayList,
    depths,
    queueAges,
  },
};
