import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { envVars } from '../../lib/contract/env-vars.ts';
import type { RelayMetrics } from '../../lib/ports.ts';
import { type Env, required } from '../env.ts';

/** The relay's metrics, as a line of the embedded metric format on standard output. */
export const metrics = (env: Env): RelayMetrics => {
  const out = new Metrics({
    namespace: 'som-bus',
    defaultDimensions: { environment: required(env, envVars.environment) },
  });
  return {
    report({ pendingHeads, oldestPendingSeconds }) {
      out.addMetric('PendingHeads', MetricUnit.Count, pendingHeads);
      out.addMetric('OldestPendingSeconds', MetricUnit.Seconds, oldestPendingSeconds);
      out.publishStoredMetrics();
    },
  };
};
