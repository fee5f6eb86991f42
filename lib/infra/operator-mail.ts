import { ArnFormat } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { type EnvironmentName, resourceNames } from '../contract/environments.ts';

/** The topic that mails alarms. */
export class AlarmTopic extends Topic {
  constructor(scope: Construct, id: string, environment: EnvironmentName) {
    const { stack } = resourceNames(environment);
    super(scope, id, { topicName: `${stack}-alarms`, enforceSSL: true });
    const { account } = this.stack;
    const alarms = this.stack.formatArn({
      service: 'cloudwatch',
      resource: 'alarm',
      resourceName: `${stack}-*`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    // A policy of one's own replaces the topic's default, which lets the account publish (SNS: "Amazon CloudWatch alarms").
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
  }
}

/** Mails when the account has cost most of what it may, and when it is going to cost more (AWS Budgets). */
export const addBudget = (
  scope: Construct,
  environment: EnvironmentName,
  wanted: { dollars: number; address: string },
) =>
  new CfnBudget(scope, 'Budget', {
    budget: {
      budgetName: resourceNames(environment).stack,
      budgetType: 'COST',
      timeUnit: 'MONTHLY',
      budgetLimit: { amount: wanted.dollars, unit: 'USD' },
    },
    notificationsWithSubscribers: [
      { notificationType: 'ACTUAL', threshold: 80 },
      { notificationType: 'FORECASTED', threshold: 100 },
    ].map(notification => ({
      notification: { ...notification, comparisonOperator: 'GREATER_THAN', thresholdType: 'PERCENTAGE' },
      subscribers: [{ subscriptionType: 'EMAIL', address: wanted.address }],
    })),
  });
