import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Connection } from '../access/registry/connection.ts';
import {
  awsAttemptRecorder,
  awsIdentityRefusals,
  awsRecorder,
  markBatch,
} from '../bus/activity/records.dynamodb.ts';
import { awsTestRuns } from '../checks/test-runs.dynamodb.ts';
import { environments, envVars } from '../contract/environments.ts';
import { limits } from '../contract/limits.ts';
import { customMetrics, metricDimensions, metricNamespace } from '../contract/metrics.ts';
import { clientConfigWithin, clientOf } from '../platform/aws/clients.ts';
import { clock, type Env, environment, ids, ledgerTable, once, requiredVariable } from './env.ts';

const client = /* @__PURE__ */ once((env: Env) =>
  clientOf(
    env,
    'DYNAMODB',
    new DynamoDBClient(clientConfigWithin(env, 'DYNAMODB', limits.recordMilliseconds)),
  ),
);

/**
 * What a recorder is made of; what it cannot write becomes one line of the embedded metric format:
 * log and metric in one.
 */
const recorderFacts = (env: Env): Parameters<typeof awsRecorder> => [
  { client: client(env), name: requiredVariable(env, envVars.activityTable) },
  {
    ids: ids(),
    archiveDays: environments[environment(env)].archiveDays,
    lost(kind, error) {
      const namespace = metricNamespace(environment(env));
      const out = new Metrics({ namespace, serviceName: metricDimensions.service });
      out.addMetric(customMetrics.unrecorded, MetricUnit.Count, 1);
      out.addMetadata('activity', kind);
      out.addMetadata('error', error instanceof Error ? error.name : 'unknown');
      out.publishStoredMetrics();
    },
  },
];

export const recorder = (env: Env) => awsRecorder(...recorderFacts(env));

/** Of publishes only. */
export const attemptRecorder = (env: Env) => awsAttemptRecorder(...recorderFacts(env));

/** Of tokens of identity providers only. */
export const identityRefusals = (env: Env) => awsIdentityRefusals(...recorderFacts(env));

/** Records requests of a connection that were refused with 429. */
export const limitedRequests = (env: Env) => {
  const { record } = recorder(env);
  return ({ id, workspace }: Connection, requests: number): Promise<void> =>
    record({ kind: 'limited', connection: id, workspace, at: clock(env).now(), requests });
};

/** Whether a batch of log lines comes for the first time. @param lines the ids of its lines */
export const isNewBatch = (env: Env, lines: readonly string[]): Promise<boolean> =>
  markBatch(recorderFacts(env)[0], lines, clock(env).now());

export const testRuns = (env: Env) => awsTestRuns(ledgerTable(env), ids());
