import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmStatusWidget,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { type AlarmId, alarms } from '../contract/alarms.ts';
import { resourceNames } from '../contract/resource-names.ts';
import { alarmMetrics, type Observed, written } from './metrics.ts';

const alarmIds = Object.keys(alarms).filter((id): id is AlarmId => id in alarms);

/** Silence means that all is well, but for the relay, which reports every minute. */
const missing = (id: AlarmId): TreatMissingData =>
  id === 'relay-age' ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING;

export interface WatchProps extends Observed {
  /** Where alarms are mailed to. */
  readonly alarmAddress?: string;
}

/** The alarms of an environment, whom they call, and one dashboard. */
export class Watch extends Construct {
  constructor(scope: Construct, id: string, props: WatchProps) {
    super(scope, id);
    const topic = new Topic(this, 'Calls', {
      topicName: `${resourceNames(props.environment).stack}-alarms`,
      enforceSSL: true,
    });
    if (props.alarmAddress) topic.addSubscription(new EmailSubscription(props.alarmAddress));
    const metrics = alarmMetrics(this, props);
    const made = alarmIds.flatMap(alarmId => {
      const metric = metrics[alarmId];
      return metric ? [this.alarm(alarmId, metric, props)] : [];
    });
    for (const alarm of made) alarm.addAlarmAction(new SnsAction(topic));
    this.dashboard(props, made);
  }

  private alarm(id: AlarmId, metric: IMetric, { environment }: Observed): Alarm {
    const { meaning, threshold, periods, of } = alarms[id];
    return new Alarm(this, id, {
      metric,
      threshold,
      alarmName: `${resourceNames(environment).stack}-${id}`,
      alarmDescription: `${meaning} What to do: docs/runbook.md, section "${id}".`,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: periods,
      datapointsToAlarm: of,
      treatMissingData: missing(id),
    });
  }

  private dashboard({ environment, bus, portal }: Observed, made: readonly Alarm[]): void {
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
      ],
    });
  }
}
