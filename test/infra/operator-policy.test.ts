import { readFileSync } from 'node:fs';
import { decide, type Statement } from '../../lib/local/iam.ts';
import { place } from '../../scripts/permissions/deployment.ts';

const text = readFileSync('docs/deploy/operator.json', 'utf8');
const identity = JSON.parse(text).Statement as readonly Statement[];
const { account, region } = place;
const role = `arn:aws:iam::${account}:role/on-call`;
const own = {
  'aws:ResourceTag/sombus-signing': ['sandbox'],
  'aws:ResourceTag/sombus-people': ['sandbox'],
  'kms:KeySpec': ['ECC_NIST_P256'],
};

/** A key's own policy leaves the decision to the account. */
const keyPolicy: readonly Statement[] = [
  { Effect: 'Allow', Principal: { AWS: account }, Action: 'kms:*', Resource: '*' },
];

const may = (action: string, resource: string, context: Readonly<Record<string, readonly string[]>> = own) =>
  decide(
    { caller: { role, account }, action, resource, context },
    { identity, ...(action.startsWith('kms:') ? { resource: keyPolicy } : {}) },
  ) === 'allowed';

const regional = (service: string, rest: string) => `arn:aws:${service}:${region}:${account}:${rest}`;
const gateway = (path: string) => `arn:aws:apigateway:${region}::/${path}`;
const table = regional('dynamodb', 'table/sombus-sandbox-registry');
const restored = `${table}-20261122`;
const queue = regional('sqs', 'sombus-cabcdefgh2345.fifo');
const failedRuns = regional('sqs', 'sombus-sandbox-failed-runs');
const key = regional('kms', 'key/k');
const acl = regional('wafv2', 'regional/webacl/sombus-sandbox/i');
const pool = regional('cognito-idp', 'userpool/eu-west-1_p');
const log = regional('logs', 'log-group:/sombus/sandbox/bus');

/** What IAM is asked for by each command of the SDK, or of AWS's own command line (Service Authorization Reference). */
const asked: Readonly<Record<string, readonly (readonly [action: string, resource: string])[]>> = {
  AdminCreateUser: [['cognito-idp:AdminCreateUser', pool]],
  AdminGetUser: [['cognito-idp:AdminGetUser', pool]],
  BatchGetItem: [['dynamodb:BatchGetItem', table]],
  BatchWriteItem: [['dynamodb:BatchWriteItem', table]],
  CreateApiKey: [['apigateway:POST', gateway('apikeys')]],
  CreateKey: [
    ['kms:CreateKey', '*'],
    ['kms:TagResource', '*'],
  ],
  CreateQueue: [['sqs:CreateQueue', queue]],
  CreateUsagePlan: [['apigateway:POST', gateway('usageplans')]],
  CreateUsagePlanKey: [['apigateway:POST', gateway('usageplans/u/keys')]],
  DeleteApiKey: [['apigateway:DELETE', gateway('apikeys/k')]],
  DeleteFunctionConcurrency: [
    ['lambda:DeleteFunctionConcurrency', regional('lambda', 'function:sombus-sandbox-publish')],
  ],
  DeleteItem: [['dynamodb:DeleteItem', table]],
  DeleteQueue: [['sqs:DeleteQueue', queue]],
  DeleteUsagePlanKey: [['apigateway:DELETE', gateway('usageplans/u/keys/k')]],
  DescribeContinuousBackups: [['dynamodb:DescribeContinuousBackups', table]],
  DescribeTable: [['dynamodb:DescribeTable', table]],
  DescribeTimeToLive: [['dynamodb:DescribeTimeToLive', table]],
  DisableKey: [['kms:DisableKey', key]],
  GetAlias: [['lambda:GetAlias', regional('lambda', 'function:sombus-sandbox-pull')]],
  GetFunctionConfiguration: [
    ['lambda:GetFunctionConfiguration', regional('lambda', 'function:sombus-sandbox-pull:7')],
  ],
  GetParameterHistory: [
    ['ssm:GetParameterHistory', regional('ssm', 'parameter/sombus/sandbox/released/bus')],
  ],
  UpdateAlias: [['lambda:UpdateAlias', regional('lambda', 'function:sombus-sandbox-pull')]],
  GetAccount: [['apigateway:GET', gateway('account')]],
  GetAccountSettings: [['lambda:GetAccountSettings', '*']],
  GetApiKeys: [['apigateway:GET', gateway('apikeys')]],
  // AWS decides nothing about it: everybody may ask who they are (STS: "GetCallerIdentity").
  GetCallerIdentity: [],
  GetItem: [['dynamodb:GetItem', table]],
  GetParameter: [
    ['ssm:GetParameter', regional('ssm', 'parameter/sombus/sandbox/tables')],
    ['ssm:GetParameter', regional('ssm', 'parameter/cdk-bootstrap/hnb659fds/version')],
    ['ssm:GetParameter', regional('ssm', 'parameter/sombus/sandbox/probe')],
  ],
  PutParameter: [['ssm:PutParameter', regional('ssm', 'parameter/sombus/sandbox/probe')]],
  GetPublicKey: [['kms:GetPublicKey', key]],
  GetQueueAttributes: [['sqs:GetQueueAttributes', queue]],
  GetRateBasedStatementManagedKeys: [['wafv2:GetRateBasedStatementManagedKeys', acl]],
  GetRestApis: [['apigateway:GET', gateway('restapis')]],
  GetSampledRequests: [['wafv2:GetSampledRequests', acl]],
  GetUsage: [['apigateway:GET', gateway('usageplans/u/usage')]],
  GetUsagePlans: [['apigateway:GET', gateway('usageplans')]],
  GetWebACL: [['wafv2:GetWebACL', acl]],
  ListSubscriptionsByTopic: [['sns:ListSubscriptionsByTopic', regional('sns', 'sombus-sandbox-alarms')]],
  ListUserPools: [['cognito-idp:ListUserPools', '*']],
  ListWebACLs: [['wafv2:ListWebACLs', '*']],
  PutFunctionConcurrency: [
    ['lambda:PutFunctionConcurrency', regional('lambda', 'function:sombus-sandbox-publish')],
  ],
  PutItem: [['dynamodb:PutItem', table]],
  Query: [['dynamodb:Query', `${table}/index/children`]],
  // On the new table, whoever asks needs what DynamoDB does there (Developer Guide: "Using IAM with DynamoDB backup and restore").
  RestoreTableToPointInTime: [
    ['dynamodb:RestoreTableToPointInTime', table],
    ...['BatchWriteItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'Scan', 'UpdateItem'].map(
      name => [`dynamodb:${name}`, restored] as const,
    ),
  ],
  SetAlarmState: [['cloudwatch:SetAlarmState', regional('cloudwatch', 'alarm:sombus-sandbox-job-failures')]],
  SetQueueAttributes: [['sqs:SetQueueAttributes', queue]],
  TransactWriteItems: [
    ['dynamodb:PutItem', table],
    ['dynamodb:UpdateItem', table],
    ['dynamodb:DeleteItem', table],
  ],
  UpdateContinuousBackups: [['dynamodb:UpdateContinuousBackups', restored]],
  UpdateItem: [['dynamodb:UpdateItem', table]],
  UpdateTable: [['dynamodb:UpdateTable', restored]],
  UpdateTimeToLive: [['dynamodb:UpdateTimeToLive', restored]],
  'aws cloudtrail lookup-events': [['cloudtrail:LookupEvents', '*']],
  'aws ssm delete-parameter': [['ssm:DeleteParameter', regional('ssm', 'parameter/sombus/sandbox/probe')]],
  'aws sqs set-queue-attributes': [['sqs:SetQueueAttributes', queue]],
  'aws cloudwatch get-metric-statistics': [['cloudwatch:GetMetricStatistics', '*']],
  'aws events list-rules': [['events:ListRules', '*']],
  'aws kms cancel-key-deletion': [['kms:CancelKeyDeletion', key]],
  'aws kms describe-key': [['kms:DescribeKey', key]],
  'aws kms enable-key': [['kms:EnableKey', key]],
  'aws logs tail': [['logs:FilterLogEvents', log]],
  'aws sqs get-queue-attributes': [['sqs:GetQueueAttributes', queue]],
  'aws sqs get-queue-url': [['sqs:GetQueueUrl', failedRuns]],
  'aws sqs purge-queue': [['sqs:PurgeQueue', failedRuns]],
  'aws sqs receive-message': [['sqs:ReceiveMessage', failedRuns]],
};

/** The adapters that the operator's commands reach AWS with. */
const adapters = [
  'aws/many-items',
  'aws/table',
  'cli/aws-account',
  'cli/aws-restore',
  'cli/aws-rollback',
  'cli/target',
  'registry/firewall.wafv2',
  'registry/queue-access.sqs',
  'registry/usage-plans.apigateway',
];

const matches = (source: string, pattern: RegExp) =>
  [...source.matchAll(pattern)].map(([, found = '']) => found);

describe('docs/deploy/operator.json', () => {
  it('is asked for everything that the operator’s commands and the sections of alarms do', () => {
    const [, sections = ''] = readFileSync('docs/runbook.md', 'utf8').split(/^(?=## bus-5xx$)/m);
    const done = [
      ...adapters.flatMap(name =>
        matches(readFileSync(`lib/${name}.ts`, 'utf8'), /(?:new |\bpaginate)([A-Z]\w+?)(?:Command)?\(/g),
      ),
      ...['aws'].flatMap(name => matches(readFileSync(`lib/cli/${name}.ts`, 'utf8'), /\bcall\('(\w+)'/g)),
      // Those of the signer and of queues that no command uses are left out: it signs nothing and sends nothing.
      ...['CreateKey', 'DisableKey', 'GetPublicKey', 'GetQueueAttributes'],
      ...matches(sections, /(?<!sombus )(aws [a-z0-9-]+ [a-z-]+)/g),
    ].filter(name => !/(Client|Error|Refusal|Refused|Set|Map|WeakMap|Date|^Command|Option)$/.test(name));
    expect(new Set(done)).toEqual(new Set(Object.keys(asked)));
  });

  it.each(Object.entries(asked))('allows %s', (_command, calls) => {
    expect(calls.filter(([action, resource]) => !may(action, resource))).toEqual([]);
  });

  it.each([
    ['kms:Sign', key],
    ['kms:ScheduleKeyDeletion', key],
    ['kms:PutKeyPolicy', key],
    ['dynamodb:DeleteTable', table],
    ['dynamodb:DeleteTable', restored],
    ['dynamodb:Scan', table],
    ['dynamodb:UpdateTable', table],
    ['dynamodb:UpdateContinuousBackups', table],
    ['dynamodb:RestoreTableToPointInTime', regional('dynamodb', 'table/orders')],
    ['lambda:PutFunctionConcurrency', regional('lambda', 'function:shop')],
    ['dynamodb:GetItem', regional('dynamodb', 'table/orders')],
    ['sqs:ReceiveMessage', queue],
    ['sqs:SendMessage', queue],
    ['sqs:SetQueueAttributes', regional('sqs', 'orders.fifo')],
    ['lambda:UpdateFunctionCode', regional('lambda', 'function:sombus-sandbox-pull')],
    ['lambda:InvokeFunction', regional('lambda', 'function:sombus-sandbox-token')],
    ['lambda:UpdateAlias', regional('lambda', 'function:shop')],
    ['ssm:PutParameter', regional('ssm', 'parameter/sombus/sandbox/tables')],
    ['apigateway:DELETE', gateway('restapis/a')],
    ['wafv2:UpdateWebACL', acl],
    ['logs:DeleteLogGroup', log],
    ['cognito-idp:AdminSetUserPassword', pool],
    ['cognito-idp:ListUsers', pool],
    ['iam:PassRole', role],
    ['sts:AssumeRole', role],
    ['secretsmanager:GetSecretValue', regional('secretsmanager', 'secret:any')],
  ])('does not allow %s', (action, resource) => {
    expect(may(action, resource)).toBe(false);
  });

  it('makes no key but one that signs tokens, and touches no other', () => {
    expect(may('kms:CreateKey', '*', { 'kms:KeySpec': ['SYMMETRIC_DEFAULT'] })).toBe(false);
    expect(may('kms:DisableKey', key, {})).toBe(false);
  });

  it('invites nobody into a user pool of somebody else’s', () => {
    expect(may('cognito-idp:AdminCreateUser', pool, {})).toBe(false);
  });

  it('is no longer than a managed policy may be', () => {
    expect(text.replace(/\s/g, '').length).toBeLessThanOrEqual(6_144);
  });
});
