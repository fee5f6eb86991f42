import { accountRootOf, queuePolicy, rolesUnder } from '../../../lib/access/trust/queue-access.ts';
import { queueName, resourceNames, signingKeyPolicy } from '../../../lib/contract/environments.ts';
import { type TableName, tableNames, tables } from '../../../lib/contract/tables.ts';
import type { AwsCall, Decision, Statement } from '../../../lib/local/engines/iam.ts';
import { decide } from '../../../lib/local/engines/iam.ts';
import { type Deployment, place } from '../../../scripts/permissions/deployment.ts';
import { defaultDeployment } from './stacks.ts';

/** A class of things that calls are about: one of its members stands for all. */
export interface Thing {
  readonly name: string;
  readonly arn: string;
  readonly context: AwsCall['context'];
  /** Of a thing that is not in the templates: the bus makes it later. */
  readonly policy?: readonly Statement[];
}

const { partition, account, region } = place;
const arn = (service: string, rest: string): string =>
  `arn:${partition}:${service}:${region}:${account}:${rest}`;
const names = resourceNames('sandbox');
const baseArn = arn('sqs', '');

/** An item of each family of keys that a role may reach: `LOG#*` becomes `LOG#1`. */
const itemsOf = (table: TableName): readonly Thing[] => {
  const tableArn = arn('dynamodb', `table/${names.table(table)}`);
  const statements = defaultDeployment()
    .roles.flatMap(role => role.statements)
    .filter(({ Resource }) => [Resource].flat().includes(tableArn));
  const patterns = statements.flatMap(({ Condition }) =>
    Object.values(Condition ?? {}).flatMap(named => named['dynamodb:LeadingKeys'] ?? []),
  );
  const keys = [...new Set(patterns)].map(pattern => pattern.replace('*', '1')).sort();
  if (keys.length === 0) throw new Error(`No role reaches an item of ${table}.`);
  return keys.map(key => ({
    name: `${table} ${key}`,
    arn: tableArn,
    context: { 'dynamodb:LeadingKeys': [key] },
  }));
};

const index = (table: TableName, name: string): Thing => ({
  name: `${table} index ${name}`,
  arn: arn('dynamodb', `table/${names.table(table)}/index/${name}`),
  context: { 'dynamodb:LeadingKeys': ['any'] },
});

const keyPolicy = JSON.parse(
  JSON.stringify(
    signingKeyPolicy({
      accountRoot: accountRootOf(baseArn),
      signers: rolesUnder(names.signerPath, baseArn),
    }),
  ),
).Statement as readonly Statement[];

/** A key as a rotation makes it. */
const key = (name: string, tags: AwsCall['context'], policy: readonly Statement[]): Thing => ({
  name,
  arn: arn('kms', `key/${name.replaceAll(' ', '-')}`),
  context: tags,
  policy: policy.map(statement => ({ ...statement, Resource: '*' })),
});

const queueArn = baseArn + queueName('cabcdefgh2345');
const consumerQueue: Thing = {
  name: 'consumer’s queue',
  arn: queueArn,
  context: { 'aws:SecureTransport': ['true'] },
  policy: queuePolicy({ queueArn, busRoles: rolesUnder(names.rolePath, baseArn), readers: [] })
    .Statement as readonly Statement[],
};

/** Everything that the functions' calls can be about, and some things that they must not touch. */
export const things: readonly Thing[] = [
  ...tableNames.flatMap(table => [
    ...itemsOf(table),
    ...Object.keys(tables[table].indexes).map(name => index(table, name)),
  ]),
  key('rotated key', { 'aws:ResourceTag/sombus-signing': ['sandbox'] }, keyPolicy),
  key('key of preview', { 'aws:ResourceTag/sombus-signing': ['preview'] }, keyPolicy),
  key('key without a tag', {}, keyPolicy.slice(0, 1)),
  consumerQueue,
  {
    name: 'failed runs',
    arn: `${baseArn}sombus-sandbox-failed-runs`,
    context: { 'aws:SecureTransport': ['true'] },
  },
  { name: 'somebody’s queue', arn: `${baseArn}orders.fifo`, context: {} },
  {
    name: 'alarm topic',
    arn: arn('sns', 'sombus-sandbox-alarms'),
    context: { 'aws:SecureTransport': ['true'] },
  },
  { name: 'alarm', arn: arn('cloudwatch', `alarm:${names.alarm('bus-5xx')}`), context: {} },
  {
    name: 'alarm of preview',
    arn: arn('cloudwatch', `alarm:${resourceNames('preview').alarm('bus-5xx')}`),
    context: {},
  },
  { name: 'somebody’s alarm', arn: arn('cloudwatch', 'alarm:orders'), context: {} },
  { name: 'all alarms', arn: arn('cloudwatch', 'alarm:*'), context: {} },
  { name: 'log of the bus', arn: arn('logs', 'log-group:/sombus/sandbox/bus:*'), context: {} },
  {
    name: 'tables of preview',
    arn: arn('dynamodb', 'table/sombus-preview-ledger'),
    context: { 'dynamodb:LeadingKeys': ['LOG#w1#c1'] },
  },
  { name: 'role', arn: `arn:${partition}:iam::${account}:role/any`, context: {} },
];

/** What calls may ask for: everything that a function does, and what an intruder would try. */
export const actions: readonly string[] = [
  ...[
    'GetItem',
    'BatchGetItem',
    'Query',
    'Scan',
    'PutItem',
    'UpdateItem',
    'DeleteItem',
    'BatchWriteItem',
  ],
  ...['DeleteTable', 'UpdateTable', 'PartiQLSelect', 'ExportTableToPointInTime'],
]
  .map(name => `dynamodb:${name}`)
  .concat(
    [
      'Sign',
      'GetPublicKey',
      'DisableKey',
      'ScheduleKeyDeletion',
      'PutKeyPolicy',
      'CreateGrant',
    ].map(n => `kms:${n}`),
    [
      'SendMessage',
      'ReceiveMessage',
      'DeleteMessage',
      'ChangeMessageVisibility',
      'SetQueueAttributes',
    ].map(n => `sqs:${n}`),
    [
      'CreateQueue',
      'DeleteQueue',
      'PurgeQueue',
      'AddPermission',
      'GetQueueAttributes',
      'GetQueueUrl',
    ].map(n => `sqs:${n}`),
    [
      'cloudwatch:DescribeAlarms',
      'cloudwatch:SetAlarmState',
      'sns:Publish',
      'logs:FilterLogEvents',
      'logs:DeleteLogGroup',
      'iam:PassRole',
      'sts:AssumeRole',
    ],
  );

/** The decision on a call of a function. */
export const decisionOn = (
  deployment: Deployment,
  functionName: string,
  call: { readonly action: string; readonly thing: Thing; readonly context?: AwsCall['context'] },
): Decision => {
  const role = deployment.roles.find(one => one.functionName === `sombus-sandbox-${functionName}`);
  if (!role) throw new Error(`No role runs ${functionName}.`);
  const caller = { role: role.arn, account };
  const { action, thing, context } = call;
  const policies = deployment.policiesFor(caller, thing.arn);
  return decide(
    {
      caller,
      action,
      resource: thing.arn,
      context: { ...thing.context, ...context, 'aws:PrincipalArn': [role.arn] },
    },
    thing.policy ? { ...policies, resource: thing.policy } : policies,
  );
};
