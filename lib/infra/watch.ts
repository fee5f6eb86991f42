import { Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IAlarm,
  type IMetric,
  MathExpression,
  Metric,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import {
  FilterPattern,
  type IFilterPattern,
  type ILogGroup,
  MetricFilter,
} from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import {
  type AlarmId,
  alarms,
  type BlockingRule,
  blockingRules,
  firewallAlarmId,
} from '../contract/alarms.ts';
import { type EnvironmentName, resourceNames } from '../contract/environments.ts';
import { probeFunction } from '../contract/functions.ts';
import {
  type CustomMetric,
  customMetrics,
  metricDimensions,
  metricNamespace,
  rareMetrics,
} from '../contract/metrics.ts';
import type { TableName } from '../contract/tables.ts';
import { refusedBy, throttledRequests } from './access-log.ts';
import { OperatorAlarm } from './operator-mail.ts';
import { apiMetric, type RouteApi } from './route-api.ts';
import type { ServedTable } from './stateful-stack.ts';

/** What alarms and dashboard look at, and what mails alarms. */
export interface WatchProps {
  readonly topic: ITopic;
  readonly environment: EnvironmentName;
  /** Of the bus. */
  readonly restApi: RouteApi;
  /** Of its functions. */
  readonly log: ILogGroup;
  readonly tables: Readonly<Record<TableName, Pick<ServedTable, 'tableName' | 'indexNames'>>>;
  /** The failed runs of jobs. */
  readonly failures: IQueue;
  /** Alarms that are made elsewhere, for the dashboard. */
  readonly others?: readonly IAlarm[];
}

/** Metrics made by counting log lines. */
const counted = (scope: Construct, { environment, restApi, log }: WatchProps) => {
  const count = (name: CustomMetric, logGroup: ILogGroup, filterPattern: IFilterPattern): Metric =>
    new MetricFilter(scope, `${name}Filter`, {
      logGroup,
      filterPattern,
      metricNamespace: metricNamespace(environment),
      metricName: customMetrics[name],
      metricValue: '1',
    }).metric({ statistic: Stats.SUM });
  return {
    throttles: count('throttled', restApi.log, throttledRequests),
    'authoriser-errors': count(
      'authoriserErrors',
      restApi.log,
      refusedBy('AUTHORIZER_FAILURE', 'AUTHORIZER_CONFIGURATION_ERROR'),
    ),
    'token-errors': count(
      'tokenErrors',
      log,
      FilterPattern.all(
        FilterPattern.stringValue('$.level', '=', 'ERROR'),
        FilterPattern.stringValue('$.route', '=', 'token'),
      ),
    ),
  };
};

/**
 * The throttled calls of tables and of their indexes: a throttled index also holds up the writes of
 * its table.
 */
const throttled = (
  tables: readonly WatchProps['tables'][TableName][],
  periodSeconds: number,
): IMetric => {
  const metrics = tables.flatMap(({ tableName: TableName, indexNames }) =>
    [{}, ...indexNames.map(GlobalSecondaryIndexName => ({ GlobalSecondaryIndexName }))].flatMap(
      index =>
        ['ReadThrottleEvents', 'WriteThrottleEvents'].map(metricName => {
          const dimensionsMap = { TableName, ...index };
          return new Metric({
            namespace: 'AWS/DynamoDB',
            metricName,
            dimensionsMap,
            statistic: Stats.SUM,
          });
        }),
    ),
  );
  return new MathExpression({
    expression: 'SUM(METRICS())',
    usingMetrics: Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric])),
    label: 'refused',
    period: Duration.seconds(periodSeconds),
  });
};

/** A metric that a function writes (embedded metric format). */
const written = (environment: EnvironmentName, name: CustomMetric | 'unguarded'): Metric =>
  new Metric({
    namespace: metricNamespace(environment),
    metricName: { ...customMetrics, ...rareMetrics }[name],
    dimensionsMap: { ...metricDimensions },
    statistic: Stats.MAXIMUM,
  });

/** The metric behind each alarm that is made here: the portal's is in the portal's stack. */
const alarmMetrics = (scope: Construct, props: WatchProps) => {
  const { environment, failures } = props;
  const { registry, ledger, activity, sessions } = props.tables;
  return {
    ...counted(scope, props),
    'bus-5xx': apiMetric(environment, 'bus', '5XXError'),
    // An alarm adds up ten metrics at most (CloudWatch: "CloudWatch service quotas").
    'table-throttles': throttled([registry, ledger], alarms['table-throttles'].periodSeconds),
    'activity-throttles': throttled(
      [activity, sessions],
      alarms['activity-throttles'].periodSeconds,
    ),
    'unrecorded-activity': written(environment, 'unrecorded').with({ statistic: Stats.SUM }),
    'relay-age': written(environment, 'oldestPendingSeconds'),
    'queue-policy': written(environment, 'unguarded'),
    'unacknowledged-age': written(environment, 'oldestUnacknowledgedSeconds'),
    // Without dimensions: all functions of the account and region (Lambda: "Types of metrics").
    'function-throttles': new Metric({
      namespace: 'AWS/Lambda',
      metricName: 'Throttles',
      statistic: Stats.SUM,
    }),
    'waiting-polls': new Metric({
      namespace: 'AWS/Lambda',
      metricName: 'ConcurrentExecutions',
      dimensionsMap: { FunctionName: `sombus-${environment}-pull` },
      statistic: Stats.MAXIMUM,
    }),
    // Lambda counts 0 for a run that succeeded (Lambda: "Types of metrics").
    probe: new Metric({
      namespace: 'AWS/Lambda',
      metricName: 'Errors',
      dimensionsMap: { FunctionName: `sombus-${environment}-${probeFunction.id}` },
      statistic: Stats.SUM,
    }),
    'job-failures': failures.metricApproximateNumberOfMessagesVisible(),
  } satisfies Record<Exclude<AlarmId, 'portal-5xx'>, IMetric>;
};

const blockingRuleNames = Object.keys(blockingRules).filter(
  (name): name is BlockingRule => name in blockingRules,
);
const alarmIds = Object.keys(alarms).filter((id): id is AlarmId => id in alarms);

/** The alarms of the bus and of what it shares with the portal, and a dashboard of both. */
export class Watch extends Construct {
  constructor(scope: Construct, id: string, props: WatchProps) {
    super(scope, id);
    const { environment, topic } = props;
    const metrics = alarmMetrics(this, props);
    const made = alarmIds.map(alarm => {
      if (alarm === 'portal-5xx')
        return Alarm.fromAlarmName(this, 'OfPortal', resourceNames(environment).alarm(alarm));
      return new OperatorAlarm(this, alarm, {
        ...alarms[alarm],
        id: alarm,
        environment,
        metric: metrics[alarm],
        topic,
      });
    });
    const blocked = blockingRuleNames.map(rule => ({
      rule,
      metric: this.blockedBy(rule, environment),
    }));
    const ofFirewall = blocked.map(({ rule, metric }) => {
      const facts = { ...blockingRules[rule], id: firewallAlarmId(rule), section: 'firewall' };
      return new OperatorAlarm(this, facts.id, { ...facts, environment, metric, topic });
    });
    const shown = blocked.map(({ rule, metric }) => metric.with({ label: rule }));
    this.dashboard(environment, [...made, ...ofFirewall, ...(props.others ?? [])], shown);
  }

  /** What a rule of the firewall blocked (AWS WAF: "AWS WAF metrics and dimensions"). */
  private blockedBy(rule: BlockingRule, environment: EnvironmentName): Metric {
    const { firewall: WebACL } = resourceNames(environment);
    return new Metric({
      namespace: 'AWS/WAFV2',
      metricName: 'BlockedRequests',
      dimensionsMap: { WebACL, Region: Stack.of(this).region, Rule: rule },
      statistic: Stats.SUM,
      period: Duration.seconds(blockingRules[rule].periodSeconds),
    });
  }

  private dashboard(
    environment: EnvironmentName,
    known: readonly IAlarm[],
    blocked: readonly IMetric[],
  ): void {
    const graph = (title: string, ...left: readonly IMetric[]) =>
      new GraphWidget({ title, left: [...left], width: 8, period: Duration.minutes(1) });
    const both = (metric: Parameters<typeof apiMetric>[2]) =>
      (['bus', 'portal'] as const).map(api => apiMetric(environment, api, metric));
    new Dashboard(this, 'Dashboard', {
      dashboardName: resourceNames(environment).stack,
      widgets: [
        [new AlarmStatusWidget({ title: 'Alarms', alarms: [...known], width: 24 })],
        [
          graph('Requests', ...both('Count')),
          graph('Refusals (4xx)', ...both('4XXError')),
          graph('Errors (5xx)', ...both('5XXError')),
        ],
        [
          graph(
            'Milliseconds, 99 of 100',
            apiMetric(environment, 'bus', 'Latency').with({ statistic: 'p99' }),
          ),
          graph('Unfinished deliveries', written(environment, 'pendingHeads')),
          graph('Seconds the oldest has waited', written(environment, 'oldestPendingSeconds')),
        ],
        [graph('Blocked by the firewall, by rule', ...blocked)],
      ],
    });
  }
}
