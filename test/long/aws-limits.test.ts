import cdkJson from '../../cdk.json';
import type { EnvironmentName } from '../../lib/contract/environments.ts';
import { place } from '../../scripts/permissions/deployment.ts';
import { physicalNames, refusedNames } from '../infra/support/physical-names.ts';
import { watchedSettings } from '../infra/support/settings.ts';
import type { Resource, SynthesisedStack } from '../infra/support/stacks.ts';
import { infraApp, stacksOf } from '../infra/support/synthesise.ts';

/** Of what AWS allows, how much is used at most: the rest is for what the next releases add. */
const share = 0.8;

/** AWS's limits, by what they are of, with the page that names them. */
const limits = {
  'characters of the policies in a role': 10_240, // IAM: "IAM and AWS STS quotas"
  'characters of a managed policy': 6_144,
  'characters of a trust policy': 2_048,
  'managed policies of a role': 10,
  'characters of a role’s name': 64,
  'bytes of a function’s variables': 4_096, // Lambda: "Lambda quotas"
  'characters of a function’s name': 64,
  'characters of a filter pattern': 1_024, // CloudWatch Logs API: PutMetricFilter
  'metric filters of a log group': 100,
  'subscription filters of a log group': 2 / share, // CloudWatch Logs: "quotas"
  'percent of a name': 100, // the limits of names stand below
  'characters of an alarm’s name': 255, // CloudWatch API: PutMetricAlarm
  'characters of an alarm’s description': 1_024,
  'metrics of an alarm': 10 / share, // it adds up ten, and is made of exactly so many
  'bytes of a key policy': 32_768, // KMS: "Resource quotas"
  'targets of a rule': 5 / share, // EventBridge: "Quotas"; one for each job that runs as often
  'resources of a template': 500, // CloudFormation: "CloudFormation quotas"
  'outputs of a template': 200,
  'bytes of a template': 1_000_000,
  'resources of an API': 300, // API Gateway: "Quotas for configuring and running a REST API"
  'characters of a dashboard': 1_000_000,
} as const;

type LimitedThing = keyof typeof limits;

/** How many characters a name may have that a template says, by the API reference of its service. */
const nameLimits: Readonly<Record<string, readonly [property: string, characters: number]>> = {
  'AWS::Backup::BackupVault': ['BackupVaultName', 50],
  'AWS::Chatbot::SlackChannelConfiguration': ['ConfigurationName', 128],
  'AWS::CloudWatch::Dashboard': ['DashboardName', 255],
  'AWS::CodeDeploy::Application': ['ApplicationName', 100],
  'AWS::CodeDeploy::DeploymentGroup': ['DeploymentGroupName', 100],
  'AWS::Cognito::UserPool': ['UserPoolName', 128],
  'AWS::Cognito::UserPoolDomain': ['Domain', 63],
  'AWS::DynamoDB::Table': ['TableName', 255],
  'AWS::Events::Rule': ['Name', 64],
  'AWS::IAM::ManagedPolicy': ['ManagedPolicyName', 128],
  'AWS::KMS::Alias': ['AliasName', 256],
  'AWS::KinesisFirehose::DeliveryStream': ['DeliveryStreamName', 64],
  'AWS::Logs::LogGroup': ['LogGroupName', 512],
  'AWS::Logs::MetricFilter': ['FilterName', 512],
  'AWS::S3::Bucket': ['BucketName', 63],
  'AWS::SNS::Topic': ['TopicName', 256],
  'AWS::SQS::Queue': ['QueueName', 80],
  'AWS::SSM::Parameter': ['Name', 1_011],
  'AWS::WAFv2::WebACL': ['Name', 128],
};

const nameShare = ({ Type, Properties }: Resource): Partial<Record<LimitedThing, number>> => {
  const [property, characters] = nameLimits[Type] ?? [];
  const name = property === undefined ? undefined : Properties?.[property];
  if (name === undefined || characters === undefined) return {};
  return { 'percent of a name': (lengthOf(name) / characters) * 100 };
};

interface Measured {
  readonly of: LimitedThing;
  readonly name: string;
  readonly size: number;
}

const longRegion = 'ap-southeast-1';

/** What a reference becomes: as long as what AWS puts in its place. */
const pseudo: Readonly<Record<string, string>> = {
  'AWS::Partition': place.partition,
  'AWS::AccountId': place.account,
  'AWS::Region': longRegion,
  'AWS::URLSuffix': place.suffix,
};
const someArn = `arn:aws:service:${longRegion}:${place.account}:${'x'.repeat(60)}`;

const resolved = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(resolved);
  if (typeof value !== 'object' || value === null) return value;
  const [[name, argument] = ['', undefined], ...more] = Object.entries(value);
  if (more.length === 0 && name === 'Ref') return pseudo[argument] ?? 'x'.repeat(40);
  // A version is a number that goes up with each release.
  if (more.length === 0 && name === 'Fn::GetAtt' && argument[1] === 'Version') return '99999';
  if (more.length === 0 && (name === 'Fn::GetAtt' || name === 'Fn::ImportValue')) return someArn;
  if (more.length === 0 && name === 'Fn::Join')
    return argument[1].map((part: unknown) => String(resolved(part))).join(argument[0]);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, resolved(member)]));
};

const lengthOf = (value: unknown): number => {
  const whole = resolved(value);
  return Buffer.byteLength(typeof whole === 'string' ? whole : JSON.stringify(whole));
};

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** What of one resource is limited. */
const sizesOf = ({ Type, Properties: all }: Resource): Partial<Record<LimitedThing, number>> => {
  switch (Type) {
    case 'AWS::IAM::Role': {
      const documents: readonly { PolicyDocument: object }[] = all['Policies'] ?? [];
      return {
        'characters of the policies in a role': sum(
          documents.map(({ PolicyDocument }) => lengthOf(PolicyDocument)),
        ),
        'characters of a trust policy': lengthOf(all['AssumeRolePolicyDocument']),
        'managed policies of a role': (all['ManagedPolicyArns'] ?? []).length,
        'characters of a role’s name': (all['RoleName'] ?? '').length,
      };
    }
    case 'AWS::IAM::ManagedPolicy':
      return { 'characters of a managed policy': lengthOf(all['PolicyDocument']) };
    case 'AWS::Lambda::Function': {
      const variables = Object.entries<unknown>(all['Environment']?.Variables ?? {});
      return {
        'bytes of a function’s variables': sum(
          variables.map(([name, value]) => name.length + lengthOf(value)),
        ),
        'characters of a function’s name': (all['FunctionName'] ?? '').length,
      };
    }
    case 'AWS::Logs::MetricFilter':
    case 'AWS::Logs::SubscriptionFilter':
      return { 'characters of a filter pattern': lengthOf(all['FilterPattern']) };
    case 'AWS::CloudWatch::Alarm':
      return {
        'characters of an alarm’s name': lengthOf(all['AlarmName']),
        'characters of an alarm’s description': lengthOf(all['AlarmDescription'] ?? ''),
        'metrics of an alarm': (all['Metrics'] ?? []).filter((one: object) => 'MetricStat' in one)
          .length,
      };
    case 'AWS::CloudWatch::Dashboard':
      return { 'characters of a dashboard': lengthOf(all['DashboardBody']) };
    case 'AWS::KMS::Key':
      return { 'bytes of a key policy': lengthOf(all['KeyPolicy']) };
    case 'AWS::Events::Rule':
      return { 'targets of a rule': all['Targets'].length };
    default:
      return {};
  }
};

/** What of a whole stack is limited. */
const totalsOf = (
  resources: readonly Resource[],
  outputs: number,
): Partial<Record<LimitedThing, number>> => {
  const ofType = (type: string) => resources.filter(({ Type }) => Type === type);
  const perLog = (type: string): number => {
    const counts = new Map<string, number>();
    for (const { Properties } of ofType(type)) {
      const log = JSON.stringify(Properties['LogGroupName']);
      counts.set(log, (counts.get(log) ?? 0) + 1);
    }
    return Math.max(0, ...counts.values());
  };
  return {
    'metric filters of a log group': perLog('AWS::Logs::MetricFilter'),
    'subscription filters of a log group': perLog('AWS::Logs::SubscriptionFilter'),
    'resources of a template': resources.length,
    'outputs of a template': outputs,
    'bytes of a template': Buffer.byteLength(JSON.stringify(resources)),
    'resources of an API': ofType('AWS::ApiGateway::Resource').length,
  };
};

const entriesOf = (
  name: string,
  sizes: Partial<Record<LimitedThing, number>>,
): readonly Measured[] =>
  Object.entries(sizes).map(([of, size]) => ({ of: of as LimitedThing, name, size }));

const stacksWith = (environment: EnvironmentName, settings: object) => [
  ...stacksOf(infraApp({ [environment]: settings }, [environment])).values(),
];

const measured = (stacks: readonly SynthesisedStack[]): readonly Measured[] =>
  stacks.flatMap(({ name, resources, exports }) => [
    ...entriesOf(name, totalsOf(resources, Object.keys(exports).length)),
    ...resources.flatMap(resource =>
      entriesOf(`${name} ${resource.id}`, { ...sizesOf(resource), ...nameShare(resource) }),
    ),
  ]);

const {
  account,
  region: _,
  domain,
  portalDomain,
  hostedZoneId,
  hostedZoneName,
  ...watching
} = watchedSettings;
/** A name of 64 characters, the most that a certificate takes. */
const long = (tail: string) => `${'x'.repeat(63 - tail.length)}.${tail}`;

/** What changes names and policies, each with the longest value that it may have. */
const choices: readonly Readonly<Record<string, string>>[] = [
  { domain: long(domain), portalDomain: long(portalDomain), hostedZoneId, hostedZoneName },
  { mailFrom: `portal@${long('example.org')}` },
  { restored: '20261122'.padEnd(20, 'x') },
  { restoring: '20261123'.padEnd(20, 'x') },
  { oidcIssuer: `https://${long('example.org')}/oauth2/default`, oidcClientId: 'x'.repeat(128) },
  {
    ...watching,
    permissionsBoundary: 'sombus-boundary',
    logDays: '365',
    backupVault: `arn:aws:backup:eu-central-1:444455556666:backup-vault:${'x'.repeat(50)}`,
  },
];

const everywhere = { account, region: longRegion };

const all = 2 ** choices.length - 1;

/**
 * None and all, and each left out: what a choice makes grows with the others, but one may make what
 * another would replace.
 */
const extremes = [0, ...choices.map((_choice, at) => all - (1 << at)), all];

/** The bits of a number say which choices are made. `npm run limits` makes every combination. */
const isEvery = process.env['SOMBUS_EVERY_COMBINATION'] === '1';
const chosen = isEvery ? Array.from({ length: all + 1 }, (_unused, bits) => bits) : extremes;

const combinations = chosen.map(bits =>
  Object.assign({ ...everywhere }, ...choices.filter((_choice, at) => bits & (1 << at))),
);

const largest = new Map<LimitedThing, Measured>();
const refused = new Set<string>();
let named = 0;

beforeAll(() => {
  for (const settings of combinations) {
    const stacks = stacksWith('sandbox', settings);
    for (const one of measured(stacks))
      if (one.size > (largest.get(one.of)?.size ?? -1)) largest.set(one.of, one);
    const names = physicalNames(stacks);
    named += names.length;
    for (const refusal of refusedNames(names)) refused.add(refusal);
  }
});

test('every setting that changes a template is among the choices', () => {
  expect(combinations).toHaveLength(isEvery ? 64 : 8);
  const set = new Set(combinations.flatMap(settings => Object.keys(settings)));
  expect([...set].sort()).toEqual(Object.keys(cdkJson.context.sandbox).sort());
});

test('in every combination of settings everything is within the limits of AWS, with a fifth of room', () => {
  expect([...largest.keys()].sort()).toEqual(Object.keys(limits).sort());
  const over = [...largest.values()].filter(({ of, size }) => size > limits[of] * share);
  expect(over).toEqual([]);
});

test('in every combination of settings a deployment may make what it names', () => {
  expect(named).toBeGreaterThan(combinations.length * 120);
  expect([...refused]).toEqual([]);
});
