import { awsCounts } from '../activity/count-history.dynamodb.ts';
import type { CountHistory } from '../activity/counts.ts';
import { awsHistory } from '../activity/history.dynamodb.ts';
import { messageEdge } from '../activity/message.http.ts';
import type { History } from '../activity/records.ts';
import { backlogEdge } from '../consuming/backlog.http.ts';
import { awsAcceptances } from '../delivery/ledger.dynamodb.ts';
import type { Acceptances } from '../delivery/log.ts';
import { archiveTail, depths } from './consuming.ts';
import { activityTable, clock, type Env, ledgerTable, registry } from './env.ts';
import type { RouteFunction } from './function.ts';
import { backlog, log } from './publishing.ts';

export const history = (env: Env): History => awsHistory(activityTable(env));

export const counts = (env: Env): CountHistory => awsCounts(activityTable(env));

export const acceptances = (env: Env): Acceptances => awsAcceptances(ledgerTable(env));

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
