import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { customMetrics, metricDimensions, metricNamespace } from '../../lib/contract/alarms.ts';
import { envVars } from '../../lib/contract/env-vars.ts';
import { environmentOf } from '../../lib/contract/environments.ts';
import type { RelayMetrics } from '../../lib/ports/relay-metrics.ts';
import { type Env, required } from '../env.ts';

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
