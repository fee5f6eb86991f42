import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type IFilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import {
  type AlarmId,
  alarms,
  type CustomMetric,
  customMetrics,
  metricDimensions,
  metricNamespace,
} from '../contract/alarms.ts';
import type { EnvironmentName } from '../contract/environments.ts';
import type { BusTable } from './bus-table.ts';
import type { RouteApi } from './route-api.ts';
import type { ServiceFunction } from './service-function.ts';

/** What alarms and dashboard look at. */
export interface Observed {
  readonly environment: EnvironmentName;
  readonly bus: RouteApi;
  readonly portal: RouteApi;
  readonly token: ServiceFunction;
  readonly tables: readonly BusTable[];
  /** Queues of failed runs. */
  readonly failures: readonly IQueue[];
}

const refusedBy = (...types: readonly string[]): IFilterPattern =>
  FilterPattern.any(...types.map(type => FilterPattern.stringValue('$.refusedBy', '=', type)));

/** Metrics made by counting log lines. */
const counted = (scope: Construct, { environment, bus, token }: Observed) => {
  const count = (name: CustomMetric, logGroup: ILogGroup, filterPattern: IFilterPattern): Metric =>
    new MetricFilter(scope, `${name}Filter`, {
      logGroup,
      filterPattern,
      metricNamespace: metricNamespace(environment),
      metricName: customMetrics[name],
      metricValue: '1',
    }).metric({ statistic: Stats.SUM });
  return {
    throttles: count('throttled', bus.log, refusedBy('THROTTLED', 'QUOTA_EXCEEDED')),
    'authoriser-faults': count(
      'authoriserFaults',
      bus.log,
      refusedBy('AUTHORIZER_FAILURE', 'AUTHORIZER_CONFIGURATION_ERROR'),
    ),
    'token-faults': count('tokenFaults', token.records, FilterPattern.stringValue('$.level', '=', 'ERROR')),
  };
};

const sum = (metrics: readonly IMetric[], label: string, period: Duration): MathExpression =>
  new MathExpression({
    expression: 'SUM(METRICS())',
    usingMetrics: Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric])),
    label,
    period,
  });

const throttleEvents = (tables: readonly BusTable[], period: Duration): readonly Metric[] =>
  tables.flatMap(({ tableName }) =>
    ['ReadThrottleEvents', 'WriteThrottleEvents'].map(
      metricName =>
        new Metric({
          namespace: 'AWS/DynamoDB',
          metricName,
          dimensionsMap: { TableName: tableName },
          statistic: Stats.SUM,
          period,
        }),
    ),
  );

/** A metric that a function writes (embedded metric format). */
export const written = (environment: EnvironmentName, name: CustomMetric): Metric =>
  new Metric({
    namespace: metricNamespace(environment),
    metricName: customMetrics[name],
    dimensionsMap: { ...metricDimensions },
    statistic: Stats.MAXIMUM,
  });

/** The metric behind each alarm; absent where nothing is deployed that it could watch. */
export const alarmMetrics = (
  scope: Construct,
  observed: Observed,
): Readonly<Record<AlarmId, IMetric | undefined>> => {
  const { environment, bus, portal, tables, failures } = observed;
  const periodOf = (alarm: AlarmId) => Duration.seconds(alarms[alarm].periodSeconds);
  const every = (metric: Metric, alarm: AlarmId) => metric.with({ period: periodOf(alarm) });
  const logs = counted(scope, observed);
  const failed = failures.map(queue => queue.metricApproximateNumberOfMessagesVisible());
  return {
    'bus-5xx': every(bus.deploymentStage.metricServerError(), 'bus-5xx'),
    'portal-5xx': every(portal.deploymentStage.metricServerError(), 'portal-5xx'),
    throttles: every(logs.throttles, 'throttles'),
    'table-throttles': sum(
      throttleEvents(tables, periodOf('table-throttles')),
      'refused',
      periodOf('table-throttles'),
    ),
    'relay-age': every(written(environment, 'oldestPendingSeconds'), 'relay-age'),
    'authoriser-faults': every(logs['authoriser-faults'], 'authoriser-faults'),
    'token-faults': every(logs['token-faults'], 'token-faults'),
    'job-failures': failed.length > 0 ? sum(failed, 'failed runs', periodOf('job-failures')) : undefined,
  };
};
