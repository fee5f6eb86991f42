import { Stack } from 'aws-cdk-lib';
import { CfnMicrosoftTeamsChannelConfiguration, CfnSlackChannelConfiguration } from 'aws-cdk-lib/aws-chatbot';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { resourceNames } from '../contract/environments.ts';
import { acceptFinding } from './accept-finding.ts';
import type { ChatChannel, Settings } from './settings.ts';

/** A channel of Slack or Microsoft Teams that is told of alarms (Amazon Q Developer in chat applications). Nobody can change anything from there. */
export class AlarmChat extends Construct {
  constructor(
    scope: Construct,
    {
      environment,
      chat,
      topic,
    }: Pick<Settings, 'environment'> & { readonly chat: ChatChannel; readonly topic: ITopic },
  ) {
    super(scope, 'Chat');
    // What its messages show: the alarm and the graph of its metric.
    const shown = new PolicyStatement({
      actions: ['cloudwatch:DescribeAlarms', 'cloudwatch:GetMetricData'],
      resources: ['*'],
    });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('chatbot.amazonaws.com'),
      inlinePolicies: { shown: new PolicyDocument({ statements: [shown] }) },
    });
    acceptFinding(role, 'IAM5[Resource::*]');
    const configuration = {
      configurationName: resourceNames(environment).stack,
      iamRoleArn: role.roleArn,
      snsTopicArns: [topic.topicArn],
      // Without one, AWS takes AdministratorAccess ("Channel guardrail policies").
      guardrailPolicies: [
        Stack.of(this).formatArn({
          service: 'iam',
          region: '',
          account: 'aws',
          resource: 'policy',
          resourceName: 'CloudWatchReadOnlyAccess',
        }),
      ],
    };
    if ('slackChannelId' in chat)
      new CfnSlackChannelConfiguration(this, 'Slack', { ...configuration, ...chat });
    else new CfnMicrosoftTeamsChannelConfiguration(this, 'Teams', { ...configuration, ...chat });
  }
}
