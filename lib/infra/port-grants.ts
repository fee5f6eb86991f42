import { ArnFormat, type Stack } from 'aws-cdk-lib';
import { envVars, queueName } from '../contract/environments.ts';
import type { PortAccess } from '../contract/functions.ts';
import type { TableName } from '../contract/tables.ts';
import { acceptFinding } from './accept-finding.ts';
import type { Grant } from './service-function.ts';
import type { MailAddress } from './settings.ts';
import type { ServedTable, SigningKey } from './stateful-stack.ts';

/** What outlives deployments. */
interface State extends Readonly<Record<TableName, ServedTable>> {
  readonly signingKey: SigningKey;
  /** Absent: the bus sends no e-mail. */
  readonly mailFrom: MailAddress | undefined;
}

export type PortGrants = Readonly<Record<PortAccess, readonly Grant[]>>;

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
const otherGrants = (stack: Stack, { registry, mailFrom }: State) => {
  const setsQueueArns: Grant = target => target.tell({ [envVars.queueBaseArn]: arnOf(stack, '') });
  return {
    clock: [],
    ids: [],
    busVersion: [],
    // Metrics are lines in the function's own log.
    metrics: [],
    ageReport: [],
    archiveDays: [],
    // Hosts on the internet.
    provider: [],
    webhooks: [],
    mails: mailFrom ? [sending(stack, mailFrom)] : [],
    'depths.read': [consumerQueues(stack, 'sqs:GetQueueAttributes')],
    'consumers.list': [registry.index('children')],
    guardedQueues: [consumerQueues(stack, 'sqs:GetQueueAttributes'), setsQueueArns],
    // CloudWatch's metrics belong to no resource.
    'queueAges.measure': [
      target => target.allow({ actions: ['cloudwatch:GetMetricData'], resources: ['*'] }),
    ],
    queueAdmin: [
      consumerQueues(stack, 'sqs:CreateQueue', 'sqs:DeleteQueue', 'sqs:SetQueueAttributes'),
      setsQueueArns,
    ],
    usagePlans: [usagePlans(stack)],
    'queueReaders.set': [consumerQueues(stack, 'sqs:SetQueueAttributes'), setsQueueArns],
    'queues.send': [consumerQueues(stack, 'sqs:SendMessage')],
    'inbox.receive': [consumerQueues(stack, 'sqs:ReceiveMessage')],
    'inbox.delete': [consumerQueues(stack, 'sqs:DeleteMessage')],
    'inbox.release': [consumerQueues(stack, 'sqs:ChangeMessageVisibility')],
  } satisfies Partial<PortGrants>;
};

const [connection, workspace] = ['CONNECTION#*', 'WORKSPACE#*'];
const memberships = ['ORGANISATION#*', 'PERSON#*'];
const places = ['ORGANISATION#*', 'WORKSPACE#*', 'APP#*'];

/**
 * Takes part in counts of things, of which there may be only so many
 * (`lib/platform/aws/bounded.ts`).
 */
const counting = (table: ServedTable, name = ''): Grant =>
  table.items(`BOUND#${name}*`, 'GetItem', 'UpdateItem');

/**
 * Who exists and what they may do. The first part of an item's key says what it is
 * (`lib/access/registry/items.dynamodb.ts`).
 */
const registryGrants = ({ registry, signingKey }: State) =>
  ({
    'registry.connection': [registry.items(connection, 'GetItem')],
    'registry.consumers': [registry.index('children')],
    'registry.roles': [registry.items([workspace, 'OPERATOR'], 'Query')],
    'registry.providers': [registry.items([workspace, 'OPERATOR'], 'GetItem')],
    // Whoever needs the first sealing key makes it.
    seals: [registry.updates('SEALS', 'version', 'seal_keys'), registry.items('SEALS', 'GetItem')],
    marks: [registry.updates(connection, 'status', 'under_test', 'tested_in', 'tested_until')],
    'skills.read': [registry.items('SKILLS#*', 'Query')],
    'skills.change': [
      registry.items('SKILLS#*', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'),
      counting(registry, 'instances#'),
    ],
    'principals.verify': [
      registry.items(workspace, 'Query'),
      registry.updates(
        workspace,
        'status',
        'verified_at',
        'challenge_hash',
        'challenge_valid_until',
      ),
    ],
    'credentials.check': [
      registry.items(connection, 'Query'),
      registry.updates(
        connection,
        ...['current_hash', 'current_used_at', 'previous_hash', 'previous_used_at'],
      ),
    ],
    'tokenRequests.count': [
      registry.updates('TOKENS#*', 'requested_at', 'last_at', 'expires_at', 'version'),
    ],
    // The ring in the registry says which keys there are, and which one signs.
    'signer.keys': [signingKey.use('kms:GetPublicKey'), registry.items('KEYS', 'GetItem')],
    'signer.sign': [signingKey.use('kms:Sign')],
  }) satisfies Partial<PortGrants>;

/**
 * What people see and change in the portal. One function serves all of its calls, so these name
 * items, not attributes: who may call what is decided by the table of calls
 * (`lib/contract/portal/portal.ts`).
 */
const portalGrants = ({ registry, ledger, sessions }: State) =>
  ({
    sessions: [
      sessions.items('SESSION#*', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'),
      counting(sessions),
    ],
    // What the other ports make is counted as well.
    bounds: [counting(registry), counting(ledger)],
    members: [
      registry.items([...memberships, workspace], 'Query'),
      registry.items(memberships, 'PutItem', 'DeleteItem', 'ConditionCheckItem'),
    ],
    directory: [
      registry.items(places, 'GetItem', 'PutItem', 'UpdateItem'),
      registry.index('children'),
    ],
    invitations: [
      registry.items(['INVITATION#*', workspace], 'GetItem', 'PutItem', 'DeleteItem'),
      registry.items(workspace, 'UpdateItem'),
      registry.items(memberships, 'PutItem', 'DeleteItem', 'ConditionCheckItem'),
      registry.index('children'),
    ],
    'connections.find': [registry.items(connection, 'Query')],
    'connections.manage': [
      registry.items(
        [connection, 'APP#*'],
        'Query',
        'GetItem',
        'BatchGetItem',
        'PutItem',
        'UpdateItem',
      ),
      registry.items(workspace, 'GetItem', 'BatchGetItem', 'PutItem', 'DeleteItem'),
      registry.index('children'),
    ],
    'principals.manage': [registry.items(workspace, 'Query', 'PutItem', 'DeleteItem')],
    identityProviders: [registry.items(workspace, 'Query', 'GetItem', 'PutItem', 'DeleteItem')],
  }) satisfies Partial<PortGrants>;

/** Alerts, and what is looked at for them in the registry. */
const alertGrants = ({ registry }: State) =>
  ({
    'alerts.manage': [
      registry.items('ALERTS', 'Query', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'),
    ],
    'alerts.watch': [
      registry.items('ALERTS', 'Query', 'GetItem', 'UpdateItem', 'DeleteItem'),
      counting(registry, 'alerts#'),
    ],
    'members.affiliation': [registry.items('PERSON#*', 'Query')],
    'directory.find': [registry.items(places, 'GetItem')],
    'invitations.guest': [registry.items(workspace, 'GetItem')],
    'connections.list': [registry.items(connection, 'BatchGetItem'), registry.index('children')],
    'principals.list': [registry.items(workspace, 'Query')],
  }) satisfies Partial<PortGrants>;

/** Test runs (`lib/checks/runs.dynamodb.ts`, `lib/checks/test-runs.dynamodb.ts`). */
const checkGrants = ({ ledger }: State) =>
  ({
    'testRuns.ask': [ledger.items('CHECK#*', 'GetItem')],
    'testRuns.faults': [ledger.items('CHECK#*', 'GetItem', 'UpdateItem')],
    'testRuns.note': [ledger.items('CHECK#*', 'PutItem', 'UpdateItem')],
    'checkRuns.start': [
      counting(ledger, 'runs#'),
      ledger.items('CHECK#*', 'PutItem', 'GetItem'),
      ledger.items('CHECKS#*', 'PutItem'),
    ],
    'checkRuns.list': [ledger.items('CHECKS#*', 'Query'), ledger.items('CHECK#*', 'GetItem')],
    'checkRuns.read': [ledger.items('CHECK#*', 'GetItem', 'Query')],
    'checkRuns.stop': [ledger.items('CHECK#*', 'GetItem', 'UpdateItem')],
    'checkRuns.drive': [
      ledger.index('pending'),
      counting(ledger, 'runs#'),
      ledger.items('CHECK#*', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'),
    ],
  }) satisfies Partial<PortGrants>;

/** What was accepted, and what became of it (`lib/bus/delivery/ledger-items.dynamodb.ts`). */
const ledgerGrants = ({ ledger }: State) => {
  const messages = ['ID#*', 'STORY#*', 'LOG#*'];
  const archive = [ledger.index('archive'), ledger.items('LOG#*', 'BatchGetItem')];
  return {
    'ledger.read': [ledger.items(messages, 'BatchGetItem')],
    'ledger.commit': [ledger.items(messages, 'PutItem'), ledger.items('LOG#*', 'UpdateItem')],
    'log.read': [ledger.items('LOG#*', 'GetItem', 'Query')],
    'log.update': [ledger.items('LOG#*', 'UpdateItem')],
    'receipts.save': [ledger.items('RECEIPTS#*', 'BatchWriteItem')],
    'receipts.find': [ledger.items('RECEIPTS#*', 'BatchGetItem')],
    'receipts.settle': [ledger.items('RECEIPTS#*', 'UpdateItem')],
    'polls.wait': [ledger.items('POLLS#*', 'UpdateItem')],
    'acceptances.find': [
      ledger.items(['ID#*', 'STORY#*'], 'GetItem'),
      ledger.items('LOG#*', 'BatchGetItem'),
    ],
    'stories.startOver': [ledger.items('STORY#*', 'UpdateItem')],
    'backlog.read': [ledger.index('pending'), ledger.items('LOG#*', 'BatchGetItem')],
    'archive.read': archive,
    'archiveTail.read': archive,
    'replays.manage': [ledger.items(['REPLAY#*', 'REPLAYS#*'], 'PutItem', 'GetItem', 'UpdateItem')],
    replayList: [ledger.items('REPLAYS#*', 'Query')],
    'replays.run': [
      ledger.index('pending'),
      counting(ledger, 'replays#'),
      ledger.items('REPLAY#*', 'GetItem', 'UpdateItem'),
    ],
  } satisfies Partial<PortGrants>;
};

/** What happened to messages, and who changed what (`lib/bus/activity/records.dynamodb.ts`). */
const activityGrants = ({ activity }: State) =>
  ({
    'recorder.receives': [
      activity.items(['FEED#*', 'HANDLED#*'], 'BatchWriteItem'),
      activity.items('COUNTS#*', 'UpdateItem'),
    ],
    'recorder.attempts': [
      // One statement: AWS allows a batch only if a single statement names all of its keys.
      activity.items(['FEED#*', 'MESSAGE#*', 'TEXT#*'], 'BatchWriteItem'),
      activity.items('KEEPS#*', 'GetItem'),
      activity.items(['FEED#*', 'COUNTS#*'], 'UpdateItem'),
      activity.items('TITLES#*', 'PutItem'),
    ],
    'recorder.limited': [activity.items(['FEED#*', 'COUNTS#*', 'LINES#*'], 'UpdateItem')],
    'recorder.tokens': [activity.items('FEED#*', 'BatchWriteItem', 'UpdateItem')],
    'history.message': [activity.items(['MESSAGE#*', 'HANDLED#*'], 'Query')],
    'history.feed': [activity.items('FEED#*', 'Query')],
    'history.inFlight': [activity.index('in_flight')],
    'history.titles': [activity.items('TITLES#*', 'Query')],
    counts: [
      activity.items(['COUNTS#*', 'ROLLS#*'], 'Query'),
      activity.items('ROLLS#*', 'PutItem'),
    ],
    refusedTexts: [
      activity.items(['TEXT#*', 'KEEPS#*'], 'GetItem'),
      activity.items('KEEPS#*', 'PutItem', 'DeleteItem'),
    ],
    changes: [activity.items('CHANGES#*', 'PutItem', 'Query')],
  }) satisfies Partial<PortGrants>;

/**
 * The AWS grants of each access in the route table: a function gets those of its row, and nothing
 * else.
 */
export const portGrants = (stack: Stack, state: State): PortGrants => ({
  ...otherGrants(stack, state),
  ...registryGrants(state),
  ...portalGrants(state),
  ...alertGrants(state),
  ...checkGrants(state),
  ...ledgerGrants(state),
  ...activityGrants(state),
});
