import { ArnFormat, Duration } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { Alarm as AlarmFacts } from '../contract/alarms.ts';
import { type EnvironmentName, environmentTag, resourceNames } from '../contract/environments.ts';
import type { Settings } from './settings.ts';

/** The topic that mails alarms to the operator's address, if the settings have one. */
export class AlarmTopic extends Topic {
  constructor(
    scope: Construct,
    id: string,
    { environment, alarmAddress, monthlyDollars }: Settings,
  ) {
    const { stack, alarm } = resourceNames(environment);
    super(scope, id, { topicName: `${stack}-alarms`, enforceSSL: true });
    const { account } = this.stack;
    const alarms = this.stack.formatArn({
      service: 'cloudwatch',
      resource: 'alarm',
      resourceName: alarm('*'),
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    // A policy of one's own replaces the topic's default, which lets the account publish (SNS:
    // "Amazon CloudWatch alarms").
    this.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AlarmsPublish',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topicArn],
        conditions: {
          StringEquals: { 'aws:SourceAccount': account },
          ArnLike: { 'aws:SourceArn': alarms },
        },
      }),
    );
    if (alarmAddress) this.addSubscription(new EmailSubscription(alarmAddress));
    if (alarmAddress && monthlyDollars)
      addBudgets(this, environment, { dollars: monthlyDollars, address: alarmAddress });
  }
}

/** What reports by itself, so that its silence means that something is wrong. */
const reporting: readonly string[] = [
  ...['relay-age', 'probe', 'missing-copies', 'unacknowledged-age'],
];

const missing = (id: string): TreatMissingData =>
  reporting.includes(id) ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING;

interface OperatorAlarmProps extends AlarmFacts {
  readonly environment: EnvironmentName;
  readonly id: string;
  /** Of the runbook; absent if it is the alarm's id. */
  readonly section?: string;
  readonly metric: IMetric;
  readonly topic: ITopic;
}

/**
 * An alarm of the environment that mails the operator when it begins to ring, and when it is over.
 */
export class OperatorAlarm extends Alarm {
  constructor(scope: Construct, constructId: string, props: OperatorAlarmProps) {
    const {
      environment,
      id,
      section = id,
      metric,
      meaning,
      threshold,
      periods,
      of,
      periodSeconds,
    } = props;
    super(scope, constructId, {
      // A sum of metrics has its period already.
      metric:
        metric instanceof Metric
          ? metric.with({ period: Duration.seconds(periodSeconds) })
          : metric,
      threshold,
      alarmName: resourceNames(environment).alarm(id),
      alarmDescription: `${meaning} What to do: docs/runbook.md, section "${section}".`,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: periods,
      datapointsToAlarm: of,
      treatMissingData: missing(id),
    });
    const mail = new SnsAction(props.topic);
    this.addAlarmAction(mail);
    this.addOkAction(mail);
  }
}

interface Budget {
  readonly dollars: number;
  readonly address: string;
}

/** Mails when most of a budget is spent, and when it is going to be exceeded (AWS Budgets). */
const addBudget = (
  scope: Construct,
  { name, filters }: { name: string; filters?: object },
  { dollars, address }: Budget,
) =>
  new CfnBudget(scope, filters ? 'BudgetOfEnvironment' : 'Budget', {
    budget: {
      budgetName: name,
      budgetType: 'COST',
      timeUnit: 'MONTHLY',
      budgetLimit: { amount: dollars, unit: 'USD' },
      ...(filters && { costFilters: filters }),
    },
    notificationsWithSubscribers: [
      { notificationType: 'ACTUAL', threshold: 80 },
      { notificationType: 'FORECASTED', threshold: 100 },
    ].map(notification => ({
      notification: {
        ...notification,
        comparisonOperator: 'GREATER_THAN',
        thresholdType: 'PERCENTAGE',
      },
      subscribers: [{ subscriptionType: 'EMAIL', address }],
    })),
  });

/**
 * One budget of the whole account, and one of what carries the environment's tag: two environments
 * may share an account. The second knows nothing until the tag is activated in Billing.
 */
const addBudgets = (scope: Construct, environment: EnvironmentName, budget: Budget): void => {
  const { stack } = resourceNames(environment);
  const tagged = `user:${environmentTag}$${environment}`;
  addBudget(scope, { name: stack }, budget);
  addBudget(scope, { name: `${stack}-tag`, filters: { TagKeyValue: [tagged] } }, budget);
};
