import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { customMetrics, metricDimensions, metricNamespace } from '../contract/alarms.ts';
import { environmentOf, envVars } from '../contract/environments.ts';
import { awsBacklog } from '../delivery/log.dynamodb.ts';
import { type Backlog, type RelayMetrics, relay } from '../delivery/relay.ts';
import { awsArchive } from '../replay/archive.dynamodb.ts';
import type { Archive, Replays } from '../replay/replay.ts';
import { awsReplays } from '../replay/replays.dynamodb.ts';
import { runReplays } from '../replay/run-replays.ts';
import { recorder } from './activity.ts';
import { clock, type Env, ids, ledgerTable, registry, required } from './env.ts';
import type { JobFunction } from './function.ts';
import { log, queues } from './publishing.ts';

export const backlog = (env: Env): Backlog => awsBacklog(ledgerTable(env));

/** The relay's metrics: lines of the embedded metric format on standard output. */
const metrics = (env: Env): RelayMetrics => {
  const out = new Metrics({
    namespace: metricNamespace(environmentOf(required(env, envVars.environment))),
    serviceName: metricDimensions.service,
  });
  return {
    report({ pendingHeads, oldestPendingSeconds, lastFault }) {
      out.addMetric(customMetrics.pendingHeads, MetricUnit.Count, pendingHeads);
      out.addMetric(customMetrics.oldestPendingSeconds, MetricUnit.Seconds, oldestPendingSeconds);
      if (lastFault) out.addMetadata('last_fault', `${lastFault.name} ${lastFault.queue ?? ''}`.trim());
      out.publishStoredMetrics();
    },
  };
};

export const relayFunction: JobFunction<'relay'> = {
  job: 'relay',
  use: relay,
  ports: { clock, ids, registry, log, backlog, queues, metrics },
};

const archive = (env: Env): Archive => awsArchive(ledgerTable(env));

const replays = (env: Env): Replays => awsReplays(ledgerTable(env));

export const replayFunction: JobFunction<'replay'> = {
  job: 'replay',
  use: runReplays,
  ports: { clock, ids, registry, log, archive, queues, replays, recorder },
};
