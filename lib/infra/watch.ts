import { Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmStatusWidget,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { FilterPattern, type IFilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import {
  type Alarm as AlarmFacts,
  type AlarmId,
  alarms,
  type BlockingRule,
  blockingRules,
  type CustomMetric,
  customMetrics,
  metricDimensions,
  metricNamespace,
} from '../contract/alarms.ts';
import { type EnvironmentName, resourceNames } from '../contract/environments.ts';
import type { TableName } from '../contract/tables.ts';
import { AlarmTopic, addBudget } from './operator-mail.ts';
import type { RouteApi } from './route-api.ts';
import type { ServiceFunction } from './service-function.ts';
import type { ServedTable } from './stateful-stack.ts';

/** What alarms and dashboard look at. */
interface Observed {
  readonly environment: EnvironmentName;
  readonly bus: RouteApi;
  readonly portal: RouteApi;
  readonly token: ServiceFunction;
  readonly tables: Readonly<Record<TableName, Pick<ServedTable, 'tableName' | 'indexNames'>>>;
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
const written = (environment: EnvironmentName, name: CustomMetric): Metric =>
  new Metric({
    namespace: metricNamespace(environment),
    metricName: customMetrics[name],
    dimensionsMap: { ...metricDimensions },
    statistic: Stats.MAXIMUM,
  });

/** The metric behind each alarm; absent if the thing it watches is not deployed. */
const alarmMetrics = (
  scope: Construct,
  observed: Observed,
): Readonly<Record<AlarmId, IMetric | undefined>> => {
  const { environment, bus, portal, tables, failures } = observed;
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
  const every = (metric: Metric, alarm: AlarmId) => metric.with({ period: periodOf(alarm) });
  const logs = counted(scope, observed);
  const failed = failures.map(queue => queue.metricApproximateNumberOfMessagesVisible());
  return {
    'bus-5xx': every(bus.deploymentStage.metricServerError(), 'bus-5xx'),
    'portal-5xx': every(portal.deploymentStage.metricServerError(), 'portal-5xx'),
    throttles: every(logs.throttles, 'throttles'),
    'table-throttles': throttled('table-throttles', 'registry', 'ledger'),
    'activity-throttles': throttled('activity-throttles', 'activity', 'sessions'),
    'relay-age': every(written(environment, 'oldestPendingSeconds'), 'relay-age'),
    'unacknowledged-age': every(written(environment, 'oldestUnacknowledgedSeconds'), 'unacknowledged-age'),
    'authoriser-faults': every(logs['authoriser-faults'], 'authoriser-faults'),
    'token-faults': every(logs['token-faults'], 'token-faults'),
    'job-failures': failed.length > 0 ? sum(failed, 'failed runs', periodOf('job-failures')) : undefined,
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

interface WantedAlarm extends AlarmFacts {
  readonly id: string;
  /** Of the runbook. */
  readonly section: string;
  readonly metric: IMetric;
}

const alarmIds = Object.keys(alarms).filter((id): id is AlarmId => id in alarms);

/** Missing data means that all is well, except for the relay, which reports every minute. */
const missing = (id: string): TreatMissingData =>
  id === 'relay-age' ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING;

export interface WatchProps extends Observed {
  /** The email address for alarms. */
  readonly alarmAddress?: string;
  readonly monthlyDollars?: number;
}

/** The alarms of an environment, their email topic, and a dashboard. */
export class Watch extends Construct {
  constructor(scope: Construct, id: string, props: WatchProps) {
    super(scope, id);
    const topic = new AlarmTopic(this, 'Calls', props.environment);
    if (props.alarmAddress) topic.addSubscription(new EmailSubscription(props.alarmAddress));
    const { alarmAddress: address, monthlyDollars: dollars } = props;
    if (address && dollars) addBudget(this, props.environment, { dollars, address });
    const metrics = alarmMetrics(this, props);
    const blocked = blockedRequests(this, props);
    const made = [
      ...alarmIds.flatMap(id => {
        const metric = metrics[id];
        return metric ? [this.alarm({ id, section: id, metric, ...alarms[id] }, props)] : [];
      }),
      ...blockingRuleNames.map(rule =>
        this.alarm(
          { id: `firewall-${rule}`, section: 'firewall', metric: blocked[rule], ...blockingRules[rule] },
          props,
        ),
      ),
    ];
    for (const alarm of made) alarm.addAlarmAction(new SnsAction(topic));
    const shown = blockingRuleNames.map(rule => blocked[rule].with({ label: rule }));
    this.dashboard(props, made, shown);
  }

  private alarm(wanted: WantedAlarm, { environment }: Observed): Alarm {
    const { id, section, metric, meaning, threshold, periods, of } = wanted;
    return new Alarm(this, id, {
      metric,
      threshold,
      alarmName: `${resourceNames(environment).stack}-${id}`,
      alarmDescription: `${meaning} What to do: docs/runbook.md, section "${section}".`,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: periods,
      datapointsToAlarm: of,
      treatMissingData: missing(id),
    });
  }

  private dashboard(
    { environment, bus, portal }: Observed,
    made: readonly Alarm[],
    blocked: readonly IMetric[],
  ): void {
    const { stack } = resourceNames(environment);
    const graph = (title: string, ...left: readonly IMetric[]) =>
      new GraphWidget({ title, left: [...left], width: 8, period: Duration.minutes(1) });
    const stages = [bus.deploymentStage, portal.deploymentStage];
    new Dashboard(this, 'Dashboard', {
      dashboardName: stack,
      widgets: [
        [new AlarmStatusWidget({ title: 'Alarms', alarms: [...made], width: 24 })],
        [
          graph('Requests', ...stages.map(stage => stage.metricCount())),
          graph('Refusals (4xx)', ...stages.map(stage => stage.metricClientError())),
          graph('Faults (5xx)', ...stages.map(stage => stage.metricServerError())),
        ],
        [
          graph('Milliseconds, 99 of 100', bus.deploymentStage.metricLatency({ statistic: 'p99' })),
          graph('Unfinished deliveries', written(environment, 'pendingHeads')),
          graph('Seconds the oldest has waited', written(environment, 'oldestPendingSeconds')),
        ],
        [graph('Blocked by the firewall, by rule', ...blocked)],
      ],
    });
  }
}
