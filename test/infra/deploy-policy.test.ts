import { readFileSync } from 'node:fs';
import { decide, type Statement } from '../../scripts/permissions/decide.ts';
import { place } from '../../scripts/permissions/deployment.ts';
import { infraApp, stacksOf } from './support/synthesise.ts';

const text = readFileSync('docs/deploy-policy.json', 'utf8');
const identity = JSON.parse(text).Statement as readonly Statement[];
const { account, region } = place;

const may = (action: string, resource: string, context: Readonly<Record<string, readonly string[]>> = {}) =>
  decide(
    {
      caller: { role: `arn:aws:iam::${account}:role/cdk-hnb659fds-cfn-exec-role`, account },
      action,
      resource,
      context,
    },
    {
      identity,
      // A key's own policy leaves the decision to the account.
      resource: [{ Effect: 'Allow', Principal: { AWS: account }, Action: 'kms:*', Resource: '*' }],
    },
  ) === 'allowed';

const regional = (service: string, rest: string) => `arn:aws:${service}:${region}:${account}:${rest}`;
const gateway = (path: string) => `arn:aws:apigateway:${region}::/${path}`;

/** What CloudFormation does to a resource of each type: on one of ours, and on somebody else's. */
const work: Readonly<Record<string, readonly [actions: readonly string[], ours: string, others?: string]>> = {
  'AWS::ApiGateway::Account': [['apigateway:PATCH'], gateway('account')],
  'AWS::ApiGateway::Authorizer': [['apigateway:POST', 'apigateway:PATCH'], gateway('restapis/a/authorizers')],
  'AWS::ApiGateway::BasePathMapping': [['apigateway:POST'], gateway('domainnames/d/basepathmappings')],
  'AWS::ApiGateway::Deployment': [['apigateway:POST'], gateway('restapis/a/deployments')],
  'AWS::ApiGateway::DomainName': [['apigateway:POST', 'apigateway:GET'], gateway('domainnames')],
  'AWS::ApiGateway::GatewayResponse': [['apigateway:PUT'], gateway('restapis/a/gatewayresponses/r')],
  'AWS::ApiGateway::Method': [
    ['apigateway:PUT', 'apigateway:DELETE'],
    gateway('restapis/a/resources/r/methods/GET'),
  ],
  'AWS::ApiGateway::Resource': [['apigateway:POST'], gateway('restapis/a/resources/r')],
  'AWS::ApiGateway::RestApi': [['apigateway:POST', 'apigateway:UpdateRestApiPolicy'], gateway('restapis')],
  'AWS::ApiGateway::Stage': [['apigateway:POST', 'apigateway:SetWebACL'], gateway('restapis/a/stages/v1')],
  'AWS::ApiGateway::UsagePlan': [['apigateway:POST', 'apigateway:PATCH'], gateway('usageplans/u')],
  'AWS::Budgets::Budget': [
    ['budgets:ModifyBudget'],
    `arn:aws:budgets::${account}:budget/sombus-sandbox`,
    `arn:aws:budgets::${account}:budget/all`,
  ],
  'AWS::CertificateManager::Certificate': [
    ['acm:RequestCertificate', 'acm:DescribeCertificate'],
    regional('acm', 'certificate/c'),
  ],
  'AWS::CloudWatch::Alarm': [
    ['cloudwatch:PutMetricAlarm', 'cloudwatch:DeleteAlarms'],
    regional('cloudwatch', 'alarm:sombus-sandbox-bus-5xx'),
    regional('cloudwatch', 'alarm:billing'),
  ],
  'AWS::CloudWatch::Dashboard': [
    ['cloudwatch:PutDashboard'],
    `arn:aws:cloudwatch::${account}:dashboard/sombus-sandbox`,
    `arn:aws:cloudwatch::${account}:dashboard/all`,
  ],
  'AWS::CodeDeploy::Application': [
    ['codedeploy:CreateApplication', 'codedeploy:CreateDeployment'],
    regional('codedeploy', 'application:sombus-sandbox'),
    regional('codedeploy', 'application:shop'),
  ],
  'AWS::CodeDeploy::DeploymentGroup': [
    ['codedeploy:CreateDeploymentGroup'],
    regional('codedeploy', 'deploymentgroup:sombus-sandbox/g'),
    regional('codedeploy', 'deploymentgroup:shop/g'),
  ],
  'AWS::Cognito::ManagedLoginBranding': [
    ['cognito-idp:CreateManagedLoginBranding', 'cognito-idp:UpdateManagedLoginBranding'],
    regional('cognito-idp', 'userpool/p'),
  ],
  'AWS::Cognito::UserPool': [
    ['cognito-idp:CreateUserPool', 'cognito-idp:UpdateUserPool', 'cognito-idp:SetUserPoolMfaConfig'],
    regional('cognito-idp', 'userpool/p'),
  ],
  'AWS::Cognito::UserPoolClient': [
    ['cognito-idp:CreateUserPoolClient', 'cognito-idp:DescribeUserPoolClient'],
    regional('cognito-idp', 'userpool/p'),
  ],
  'AWS::Cognito::UserPoolDomain': [
    ['cognito-idp:CreateUserPoolDomain', 'cognito-idp:UpdateUserPoolDomain'],
    regional('cognito-idp', 'userpool/p'),
  ],
  'AWS::DynamoDB::Table': [
    [
      'dynamodb:CreateTable',
      'dynamodb:UpdateTable',
      'dynamodb:UpdateTimeToLive',
      'dynamodb:UpdateContinuousBackups',
    ],
    regional('dynamodb', 'table/sombus-sandbox-ledger'),
    regional('dynamodb', 'table/orders'),
  ],
  'AWS::Events::Rule': [
    ['events:PutRule', 'events:PutTargets'],
    regional('events', 'rule/sombus-sandbox-bus-Job'),
    regional('events', 'rule/nightly'),
  ],
  'AWS::IAM::Policy': [
    ['iam:PutRolePolicy', 'iam:DeleteRolePolicy'],
    `arn:aws:iam::${account}:role/sombus/sandbox/r`,
    `arn:aws:iam::${account}:role/admin`,
  ],
  'AWS::IAM::Role': [
    ['iam:CreateRole', 'iam:DeleteRole'],
    `arn:aws:iam::${account}:role/sombus-sandbox-bus-r`,
    `arn:aws:iam::${account}:role/admin`,
  ],
  'AWS::KMS::Alias': [['kms:CreateAlias'], regional('kms', 'alias/sombus-sandbox-signing')],
  'AWS::KMS::Key': [['kms:CreateKey', 'kms:PutKeyPolicy', 'kms:TagResource'], regional('kms', 'key/k')],
  'AWS::Lambda::Alias': [
    ['lambda:CreateAlias', 'lambda:UpdateAlias'],
    regional('lambda', 'function:sombus-sandbox-pull'),
    regional('lambda', 'function:shop'),
  ],
  'AWS::Lambda::EventInvokeConfig': [
    ['lambda:PutFunctionEventInvokeConfig'],
    regional('lambda', 'function:sombus-sandbox-relay'),
  ],
  'AWS::Lambda::Function': [
    ['lambda:CreateFunction', 'lambda:UpdateFunctionCode', 'lambda:PutFunctionConcurrency'],
    regional('lambda', 'function:sombus-sandbox-pull'),
    regional('lambda', 'function:shop'),
  ],
  'AWS::Lambda::Permission': [
    ['lambda:AddPermission'],
    regional('lambda', 'function:sombus-sandbox-pull'),
    regional('lambda', 'function:shop'),
  ],
  'AWS::Lambda::Version': [['lambda:PublishVersion'], regional('lambda', 'function:sombus-sandbox-pull')],
  'AWS::Logs::LogGroup': [
    ['logs:CreateLogGroup', 'logs:PutRetentionPolicy'],
    regional('logs', 'log-group:/sombus/sandbox/pull'),
    regional('logs', 'log-group:/shop'),
  ],
  'AWS::Logs::MetricFilter': [
    ['logs:PutMetricFilter'],
    regional('logs', 'log-group:/sombus/sandbox/token'),
    regional('logs', 'log-group:/shop'),
  ],
  'AWS::Route53::RecordSet': [['route53:ChangeResourceRecordSets'], 'arn:aws:route53:::hostedzone/Z'],
  'AWS::SNS::Subscription': [
    ['sns:Subscribe'],
    regional('sns', 'sombus-sandbox-alarms'),
    regional('sns', 'orders'),
  ],
  'AWS::SNS::Topic': [
    ['sns:CreateTopic'],
    regional('sns', 'sombus-sandbox-alarms'),
    regional('sns', 'orders'),
  ],
  'AWS::SNS::TopicPolicy': [
    ['sns:SetTopicAttributes'],
    regional('sns', 'sombus-sandbox-alarms'),
    regional('sns', 'orders'),
  ],
  'AWS::SQS::Queue': [
    ['sqs:CreateQueue'],
    regional('sqs', 'sombus-sandbox-relay-failures'),
    regional('sqs', 'sombus-cabcdefgh2345.fifo'),
  ],
  'AWS::SQS::QueuePolicy': [
    ['sqs:SetQueueAttributes'],
    regional('sqs', 'sombus-sandbox-relay-failures'),
    regional('sqs', 'sombus-cabcdefgh2345.fifo'),
  ],
  'AWS::WAFv2::LoggingConfiguration': [
    ['wafv2:PutLoggingConfiguration'],
    regional('wafv2', 'regional/webacl/sombus-sandbox/i'),
    regional('wafv2', 'regional/webacl/shop/i'),
  ],
  'AWS::WAFv2::WebACL': [
    ['wafv2:CreateWebACL', 'wafv2:UpdateWebACL'],
    regional('wafv2', 'regional/webacl/sombus-sandbox/i'),
    regional('wafv2', 'regional/webacl/shop/i'),
  ],
  'AWS::WAFv2::WebACLAssociation': [['wafv2:AssociateWebACL'], gateway('restapis/a/stages/v1')],
  'AWS::XRay::SamplingRule': [
    ['xray:CreateSamplingRule', 'xray:UpdateSamplingRule', 'xray:DeleteSamplingRule'],
    regional('xray', 'sampling-rule/sombus-sandbox'),
    regional('xray', 'sampling-rule/shop'),
  ],
};

const complete = {
  domain: 'bus.example.org',
  portalDomain: 'portal.example.org',
  hostedZoneId: 'Z0123456789EXAMPLE',
  hostedZoneName: 'example.org',
  alarmAddress: 'operator@example.org',
  monthlyDollars: '60',
};
const types = [
  ...new Set(
    [...stacksOf(infraApp({ sandbox: complete })).values()].flatMap(({ resources }) =>
      resources.map(({ Type }) => Type),
    ),
  ),
].sort();

describe('docs/deploy-policy.json', () => {
  it('speaks of every type of resource that the stacks have', () => {
    expect(types).toEqual(Object.keys(work).sort());
  });

  it.each(Object.entries(work))(
    '%s: allows what a deployment does to ours, and nothing to others',
    (_type, [asked, ours, others]) => {
      for (const action of asked) {
        expect([action, may(action, ours)]).toEqual([action, true]);
        if (others !== undefined) expect([action, may(action, others)]).toEqual([action, false]);
      }
    },
  );

  it.each([
    ['kms:Sign', regional('kms', 'key/k')],
    ['kms:ScheduleKeyDeletion', regional('kms', 'key/k')],
    ['dynamodb:DeleteTable', regional('dynamodb', 'table/sombus-sandbox-ledger')],
    ['dynamodb:GetItem', regional('dynamodb', 'table/sombus-sandbox-ledger')],
    ['dynamodb:Scan', regional('dynamodb', 'table/sombus-sandbox-ledger')],
    ['cognito-idp:DeleteUserPool', regional('cognito-idp', 'userpool/p')],
    ['cognito-idp:ListUsers', regional('cognito-idp', 'userpool/p')],
    ['sqs:ReceiveMessage', regional('sqs', 'sombus-cabcdefgh2345.fifo')],
    ['lambda:InvokeFunction', regional('lambda', 'function:sombus-sandbox-token')],
    ['iam:AttachRolePolicy', `arn:aws:iam::${account}:role/sombus/sandbox/r`],
    ['iam:CreateUser', `arn:aws:iam::${account}:user/u`],
    ['sts:AssumeRole', `arn:aws:iam::${account}:role/sombus/sandbox/r`],
    ['s3:PutObject', 'arn:aws:s3:::cdk-hnb659fds-assets-1/x'],
  ])('does not allow %s', (action, resource) => {
    expect(may(action, resource)).toBe(false);
  });

  it('roles are handed only to the services that run with them', () => {
    const role = `arn:aws:iam::${account}:role/sombus/sandbox/r`;
    const pass = (service: string) => may('iam:PassRole', role, { 'iam:PassedToService': [service] });
    expect(['lambda', 'codedeploy', 'apigateway', 'ec2'].map(name => pass(`${name}.amazonaws.com`))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it('is as long as a managed policy may be (IAM: "Quotas", 6,144 characters without white space)', () => {
    expect(text.replace(/\s/g, '').length).toBeLessThanOrEqual(6_144);
  });
});
