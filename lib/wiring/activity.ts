import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  awsAttemptRecorder,
  awsRecorder,
  markBatch,
  type RecorderSettings,
} from '../activity/records.dynamodb.ts';
import type { AttemptRecorder, Recorder } from '../activity/records.ts';
import { clientConfigWithin, clientOf } from '../aws/clients.ts';
import { awsTestRuns } from '../checks/test-runs.dynamodb.ts';
import { environmentOf, environments, envVars } from '../contract/environments.ts';
import { limits } from '../contract/limits.ts';
import { customMetrics, metricDimensions, metricNamespace } from '../contract/metrics.ts';
import type { Connection } from '../registry/connection.ts';
import type { TestRuns } from '../registry/test-runs.ts';
import { clock, type Env, ids, ledgerTable, oncePerEnv, required } from './env.ts';

const newClient = (env: Env): DynamoDBClient =>
  clientOf(
    env,
    'DYNAMODB',
    new DynamoDBClient(clientConfigWithin(env, 'DYNAMODB', limits.recordMilliseconds)),
  );

/** What a recorder is made of; what it cannot write becomes one line of the embedded metric format: log and metric in one. */
const recorderFacts = (env: Env): Parameters<typeof awsRecorder> => {
  const environment = environmentOf(required(env, envVars.environment));
  const table = { client: oncePerEnv(env, newClient), name: required(env, envVars.activityTable) };
  const { archiveDays } = environments[environment];
  const settings: RecorderSettings = {
    ids: ids(),
    archiveDays,
    lost(kind, error) {
      const out = new Metrics({
        namespace: metricNamespace(environment),
        serviceName: metricDimensions.service,
      });
      out.addMetric(customMetrics.unrecorded, MetricUnit.Count, 1);
      out.addMetadata('activity', kind);
      out.addMetadata('error', error instanceof Error ? error.name : 'unknown');
      out.publishStoredMetrics();
    },
  };
  return [table, settings];
};

export const recorder = (env: Env): Recorder => awsRecorder(...recorderFacts(env));

/** Of publishes only. */
export const attemptRecorder = (env: Env): AttemptRecorder => awsAttemptRecorder(...recorderFacts(env));

/** Records requests of a connection that were refused with 429. */
export const limitedRequests = (env: Env) => {
  const { record } = oncePerEnv(env, recorder);
  return ({ id, workspace }: Connection, requests: number): Promise<void> =>
    record({ kind: 'limited', connection: id, workspace, at: clock(env).now(), requests });
};

/** Whether a batch of log lines comes for the first time. @param lines the ids of its lines */
export const isNewBatch = (env: Env, lines: readonly string[]): Promise<boolean> =>
  markBatch(recorderFacts(env)[0], lines, clock(env).now());

export const testRuns = (env: Env): TestRuns => awsTestRuns(ledgerTable(env), ids());
