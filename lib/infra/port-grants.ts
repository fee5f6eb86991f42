import { ArnFormat, type Stack } from 'aws-cdk-lib';
import {
  type EnvironmentName,
  envVars,
  queueName,
  resourceNames,
} from '../contract/environments.ts';
import type { PortAccess } from '../contract/functions.ts';
import { type tableGrants, tableGrantsOf } from '../contract/table-grants.ts';
import type { TableName } from '../contract/tables.ts';
import { acceptFinding, environmentAlarms } from './accept-finding.ts';
import type { Grant } from './service-function.ts';
import type { MailAddress } from './settings.ts';
import type { FirstSigningKey, ServedTable } from './stateful-stack.ts';

/** What outlives deployments. */
interface State extends Readonly<Record<TableName, ServedTable>> {
  readonly environment: EnvironmentName;
  readonly signingKey: FirstSigningKey;
  /** Absent: the bus sends no e-mail. */
  readonly mailFrom: MailAddress | undefined;
}

export type PortGrants = (access: PortAccess) => readonly Grant[];

type OtherGrants = Readonly<Record<PortAccess, readonly Grant[]>>;

/** Whatever has no grants on tables must be here. */
type Needed = Pick<OtherGrants, Exclude<PortAccess, keyof typeof tableGrants>>;

const arnOf = (stack: Stack, resource: string): string =>
  stack.formatArn({ service: 'sqs', resource, arnFormat: ArnFormat.NO_RESOURCE_NAME });

/**
 * The consumers' queues of an environment. They are created and deleted with connections, so only
 * their name pattern is known.
 */
const consumerQueues =
  (stack: Stack, ...actions: readonly `sqs:${string}`[]): Grant =>
  target => {
    target.allow({ actions: [...actions], resources: [arnOf(stack, queueName('c*'))] });
    acceptFinding(
      target.grantee,
      'IAM5[Resource::arn:<AWS::Partition>:sqs:<AWS::Region>:<AWS::AccountId>:sombus-c*.fifo]',
    );
    target.tell({
      [envVars.queueBaseUrl]: `https://sqs.${stack.region}.${stack.urlSuffix}/${stack.account}/`,
    });
  };

/**
 * The keys of connections, and the plans that they are on. API Gateway gives keys and plans ids of
 * its own, and knows no conditions on their names (AWS: "Actions, resources, and condition keys for
 * Amazon API Gateway Management").
 */
const usagePlans =
  (stack: Stack): Grant =>
  target => {
    const arn = (resource: string) =>
      stack.formatArn({
        service: 'apigateway',
        account: '',
        resource,
        arnFormat: ArnFormat.SLASH_RESOURCE_SLASH_RESOURCE_NAME,
      });
    const plans = ['usageplans', 'usageplans/*'];
    const allow = (action: string, ...resources: readonly string[]) =>
      target.allow({ actions: [`apigateway:${action}`], resources: resources.map(arn) });
    allow('GET', 'apikeys', 'apikeys/*', ...plans);
    allow('POST', 'apikeys', 'usageplans', 'usageplans/*/keys');
    allow('DELETE', 'apikeys/*', 'usageplans/*/keys/*');
    for (const resource of [
      'apikeys/*',
      'usageplans/*',
      'usageplans/*/keys',
      'usageplans/*/keys/*',
    ] as const)
      acceptFinding(
        target.grantee,
        `IAM5[Resource::arn:<AWS::Partition>:apigateway:<AWS::Region>::/${resource}]`,
      );
  };

/**
 * The state of the environment's alarms, each asked for by its name. Only composite alarms, of which
 * there are none, need the right on everything (API reference, DescribeAlarms).
 */
const alarmsOf =
  (stack: Stack, environment: EnvironmentName): Grant =>
  target => {
    const alarms = stack.formatArn({
      service: 'cloudwatch',
      resource: 'alarm',
      resourceName: resourceNames(environment).alarm('*'),
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    target.allow({ actions: ['cloudwatch:DescribeAlarms'], resources: [alarms] });
    acceptFinding(target.grantee, environmentAlarms);
  };

/**
 * Sends e-mails from one address of a domain (AWS: "Actions, resources, and condition keys for
 * Amazon SES").
 */
const sending =
  (stack: Stack, { address, domain }: MailAddress): Grant =>
  target => {
    target.allow({
      actions: ['ses:SendEmail'],
      resources: [stack.formatArn({ service: 'ses', resource: 'identity', resourceName: domain })],
      conditions: { StringEquals: { 'ses:FromAddress': address } },
    });
    target.tell({ [envVars.mailFrom]: address });
  };

/**
 * What is no item of a table: queues, keys of API Gateway, e-mails, and what needs nothing from
 * AWS.
 */
const otherGrants = (stack: Stack, { environment, signingKey, mailFrom }: State) => {
  const setsQueueArns: Grant = target => target.tell({ [envVars.queueBaseArn]: arnOf(stack, '') });
  return {
    clock: [],
    ids: [],
    busVersion: [],
    // Metrics are lines in the function's own log.
    metrics: [],
    ageReport: [],
    archiveDays: [],
    // What signs people in gets their user pool's rights, too (sign-in.ts).
    provider: [],
    accounts: [],
    // Hosts on the internet.
    webhooks: [],
    mails: mailFrom ? [sending(stack, mailFrom)] : [],
    'depths.read': [consumerQueues(stack, 'sqs:GetQueueAttributes')],
    guardedQueues: [consumerQueues(stack, 'sqs:GetQueueAttributes'), setsQueueArns],
    // CloudWatch's metrics belong to no resource.
    'queueAges.measure': [
      target => target.allow({ actions: ['cloudwatch:GetMetricData'], resources: ['*'] }),
    ],
    alarmStates: [alarmsOf(stack, environment)],
    queueAdmin: [
      consumerQueues(stack, 'sqs:CreateQueue', 'sqs:DeleteQueue', 'sqs:SetQueueAttributes'),
      setsQueueArns,
    ],
    usagePlans: [usagePlans(stack)],
    'signer.keys': [signingKey.use('kms:GetPublicKey')],
    'signer.sign': [signingKey.use('kms:Sign')],
    'queueReaders.set': [consumerQueues(stack, 'sqs:SetQueueAttributes'), setsQueueArns],
    'queues.send': [consumerQueues(stack, 'sqs:SendMessage')],
    'inbox.receive': [consumerQueues(stack, 'sqs:ReceiveMessage')],
    'inbox.delete': [consumerQueues(stack, 'sqs:DeleteMessage')],
    'inbox.release': [consumerQueues(stack, 'sqs:ChangeMessageVisibility')],
  } satisfies Needed & Partial<OtherGrants>;
};

/**
 * The AWS grants of each access in the route table: a function gets those of its row, and nothing
 * else.
 */
export const portGrants = (stack: Stack, state: State): PortGrants => {
  const others: Partial<OtherGrants> = otherGrants(stack, state);
  return access => {
    const onTables = tableGrantsOf(access).map(grant => state[grant.table].grant(grant));
    return [...(others[access] ?? []), ...onTables];
  };
};
