import type { AwsCall } from '../../../lib/local/engines/iam.ts';
import { place } from '../../../scripts/permissions/deployment.ts';
import { allows, casesOf, deployersPolicies } from './deploy-docs.ts';
import type { Resource, SynthesisedStack } from './stacks.ts';

const { account, region } = place;

/** What CloudFormation does to a resource of each type, on one of ours and on another. */
export const deployersWork = casesOf<{
  readonly work: Readonly<
    Record<string, { actions: readonly string[]; ours: string; others?: string }>
  >;
}>('deploy-policy').work;

export const mayDeploy = allows(...deployersPolicies);

export const boundaryArn = `arn:aws:iam::${account}:policy/sombus-boundary`;
export const signing = {
  'aws:ResourceTag/sombus-signing': ['sandbox'],
  'kms:KeySpec': ['ECC_NIST_P256'],
};

/** What AWS knows when a deployment works on one of ours. */
export const contextOfOurs = (action: string): AwsCall['context'] => {
  if (action.startsWith('iam:')) return { 'iam:PermissionsBoundary': [boundaryArn] };
  return action.startsWith('kms:') ? signing : {};
};

const regional = (service: string, rest: string) =>
  `arn:aws:${service}:${region}:${account}:${rest}`;
const global = (service: string, rest: string) => `arn:aws:${service}::${account}:${rest}`;

type ArnOf = (properties: Resource['Properties'], generated: string) => string;

/**
 * The ARN of a resource under its physical name: the one that its template says, or one that
 * CloudFormation generates ("Name type": stack, logical id, random characters).
 */
const named: Readonly<Record<string, ArnOf>> = {
  'AWS::Backup::BackupVault': one => regional('backup', `backup-vault:${one['BackupVaultName']}`),
  'AWS::Budgets::Budget': ({ Budget }, name) =>
    global('budgets', `budget/${Budget.BudgetName ?? name}`),
  'AWS::Chatbot::MicrosoftTeamsChannelConfiguration': one =>
    global('chatbot', `chat-configuration/microsoft-teams-channel/${one['ConfigurationName']}`),
  'AWS::Chatbot::SlackChannelConfiguration': one =>
    global('chatbot', `chat-configuration/slack-channel/${one['ConfigurationName']}`),
  'AWS::CloudTrail::Trail': ({ TrailName }, name) =>
    regional('cloudtrail', `trail/${TrailName ?? name}`),
  'AWS::CloudWatch::Alarm': ({ AlarmName }, name) =>
    regional('cloudwatch', `alarm:${AlarmName ?? name}`),
  'AWS::CloudWatch::Dashboard': ({ DashboardName }, name) =>
    global('cloudwatch', `dashboard/${DashboardName ?? name}`),
  'AWS::CodeDeploy::Application': ({ ApplicationName }, name) =>
    regional('codedeploy', `application:${ApplicationName ?? name}`),
  'AWS::DynamoDB::Table': ({ TableName }, name) =>
    regional('dynamodb', `table/${TableName ?? name}`),
  'AWS::Events::Rule': ({ Name }, name) => regional('events', `rule/${Name ?? name}`),
  'AWS::IAM::ManagedPolicy': ({ Path = '/', ManagedPolicyName }, name) =>
    global('iam', `policy${Path}${ManagedPolicyName ?? name}`),
  'AWS::IAM::Role': ({ Path = '/', RoleName }, name) =>
    global('iam', `role${Path}${RoleName ?? name}`),
  'AWS::KMS::Alias': ({ AliasName }) => regional('kms', AliasName),
  'AWS::KinesisFirehose::DeliveryStream': ({ DeliveryStreamName }, name) =>
    regional('firehose', `deliverystream/${DeliveryStreamName ?? name}`),
  'AWS::Lambda::Function': ({ FunctionName }, name) =>
    regional('lambda', `function:${FunctionName ?? name}`),
  'AWS::Logs::LogGroup': ({ LogGroupName }, name) =>
    regional('logs', `log-group:${LogGroupName ?? name}`),
  'AWS::S3::Bucket': ({ BucketName }, name) => `arn:aws:s3:::${BucketName ?? name.toLowerCase()}`,
  'AWS::SNS::Topic': ({ TopicName }, name) => regional('sns', TopicName ?? name),
  'AWS::SQS::Queue': ({ QueueName }, name) => regional('sqs', QueueName ?? name),
  'AWS::SSM::Parameter': ({ Name }, name) =>
    regional('ssm', `parameter/${`${Name ?? name}`.replace(/^\//, '')}`),
  'AWS::WAFv2::WebACL': ({ Name }, name) => regional('wafv2', `regional/webacl/${Name ?? name}/id`),
  'AWS::XRay::SamplingRule': ({ SamplingRule }, name) =>
    regional('xray', `sampling-rule/${SamplingRule.RuleName ?? name}`),
};

/** AWS decides about these under the name of another resource of the template. */
const partOf: Readonly<Record<string, keyof typeof named>> = {
  'AWS::CodeDeploy::DeploymentGroup': 'AWS::CodeDeploy::Application',
  'AWS::Lambda::Alias': 'AWS::Lambda::Function',
  'AWS::Lambda::EventInvokeConfig': 'AWS::Lambda::Function',
  'AWS::Lambda::Permission': 'AWS::Lambda::Function',
  'AWS::Lambda::Version': 'AWS::Lambda::Function',
  'AWS::Logs::MetricFilter': 'AWS::Logs::LogGroup',
  'AWS::Logs::SubscriptionFilter': 'AWS::Logs::LogGroup',
  'AWS::S3::BucketPolicy': 'AWS::S3::Bucket',
  'AWS::SNS::Subscription': 'AWS::SNS::Topic',
  'AWS::SNS::TopicPolicy': 'AWS::SNS::Topic',
  'AWS::SQS::QueuePolicy': 'AWS::SQS::Queue',
  'AWS::WAFv2::LoggingConfiguration': 'AWS::WAFv2::WebACL',
};

export const typesWithNames = [...Object.keys(named), ...Object.keys(partOf)].sort();

interface AskedName {
  readonly type: string;
  readonly arn: string;
  /** What the deployers' policies do not allow with it. */
  readonly refused: readonly string[];
}

/** Every resource of stacks that has a physical name, and what a deployment may not do to it. */
export const physicalNames = (stacks: Iterable<SynthesisedStack>): readonly AskedName[] =>
  [...stacks].flatMap(({ name: stack, resources }) =>
    resources.flatMap(({ id, Type: type, Properties = {} }) => {
      const arn = named[type]?.(Properties, `${stack}-${id}-1A2B3C4D5E6F`);
      if (arn === undefined) return [];
      const actions = deployersWork[type]?.actions ?? ['no action is known of this type'];
      const refused = actions.filter(action => !mayDeploy(action, arn, contextOfOurs(action)));
      return [{ type, arn, refused }];
    }),
  );

/** Of these, what a deployment would be refused. */
export const refusedNames = (names: readonly AskedName[]): readonly string[] => [
  ...new Set(names.flatMap(({ arn, refused }) => refused.map(action => `${action} on ${arn}`))),
];
