import { readFileSync } from 'node:fs';
import { decide, type Statement } from '../../lib/local/iam.ts';
import { deploymentOf, place } from '../../scripts/permissions/deployment.ts';
import { defaultStacks } from './support/stacks.ts';
import { infraApp, stacksOf } from './support/synthesise.ts';

const textOf = (name: string) => readFileSync(`docs/deploy/${name}.json`, 'utf8');
const statementsOf = (name: string) => JSON.parse(textOf(name)).Statement as readonly Statement[];
const identity = [...statementsOf('data-and-roles'), ...statementsOf('services')];
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

const boundaryArn = `arn:aws:iam::${account}:policy/sombus-boundary`;
const signing = { 'aws:ResourceTag/sombus-signing': ['sandbox'], 'kms:KeySpec': ['ECC_NIST_P256'] };

/** What AWS knows when a deployment works on one of ours, and on somebody else's. */
const ofOurs = (action: string): Readonly<Record<string, readonly string[]>> => {
  if (action.startsWith('iam:')) return { 'iam:PermissionsBoundary': [boundaryArn] };
  return action.startsWith('kms:') ? signing : {};
};
const ofOthers = (action: string): Readonly<Record<string, readonly string[]>> =>
  action.startsWith('kms:') ? { 'kms:KeySpec': ['SYMMETRIC_DEFAULT'] } : ofOurs(action);

const regional = (service: string, rest: string) => `arn:aws:${service}:${region}:${account}:${rest}`;
const gateway = (path: string) => `arn:aws:apigateway:${region}::/${path}`;

/** What CloudFormation does to a resource of each type (`handlers` of its schemas): on one of ours, and on somebody else's. */
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
  'AWS::Backup::BackupPlan': [
    ['backup:CreateBackupPlan', 'backup:UpdateBackupPlan', 'backup:GetBackupPlan'],
    regional('backup', 'backup-plan:p'),
  ],
  'AWS::Backup::BackupSelection': [['backup:CreateBackupSelection'], regional('backup', 'backup-plan:p')],
  'AWS::Backup::BackupVault': [
    ['backup:CreateBackupVault', 'backup:DescribeBackupVault'],
    regional('backup', 'backup-vault:sombus-sandbox'),
    regional('backup', 'backup-vault:payroll'),
  ],
  'AWS::Budgets::Budget': [
    ['budgets:ModifyBudget', 'budgets:ListTagsForResource'],
    `arn:aws:budgets::${account}:budget/sombus-sandbox`,
    `arn:aws:budgets::${account}:budget/all`,
  ],
  'AWS::CertificateManager::Certificate': [
    ['acm:RequestCertificate', 'acm:DescribeCertificate'],
    regional('acm', 'certificate/c'),
  ],
  'AWS::Chatbot::MicrosoftTeamsChannelConfiguration': [
    ['chatbot:UpdateMicrosoftTeamsChannelConfiguration', 'chatbot:DeleteMicrosoftTeamsChannelConfiguration'],
    `arn:aws:chatbot::${account}:chat-configuration/microsoft-teams-channel/sombus-preview`,
    `arn:aws:chatbot::${account}:chat-configuration/microsoft-teams-channel/sales`,
  ],
  'AWS::Chatbot::SlackChannelConfiguration': [
    ['chatbot:UpdateSlackChannelConfiguration', 'chatbot:DeleteSlackChannelConfiguration'],
    `arn:aws:chatbot::${account}:chat-configuration/slack-channel/sombus-sandbox`,
    `arn:aws:chatbot::${account}:chat-configuration/slack-channel/sales`,
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
    ['codedeploy:CreateDeploymentGroup', 'codedeploy:ListDeployments'],
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
    [
      'cognito-idp:CreateUserPoolClient',
      'cognito-idp:DescribeUserPoolClient',
      'cognito-idp:ListUserPoolClientSecrets',
    ],
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
  'AWS::IAM::Role': [
    ['iam:CreateRole', 'iam:DeleteRole', 'iam:UpdateRole', 'iam:PutRolePolicy', 'iam:DeleteRolePolicy'],
    `arn:aws:iam::${account}:role/sombus-sandbox-bus-r`,
    `arn:aws:iam::${account}:role/admin`,
  ],
  'AWS::KMS::Alias': [['kms:CreateAlias'], regional('kms', 'alias/sombus-sandbox-signing')],
  'AWS::KMS::Key': [['kms:CreateKey', 'kms:PutKeyPolicy', 'kms:TagResource'], regional('kms', 'key/k')],
  'AWS::KinesisFirehose::DeliveryStream': [
    ['firehose:CreateDeliveryStream', 'firehose:UpdateDestination', 'firehose:StartDeliveryStreamEncryption'],
    regional('firehose', 'deliverystream/sombus-sandbox-logs'),
    regional('firehose', 'deliverystream/orders'),
  ],
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
    ['logs:CreateLogGroup', 'logs:PutRetentionPolicy', 'logs:GetDataProtectionPolicy'],
    regional('logs', 'log-group:/sombus/sandbox/pull'),
    regional('logs', 'log-group:/shop'),
  ],
  'AWS::Logs::MetricFilter': [
    ['logs:PutMetricFilter'],
    regional('logs', 'log-group:/sombus/sandbox/token'),
    regional('logs', 'log-group:/shop'),
  ],
  'AWS::Logs::SubscriptionFilter': [
    ['logs:PutSubscriptionFilter', 'logs:DescribeSubscriptionFilters'],
    regional('logs', 'log-group:/sombus/sandbox/access/bus'),
    regional('logs', 'log-group:/shop'),
  ],
  'AWS::Route53::RecordSet': [['route53:ChangeResourceRecordSets'], 'arn:aws:route53:::hostedzone/Z'],
  'AWS::S3::Bucket': [
    ['s3:CreateBucket', 's3:PutLifecycleConfiguration', 's3:PutEncryptionConfiguration'],
    'arn:aws:s3:::sombus-sandbox-stateful-logarchive',
    'arn:aws:s3:::orders',
  ],
  'AWS::S3::BucketPolicy': [
    ['s3:PutBucketPolicy', 's3:GetBucketPolicy'],
    'arn:aws:s3:::sombus-sandbox-stateful-logarchive',
    'arn:aws:s3:::orders',
  ],
  'AWS::SNS::Subscription': [
    ['sns:Subscribe'],
    regional('sns', 'sombus-sandbox-alarms'),
    regional('sns', 'orders'),
  ],
  'AWS::SNS::Topic': [
    ['sns:CreateTopic', 'sns:GetDataProtectionPolicy'],
    regional('sns', 'sombus-sandbox-alarms'),
    regional('sns', 'orders'),
  ],
  'AWS::SNS::TopicPolicy': [
    ['sns:SetTopicAttributes'],
    regional('sns', 'sombus-sandbox-alarms'),
    regional('sns', 'orders'),
  ],
  'AWS::SQS::Queue': [
    ['sqs:CreateQueue', 'sqs:GetQueueUrl'],
    regional('sqs', 'sombus-sandbox-failed-runs'),
    regional('sqs', 'sombus-cabcdefgh2345.fifo'),
  ],
  'AWS::SQS::QueuePolicy': [
    ['sqs:SetQueueAttributes'],
    regional('sqs', 'sombus-sandbox-failed-runs'),
    regional('sqs', 'sombus-cabcdefgh2345.fifo'),
  ],
  'AWS::SSM::Parameter': [
    ['ssm:PutParameter', 'ssm:GetParameters', 'ssm:DeleteParameter'],
    regional('ssm', 'parameter/sombus/sandbox/tables'),
    regional('ssm', 'parameter/shop'),
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
  region,
  mailFrom: 'portal@example.org',
  domain: 'bus.example.org',
  portalDomain: 'portal.example.org',
  hostedZoneId: 'Z0123456789EXAMPLE',
  hostedZoneName: 'example.org',
  alarmAddress: 'operator@example.org',
  monthlyDollars: '60',
  backupVault: 'arn:aws:backup:eu-central-1:444455556666:backup-vault:elsewhere',
  logArchiveDays: '400',
  chat: 'slack:T07EA123LEP/C07EZ1ABC23',
};
const id = '12345678-1234-4234-8234-123456789012';
const inTeams = { chat: `teams:${id}/${id}/19%3Aab%40thread.tacv2` };
const types = [
  ...new Set(
    [...stacksOf(infraApp({ sandbox: complete, preview: inTeams })).values()].flatMap(({ resources }) =>
      resources.map(({ Type }) => Type),
    ),
  ),
].sort();

describe('docs/deploy', () => {
  it('speaks of every type of resource that the stacks have', () => {
    expect(types).toEqual(Object.keys(work).sort());
  });

  it.each(Object.entries(work))(
    '%s: allows what a deployment does to ours, and nothing to others',
    (_type, [asked, ours, others]) => {
      for (const action of asked) {
        expect([action, may(action, ours, ofOurs(action))]).toEqual([action, true]);
        if (others !== undefined)
          expect([action, may(action, others, ofOthers(action))]).toEqual([action, false]);
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
    ['secretsmanager:GetSecretValue', regional('secretsmanager', 'secret:sombus-sandbox-oidc-client-a1B2c3')],
    ['backup:StartRestoreJob', regional('backup', 'recovery-point:r')],
    ['backup:DeleteRecoveryPoint', regional('backup', 'recovery-point:r')],
    ['sqs:ReceiveMessage', regional('sqs', 'sombus-cabcdefgh2345.fifo')],
    ['lambda:InvokeFunction', regional('lambda', 'function:sombus-sandbox-token')],
    ['iam:AttachRolePolicy', `arn:aws:iam::${account}:role/sombus/sandbox/r`],
    ['iam:CreateUser', `arn:aws:iam::${account}:user/u`],
    ['sts:AssumeRole', `arn:aws:iam::${account}:role/sombus/sandbox/r`],
    ['s3:PutObject', 'arn:aws:s3:::cdk-hnb659fds-assets-1/x'],
    ['s3:GetObject', 'arn:aws:s3:::sombus-sandbox-stateful-logarchive/2026/x.gz'],
    ['s3:DeleteBucket', 'arn:aws:s3:::sombus-sandbox-stateful-logarchive'],
  ])('does not allow %s', (action, resource) => {
    expect(may(action, resource)).toBe(false);
  });

  it.each([
    ['acm:RequestCertificate', 'arn:aws:acm:eu-west-1:111122223333:certificate/*'],
    ['cloudwatch:DescribeAlarms', '*'],
    ['codedeploy:StopDeployment', '*'],
    ['codedeploy:GetDeploymentTarget', '*'],
    ['sns:GetSubscriptionAttributes', '*'],
    ['sns:Unsubscribe', '*'],
    ['xray:GetSamplingRules', '*'],
    ['kms:CreateKey', '*'],
    ['cognito-idp:CreateUserPool', '*'],
    ['logs:PutResourcePolicy', '*'],
    ['logs:DescribeIndexPolicies', '*'],
    ['kms:ListAliases', '*'],
    ['chatbot:CreateSlackChannelConfiguration', '*'],
    ['chatbot:CreateMicrosoftTeamsChannelConfiguration', '*'],
    ['route53:ListHostedZones', '*'],
  ])(
    '%s, which AWS decides for no resource in particular, is allowed on all (Service Authorization Reference)',
    action => {
      const about = identity.filter(({ Action }) =>
        [Action].flat().some(one => one === action || one === action.replace(/:.*/, ':Create*')),
      );
      expect(about.map(({ Resource }) => Resource)).toContain('*');
    },
  );

  it.each([
    'wafv2:AssociateWebACL',
    'wafv2:DisassociateWebACL',
    'wafv2:GetWebACLForResource',
    'cognito-idp:AssociateWebACL',
    'cognito-idp:DisassociateWebACL',
    'cognito-idp:GetWebACLForResource',
  ])(
    '%s puts the firewall before the pool (Cognito: "Associate an AWS WAF web ACL with a user pool")',
    action => {
      expect(may(action, regional('cognito-idp', 'userpool/p'))).toBe(true);
    },
  );

  it('a budget is of the account’s billing view, whose data its maker needs (AWS Budgets: "Managing access permissions")', () => {
    expect(may('billing:GetBillingViewData', `arn:aws:billing::${account}:billingview/primary`)).toBe(true);
  });

  it('AWS’s own roles for API Gateway, the firewall’s log, the pool’s mail and chats may be made, and no others', () => {
    const make = (service: string) =>
      may(
        'iam:CreateServiceLinkedRole',
        `arn:aws:iam::${account}:role/aws-service-role/${service}/AWSServiceRoleFor`,
        {
          'iam:AWSServiceName': [service],
        },
      );
    const services = ['ops.apigateway', 'wafv2', 'email.cognito-idp', 'management.chatbot', 'organizations'];
    expect(services.filter(name => make(`${name}.amazonaws.com`))).toEqual(services.slice(0, 4));
  });

  it.each([
    'iam:CreateRole',
    'iam:PutRolePolicy',
    'iam:DeleteRolePolicy',
    'iam:PutRolePermissionsBoundary',
    'iam:UpdateAssumeRolePolicy',
  ])('%s needs the boundary: a deployer cannot make an administrator', action => {
    const role = `arn:aws:iam::${account}:role/sombus-admin`;
    const within = (boundary?: string) =>
      may(action, role, boundary === undefined ? {} : { 'iam:PermissionsBoundary': [boundary] });
    expect([within(boundaryArn), within(), within('arn:aws:iam::aws:policy/AdministratorAccess')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it.each([
    ['iam:DeleteRolePermissionsBoundary', `arn:aws:iam::${account}:role/sombus/sandbox/r`],
    ['iam:CreatePolicyVersion', boundaryArn],
    ['iam:SetDefaultPolicyVersion', boundaryArn],
    ['iam:DeletePolicy', boundaryArn],
  ])('%s: the boundary stays as it is', (action, resource) => {
    expect(may(action, resource, ofOurs('iam:'))).toBe(false);
  });

  it('only keys that sign tokens get another policy', () => {
    const key = regional('kms', 'key/k');
    expect(may('kms:PutKeyPolicy', key, signing)).toBe(true);
    expect(may('kms:PutKeyPolicy', key, { 'kms:KeySpec': ['ECC_NIST_P256'] })).toBe(false);
    // Nor may a key that encrypts be made one of them.
    expect(may('kms:TagResource', key, { 'kms:KeySpec': ['SYMMETRIC_DEFAULT'] })).toBe(false);
    expect(may('kms:CreateKey', '*', { 'kms:KeySpec': ['SYMMETRIC_DEFAULT'] })).toBe(false);
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

  it.each(['data-and-roles', 'services', 'boundary'])(
    '%s is no longer than a managed policy may be (IAM: "Quotas", 6,144 characters without white space)',
    name => {
      expect(textOf(name).replace(/\s/g, '').length).toBeLessThanOrEqual(6_144);
    },
  );
});

describe('the boundary of the roles', () => {
  const stacks = [
    ...stacksOf(
      infraApp({ sandbox: { ...complete, permissionsBoundary: 'sombus-boundary' } }, ['sandbox']),
    ).values(),
  ];
  const boundary = statementsOf('boundary');
  const within = (
    action: string,
    resource: string,
    context: Readonly<Record<string, readonly string[]>> = {},
  ) =>
    decide(
      { caller: { role: 'r', account }, action, resource, context },
      {
        identity: boundary,
        resource: [{ Effect: 'Allow', Principal: { AWS: account }, Action: 'kms:*', Resource: '*' }],
      },
    );

  it('is on every role, if the settings name it, and on none otherwise', () => {
    const roles = stacks.flatMap(({ ofType }) => ofType('AWS::IAM::Role'));
    expect(roles.length).toBeGreaterThan(30);
    for (const { Properties } of roles)
      expect(JSON.stringify(Properties['PermissionsBoundary'])).toContain(':policy/sombus-boundary');
    for (const { ofType } of defaultStacks().values())
      for (const { Properties } of ofType('AWS::IAM::Role'))
        expect(Properties['PermissionsBoundary']).toBeUndefined();
  });

  it('lets every role do what its own policy allows', () => {
    const context = { 'aws:ResourceTag/sombus-signing': ['sandbox'] };
    const refused = deploymentOf(stacks).roles.flatMap(({ statements }) =>
      statements.flatMap(({ Action, Resource }) =>
        [Action].flat().flatMap(action =>
          [Resource].flat().flatMap(resource => {
            const one = resource.replaceAll('*', 'x');
            return within(action, one, context) === 'allowed' ? [] : [`${action} ${one}`];
          }),
        ),
      ),
    );
    expect(refused).toEqual([]);
  });

  it.each([
    ['iam:CreateUser', `arn:aws:iam::${account}:user/u`],
    ['iam:PutRolePolicy', `arn:aws:iam::${account}:role/sombus-x`],
    ['sts:AssumeRole', `arn:aws:iam::${account}:role/admin`],
    ['kms:PutKeyPolicy', regional('kms', 'key/k')],
    ['kms:Decrypt', regional('kms', 'key/k')],
    ['dynamodb:DeleteTable', regional('dynamodb', 'table/sombus-sandbox-ledger')],
    ['dynamodb:GetItem', regional('dynamodb', 'table/orders')],
    ['s3:GetObject', 'arn:aws:s3:::any/x'],
    ['secretsmanager:GetSecretValue', regional('secretsmanager', 'secret:any')],
    ['lambda:UpdateFunctionCode', regional('lambda', 'function:sombus-sandbox-pull')],
  ])('whatever a deployer writes into a policy, no role may %s', (action, resource) => {
    expect(within(action, resource, signing)).toBe('denied');
  });
});
