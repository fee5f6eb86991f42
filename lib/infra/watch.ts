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
import { FilterPattern, type IFilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type AlarmId, alarms, type BlockingRule, blockingRules } from '../contract/alarms.ts';
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

/** What alarms and dashboard look at. */
interface Observed {
  readonly environment: EnvironmentName;
  /** Of the bus. */
  readonly restApi: RouteApi;
  /** Of its functions. */
  readonly log: ILogGroup;
  readonly tables: Readonly<Record<TableName, Pick<ServedTable, 'tableName' | 'indexNames'>>>;
  /** The failed runs of jobs. */
  readonly failures: IQueue;
}

/** Metrics made by counting log lines. */
const counted = (scope: Construct, { environment, restApi, log }: Observed) => {
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

const sum = (metrics: readonly IMetric[], label: string, period: Duration): MathExpression =>
  new MathExpression({
    expression: 'SUM(METRICS())',
    usingMetrics: Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric])),
    label,
    period,
  });

/** A table's throttled calls, and those of its indexes: a throttled index also holds up the writes of its table. */
const throttleEvents = (
  tables: readonly Observed['tables'][TableName][],
  period: Duration,
): readonly Metric[] =>
  tables.flatMap(({ tableName, indexNames }) =>
    [{}, ...indexNames.map(GlobalSecondaryIndexName => ({ GlobalSecondaryIndexName }))].flatMap(index =>
      ['ReadThrottleEvents', 'WriteThrottleEvents'].map(
        metricName =>
          new Metric({
            namespace: 'AWS/DynamoDB',
            metricName,
            dimensionsMap: { TableName: tableName, ...index },
            statistic: Stats.SUM,
            period,
          }),
      ),
    ),
  );

/** A metric that a function writes (embedded metric format). */
const written = (environment: EnvironmentName, name: CustomMetric | 'unguarded'): Metric =>
  new Metric({
    namespace: metricNamespace(environment),
    metricName: { ...customMetrics, ...rareMetrics }[name],
    dimensionsMap: { ...metricDimensions },
    statistic: Stats.MAXIMUM,
  });

/** The alarms that are made here: the portal's is in the portal's stack. */
type BusAlarmId = Exclude<AlarmId, 'portal-5xx'>;

/** The metric behind each alarm; absent if the thing it watches is not deployed. */
const alarmMetrics = (
  scope: Construct,
  observed: Observed,
): Readonly<Record<BusAlarmId, IMetric | undefined>> => {
  const { environment, tables, failures } = observed;
  const periodOf = (alarm: AlarmId) => Duration.seconds(alarms[alarm].periodSeconds);
  // An alarm adds up ten metrics at most (CloudWatch: "CloudWatch service quotas").
  const throttled = (alarm: AlarmId, ...names: readonly TableName[]) =>
    sum(
      throttleEvents(
        names.map(name => tables[name]),
        periodOf(alarm),
      ),
      'refused',
      periodOf(alarm),
    );
  const logs = counted(scope, observed);
  return {
    ...logs,
    'bus-5xx': apiMetric(environment, 'bus', '5XXError'),
    'table-throttles': throttled('table-throttles', 'registry', 'ledger'),
    'activity-throttles': throttled('activity-throttles', 'activity', 'sessions'),
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
    // Lambda counts 0 for a run that succeeded (Lambda: "Types of metrics").
    probe: new Metric({
      namespace: 'AWS/Lambda',
      metricName: 'Errors',
      dimensionsMap: { FunctionName: `sombus-${environment}-${probeFunction.id}` },
      statistic: Stats.SUM,
    }),
    'job-failures': failures.metricApproximateNumberOfMessagesVisible(),
  };
};

const blockingRuleNames = Object.keys(blockingRules).filter(
  (name): name is BlockingRule => name in blockingRules,
);

/** What each rule of the firewall blocked (AWS WAF: "AWS WAF metrics and dimensions"). */
const blockedRequests = (
  scope: Construct,
  { environment }: Observed,
): Readonly<Record<BlockingRule, Metric>> => {
  const blockedBy = (rule: BlockingRule): Metric =>
    new Metric({
      namespace: 'AWS/WAFV2',
      metricName: 'BlockedRequests',
      dimensionsMap: {
        WebACL: resourceNames(environment).firewall,
        Region: Stack.of(scope).region,
        Rule: rule,
      },
      statistic: Stats.SUM,
      period: Duration.seconds(blockingRules[rule].periodSeconds),
    });
  const metrics = blockingRuleNames.map(rule => [rule, blockedBy(rule)]);
  return Object.fromEntries(metrics) as Record<BlockingRule, Metric>; // one for each name
};

const alarmIds = Object.keys(alarms).filter((id): id is AlarmId => id in alarms);

export interface WatchProps extends Observed {
  /** What mails alarms. */
  readonly topic: ITopic;
}

/** The alarms of the bus and of what it shares with the portal, and a dashboard of both. */
export class Watch extends Construct {
  constructor(scope: Construct, id: string, props: WatchProps) {
    super(scope, id);
    const { environment, topic } = props;
    const metrics: Readonly<Partial<Record<AlarmId, IMetric | undefined>>> = alarmMetrics(this, props);
    const blocked = blockedRequests(this, props);
    const made = alarmIds.flatMap(alarm => {
      const metric = metrics[alarm];
      return metric
        ? [new OperatorAlarm(this, alarm, { ...alarms[alarm], id: alarm, environment, metric, topic })]
        : [];
    });
    const ofFirewall = blockingRuleNames.map(rule => {
      const facts = { ...blockingRules[rule], id: `firewall-${rule}`, section: 'firewall' };
      return new OperatorAlarm(this, facts.id, { ...facts, environment, metric: blocked[rule], topic });
    });
    const ofPortal = Alarm.fromAlarmName(this, 'OfPortal', `${resourceNames(environment).stack}-portal-5xx`);
    const shown = blockingRuleNames.map(rule => blocked[rule].with({ label: rule }));
    this.dashboard(environment, [...made, ofPortal, ...ofFirewall], shown);
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
