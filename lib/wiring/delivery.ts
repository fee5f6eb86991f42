import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { SQSClient } from '@aws-sdk/client-sqs';
import { clientConfigWithin } from '../aws/clients.ts';
import { customMetrics, metricDimensions, metricNamespace } from '../contract/alarms.ts';
import { environmentOf, environments, envVars } from '../contract/environments.ts';
import { limits } from '../contract/limits.ts';
import { awsLedger } from '../delivery/ledger.dynamodb.ts';
import { awsBacklog, awsLog } from '../delivery/log.dynamodb.ts';
import type { Ledger, Log } from '../delivery/log.ts';
import { awsQueues } from '../delivery/queues.sqs.ts';
import type { Queues } from '../delivery/queues.ts';
import type { Backlog, RelayMetrics } from '../delivery/relay.ts';
import { clock, type Env, ids, ledgerTable, oncePerEnv, required } from './env.ts';
import { registry } from './registry.ts';

export const ledger = (env: Env): Ledger => {
  const { archiveDays } = environments[environmentOf(required(env, envVars.environment))];
  return awsLedger(ledgerTable(env), { clock: clock(), archiveDays });
};

export const log = (env: Env): Log => awsLog(ledgerTable(env));

const sender: (env: Env) => SQSClient = oncePerEnv(
  env => new SQSClient(clientConfigWithin(env, 'SQS', limits.sendMilliseconds)),
);

export const queues = (env: Env): Queues =>
  awsQueues({ client: sender(env), baseUrl: required(env, envVars.queueBaseUrl) });

export const backlog = (env: Env): Backlog => awsBacklog(ledgerTable(env));

/** The relay's metrics: lines of the embedded metric format on standard output. */
export const metrics = (env: Env): RelayMetrics => {
  const out = new Metrics({
    namespace: metricNamespace(environmentOf(required(env, envVars.environment))),
    serviceName: metricDimensions.service,
  });
  return {
    report({ pendingHeads, oldestPendingSeconds, lastFault }) {
      out.addMetric(customMetrics.pendingHeads, MetricUnit.Count, pendingHeads);
      out.addMetric(customMetrics.oldestPendingSeconds, MetricUnit.Seconds, oldestPendingSeconds);
      if (lastFault) out.addMetadata('last_fault', `${lastFault.error} ${lastFault.queue ?? ''}`.trim());
      out.publishStoredMetrics();
    },
  };
};

/** The ports of every publish route: they differ in who is asked for what, and in nothing else. */
export const publishPorts = { clock, ids, registry, ledger, log, queues };
