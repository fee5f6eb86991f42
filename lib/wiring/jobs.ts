import { gunzipSync } from 'node:zlib';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { CloudWatchLogsEvent } from 'aws-lambda';
import { isRegistered } from '../access/registry/connection.ts';
import { type AccessLine, limitedIn } from '../bus/activity/records.ts';
import {
  type AgeReport,
  type ConsumerQueues,
  watchQueueAges,
} from '../bus/consuming/queue-ages.ts';
import { type RelayMetrics, relay } from '../bus/delivery/relay.ts';
import { runReplays } from '../bus/replay/run-replays.ts';
import { limits } from '../contract/limits.ts';
import {
  customMetrics,
  metricDimensions,
  metricNamespace,
  rareMetrics,
} from '../contract/metrics.ts';
import { isNewBatch, recorder } from './activity.ts';
import { clock, type Env, environment, ids, registry } from './env.ts';
import { archive, queueAges, replays } from './history.ts';
import type { JobFunction } from './job.ts';
import { backlog, log, queues } from './publishing.ts';
import { connections, directory, guardedQueues, principals } from './registry.ts';

const newMetrics = (env: Env): Metrics =>
  new Metrics({
    namespace: metricNamespace(environment(env)),
    serviceName: metricDimensions.service,
  });

const metrics = (env: Env): RelayMetrics => {
  const out = newMetrics(env);
  return {
    report({ pendingHeads, oldestPendingSeconds, lastError }) {
      out.addMetric(customMetrics.pendingHeads, MetricUnit.Count, pendingHeads);
      out.addMetric(customMetrics.oldestPendingSeconds, MetricUnit.Seconds, oldestPendingSeconds);
      if (lastError)
        out.addMetadata('last_error', `${lastError.name} ${lastError.queue ?? ''}`.trim());
      out.publishStoredMetrics();
    },
  };
};

export const relayFunction: JobFunction<'relay'> = {
  job: 'relay',
  use: relay,
  ports: { clock, ids, registry, log, backlog, queues, metrics },
};

export const replayFunction: JobFunction<'replay'> = {
  job: 'replay',
  use: runReplays,
  ports: { clock, ids, registry, log, archive, queues, replays, recorder },
};

const consumers = (env: Env): ConsumerQueues => {
  const [{ page, list }, { ofWorkspace }] = [directory(env), connections(env)];
  return {
    async organisations(after) {
      const part = { after, max: limits.portalPage };
      const { entries, ...more } = await page('organisation', undefined, part);
      return { entries: entries.map(({ id }) => id), ...more };
    },
    async *of(organisation) {
      for (const { id } of await list('workspace', organisation))
        yield (await ofWorkspace(id)).flatMap(one => {
          if (isRegistered(one) && one.queue !== undefined)
            return [{ connection: one.id, workspace: id, queue: one.queue }];
          return [];
        });
    },
  };
};

const ageReport = (env: Env): AgeReport => {
  const out = newMetrics(env);
  const logger = new Logger({ serviceName: metricDimensions.service });
  return {
    report({ oldestSeconds, old, unknown, unguarded }) {
      out.addMetric(customMetrics.oldestUnacknowledgedSeconds, MetricUnit.Seconds, oldestSeconds);
      if (unguarded.length > 0)
        out.addMetric(rareMetrics.unguarded, MetricUnit.Count, unguarded.length);
      out.publishStoredMetrics();
      for (const one of old) logger.warn('unacknowledged', { ...one });
      for (const one of unknown) logger.warn('unknown age', { ...one });
      for (const one of unguarded) logger.warn('changed policy', { ...one });
    },
  };
};

export const queueAgesFunction: JobFunction<'queue-ages'> = {
  job: 'queue-ages',
  use: watchQueueAges,
  ports: { clock, consumers, principals, guardedQueues, queueAges, ageReport },
};

interface LogBatch {
  readonly messageType: string;
  readonly logEvents: readonly (AccessLine & { readonly id: string })[];
}

/**
 * Records the requests that API Gateway refused with 429: its access log comes in batches of
 * compressed lines. A batch that is delivered again is not counted again, even if the first one was
 * not counted to its end.
 */
export const countLimited = (env: Env) =>
  async function countLimited({ awslogs }: Pick<CloudWatchLogsEvent, 'awslogs'>): Promise<void> {
    const batch: LogBatch = JSON.parse(gunzipSync(Buffer.from(awslogs.data, 'base64')).toString());
    // The other kind tells that the destination can be reached.
    if (batch.messageType !== 'DATA_MESSAGE') return;
    const lines = batch.logEvents.map(({ id }) => id);
    if (await isNewBatch(env, lines))
      await Promise.all(limitedIn(batch.logEvents).map(recorder(env).record));
  };
