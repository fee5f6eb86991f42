import { ArnFormat, type Stack } from 'aws-cdk-lib';
import { envVars, queueName } from '../contract/environments.ts';
import type { PortAccess } from '../contract/functions.ts';
import { acceptFinding } from './accept-finding.ts';
import { alertGrants, both, counting, type PortGrants, portalGrants, type State } from './portal-grants.ts';
import type { Grantable } from './service-function.ts';

/** Needs nothing from AWS. */
const nothing: Grantable = { grantTo: () => undefined };

const arnOf = (stack: Stack, resource: string): string =>
  stack.formatArn({ service: 'sqs', resource, arnFormat: ArnFormat.NO_RESOURCE_NAME });

/** Sets the prefix of the queues' ARNs, which their policies need. */
const queueArns = (stack: Stack): Grantable => ({
  grantTo: target => target.tell({ [envVars.queueBaseArn]: arnOf(stack, '') }),
});

/** The consumers' queues of an environment. They are created and deleted with connections, so only their name pattern is known. */
const consumerQueues = (stack: Stack, action: `sqs:${string}`): Grantable => ({
  grantTo: target => {
    const resources = [arnOf(stack, queueName('c*'))];
    target.allow({ actions: [action], resources });
    acceptFinding(
      target.grantee,
      'IAM5[Resource::arn:<AWS::Partition>:sqs:<AWS::Region>:<AWS::AccountId>:sombus-c*.fifo]',
    );
    target.tell({
      [envVars.queueBaseUrl]: `https://sqs.${stack.region}.${stack.urlSuffix}/${stack.account}/`,
    });
  },
});

/** CloudWatch's metrics belong to no resource. */
const queueMetrics: Grantable = {
  grantTo: target => target.allow({ actions: ['cloudwatch:GetMetricData'], resources: ['*'] }),
};

/**
 * The keys of connections, and the plans that they are on. API Gateway gives keys and plans ids of its own, and knows no conditions on
 * their names (AWS: "Actions, resources, and condition keys for Amazon API Gateway Management").
 */
const usagePlans = (stack: Stack): Grantable => ({
  grantTo: target => {
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
    for (const resource of ['apikeys/*', 'usageplans/*', 'usageplans/*/keys', 'usageplans/*/keys/*'] as const)
      acceptFinding(
        target.grantee,
        `IAM5[Resource::arn:<AWS::Partition>:apigateway:<AWS::Region>::/${resource}]`,
      );
  },
});

/** What a role verification writes. */
const principalAttributes = ['pk', 'sk', 'status', 'verified_at', 'challenge_hash', 'challenge_valid_until'];

/** What the note of a secret's use writes or compares. */
const useAttributes = ['pk', 'sk', 'current_hash', 'current_used_at', 'previous_hash', 'previous_used_at'];

/** What the count of a client's token requests writes or compares. */
const countAttributes = ['pk', 'sk', 'requested_at', 'last_at', 'expires_at', 'version'];

type RegistryAccess = Extract<
  PortAccess,
  | `${'registry' | 'skills' | 'credentials' | 'tokenRequests' | 'signer'}.${string}`
  | 'principals.verify'
  | 'marks'
>;

/** Who exists and what they may do. The first part of an item's key says what it is (`lib/registry/items.dynamodb.ts`). */
const registryGrants = ({ registry, signingKey }: State): Pick<PortGrants, RegistryAccess> => {
  const connections = ['CONNECTION#*'];
  const scopes = ['WORKSPACE#*', 'OPERATOR'];
  const get = (...keys: readonly string[]) => registry.items({ actions: ['dynamodb:GetItem'], keys });
  const query = (...keys: readonly string[]) => registry.items({ actions: ['dynamodb:Query'], keys });
  const update = (keys: readonly string[], attributes: readonly string[]) =>
    registry.items({ actions: ['dynamodb:UpdateItem'], keys, attributes });
  return {
    'registry.connection': get(...connections),
    'registry.consumers': registry.index('children'),
    'registry.roles': query(...scopes),
    'registry.providers': get(...scopes),
    marks: update(connections, ['pk', 'sk', 'status', 'under_test', 'tested_in', 'tested_until']),
    'skills.read': query('SKILLS#*'),
    'skills.change': both(
      registry.items({
        actions: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'],
        keys: ['SKILLS#*'],
      }),
      counting(registry, 'instances#'),
    ),
    'principals.verify': both(query('WORKSPACE#*'), update(['WORKSPACE#*'], principalAttributes)),
    'credentials.check': both(query(...connections), update(connections, useAttributes)),
    'tokenRequests.count': update(['TOKENS#*'], countAttributes),
    // The ring in the registry says which keys there are, and which one signs.
    'signer.keys': both(signingKey.verifying, get('KEYS')),
    'signer.sign': signingKey.signing,
  };
};

type CheckAccess = Extract<PortAccess, `${'testRuns' | 'checkRuns'}.${string}`>;

type Actions = readonly `dynamodb:${string}`[];

/** Test runs (`lib/checks/runs.dynamodb.ts`, `lib/checks/test-runs.dynamodb.ts`). */
const checkGrants = ({ ledger }: State): Pick<PortGrants, CheckAccess> => {
  const runs = (...actions: Actions) => ledger.items({ actions, keys: ['CHECK#*'] });
  const lists = (...actions: Actions) => ledger.items({ actions, keys: ['CHECKS#*'] });
  return {
    'testRuns.ask': runs('dynamodb:GetItem'),
    'testRuns.faults': runs('dynamodb:GetItem', 'dynamodb:UpdateItem'),
    'testRuns.note': runs('dynamodb:PutItem', 'dynamodb:UpdateItem'),
    'checkRuns.start': both(
      counting(ledger, 'runs#'),
      both(runs('dynamodb:PutItem', 'dynamodb:GetItem'), lists('dynamodb:PutItem')),
    ),
    'checkRuns.list': both(lists('dynamodb:Query'), runs('dynamodb:GetItem')),
    'checkRuns.read': runs('dynamodb:GetItem', 'dynamodb:Query'),
    'checkRuns.stop': runs('dynamodb:GetItem', 'dynamodb:UpdateItem'),
    'checkRuns.drive': both(
      both(ledger.index('pending'), counting(ledger, 'runs#')),
      runs('dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'),
      runs('dynamodb:DeleteItem', 'dynamodb:Query'),
    ),
  };
};

type LedgerAccess = Extract<
  PortAccess,
  | `${'ledger' | 'log' | 'receipts' | 'polls' | 'backlog' | 'archive' | 'replays' | 'acceptances' | 'archiveTail'}.${string}`
  | 'replayList'
>;

/** What was accepted, and what became of it (`lib/delivery/ledger-items.dynamodb.ts`). */
const ledgerGrants = ({ ledger }: State): Pick<PortGrants, LedgerAccess> => {
  const may = (keys: readonly string[], ...actions: Actions) => ledger.items({ actions, keys });
  const logs = ['LOG#*'];
  const receipts = ['RECEIPTS#*'];
  const messages = ['ID#*', 'STORY#*', ...logs];
  const archive = both(ledger.index('archive'), may(logs, 'dynamodb:BatchGetItem'));
  return {
    'ledger.read': may(messages, 'dynamodb:BatchGetItem'),
    'ledger.commit': both(may(messages, 'dynamodb:PutItem'), may(logs, 'dynamodb:UpdateItem')),
    'log.read': may(logs, 'dynamodb:GetItem', 'dynamodb:Query'),
    'log.update': may(logs, 'dynamodb:UpdateItem'),
    'receipts.save': may(receipts, 'dynamodb:BatchWriteItem'),
    'receipts.find': may(receipts, 'dynamodb:BatchGetItem'),
    'receipts.settle': may(receipts, 'dynamodb:UpdateItem'),
    'polls.wait': may(['POLLS#*'], 'dynamodb:UpdateItem'),
    'acceptances.find': both(
      may(['ID#*', 'STORY#*'], 'dynamodb:GetItem'),
      may(logs, 'dynamodb:BatchGetItem'),
    ),
    'backlog.read': both(ledger.index('pending'), may(logs, 'dynamodb:BatchGetItem')),
    'archive.read': archive,
    'archiveTail.read': archive,
    'replays.manage': may(
      ['REPLAY#*', 'REPLAYS#*'],
      'dynamodb:PutItem',
      'dynamodb:GetItem',
      'dynamodb:UpdateItem',
    ),
    replayList: may(['REPLAYS#*'], 'dynamodb:Query'),
    'replays.run': both(
      both(ledger.index('pending'), counting(ledger, 'replays#')),
      may(['REPLAY#*'], 'dynamodb:GetItem', 'dynamodb:UpdateItem'),
    ),
  };
};

type ActivityAccess = Extract<
  PortAccess,
  `${'recorder' | 'history'}.${string}` | 'counts' | 'changes' | 'refusedTexts'
>;

/** What happened to messages, and who changed what (`lib/activity/records.dynamodb.ts`). */
const activityGrants = ({ activity }: State): Pick<PortGrants, ActivityAccess> => {
  const may = (keys: readonly string[], action: `dynamodb:${string}`) =>
    activity.items({ actions: [action], keys });
  const changes = ['CHANGES#*'];
  const record = (of: string) => may(['FEED#*', of], 'dynamodb:BatchWriteItem');
  return {
    'recorder.receives': both(record('HANDLED#*'), may(['COUNTS#*'], 'dynamodb:UpdateItem')),
    'recorder.attempts': both(
      record('MESSAGE#*'),
      both(may(['TEXT#*'], 'dynamodb:BatchWriteItem'), may(['KEEPS#*'], 'dynamodb:GetItem')),
      both(may(['FEED#*', 'COUNTS#*'], 'dynamodb:UpdateItem'), may(['TITLES#*'], 'dynamodb:PutItem')),
    ),
    'recorder.limited': may(['FEED#*', 'COUNTS#*', 'LINES#*'], 'dynamodb:UpdateItem'),
    'recorder.tokens': both(
      may(['FEED#*'], 'dynamodb:BatchWriteItem'),
      may(['FEED#*'], 'dynamodb:UpdateItem'),
    ),
    'history.message': may(['MESSAGE#*', 'HANDLED#*'], 'dynamodb:Query'),
    'history.feed': may(['FEED#*'], 'dynamodb:Query'),
    'history.inFlight': activity.index('in_flight'),
    'history.titles': may(['TITLES#*'], 'dynamodb:Query'),
    counts: both(may(['COUNTS#*', 'ROLLS#*'], 'dynamodb:Query'), may(['ROLLS#*'], 'dynamodb:PutItem')),
    refusedTexts: both(
      may(['TEXT#*', 'KEEPS#*'], 'dynamodb:GetItem'),
      both(may(['KEEPS#*'], 'dynamodb:PutItem'), may(['KEEPS#*'], 'dynamodb:DeleteItem')),
    ),
    changes: both(may(changes, 'dynamodb:PutItem'), may(changes, 'dynamodb:Query')),
  };
};

/** The AWS grants of each access in the route table: a function gets those of its row, and nothing else. */
export const portGrants = (stack: Stack, state: State): PortGrants => ({
  clock: nothing,
  ids: nothing,
  busVersion: nothing,
  // Metrics are lines in the function's own log.
  metrics: nothing,
  ageReport: nothing,
  archiveDays: nothing,
  // Hosts on the internet.
  provider: nothing,
  webhooks: nothing,
  ...registryGrants(state),
  ...ledgerGrants(state),
  ...checkGrants(state),
  ...activityGrants(state),
  ...portalGrants(state),
  ...alertGrants(stack, state),
  'depths.read': consumerQueues(stack, 'sqs:GetQueueAttributes'),
  'consumers.list': state.registry.index('children'),
  guardedQueues: both(consumerQueues(stack, 'sqs:GetQueueAttributes'), queueArns(stack)),
  'queueAges.measure': queueMetrics,
  queueAdmin: both(
    consumerQueues(stack, 'sqs:CreateQueue'),
    consumerQueues(stack, 'sqs:DeleteQueue'),
    consumerQueues(stack, 'sqs:SetQueueAttributes'),
    queueArns(stack),
  ),
  usagePlans: usagePlans(stack),
  'queueReaders.set': both(consumerQueues(stack, 'sqs:SetQueueAttributes'), queueArns(stack)),
  'queues.send': consumerQueues(stack, 'sqs:SendMessage'),
  'inbox.receive': consumerQueues(stack, 'sqs:ReceiveMessage'),
  'inbox.delete': consumerQueues(stack, 'sqs:DeleteMessage'),
  'inbox.release': consumerQueues(stack, 'sqs:ChangeMessageVisibility'),
});
