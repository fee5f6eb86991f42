import { ArnFormat, type Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { envVars, queueName } from '../contract/environments.ts';
import type { PortName } from '../contract/routes.ts';
import { acceptFinding } from './accept-finding.ts';
import type { Grantable } from './service-function.ts';
import type { StatefulStack } from './stateful-stack.ts';

/** Needs nothing from AWS. */
const nothing: Grantable = { grantTo: () => undefined };

const both = (...grants: readonly Grantable[]): Grantable => ({
  grantTo: target => {
    for (const grant of grants) grant.grantTo(target);
  },
});

const arnOf = (stack: Stack, resource: string): string =>
  stack.formatArn({ service: 'sqs', resource, arnFormat: ArnFormat.NO_RESOURCE_NAME });

/** Sets the prefix of the queues' ARNs, which their policies need. */
const queueArns = (stack: Stack): Grantable => ({
  grantTo: target => target.tell({ [envVars.queueBaseArn]: arnOf(stack, '') }),
});

/** The consumers' queues of an environment. They are created and deleted with connections, so only their name pattern is known. */
const consumerQueues = (stack: Stack, ...actions: readonly `sqs:${string}`[]): Grantable => ({
  grantTo: target => {
    const resources = [arnOf(stack, queueName('c*'))];
    target.addToRolePolicy(new PolicyStatement({ actions: [...actions], resources }));
    acceptFinding(
      target.role ?? target,
      'IAM5[Resource::arn:<AWS::Partition>:sqs:<AWS::Region>:<AWS::AccountId>:sombus-c*.fifo]',
    );
    target.tell({
      [envVars.queueBaseUrl]: `https://sqs.${stack.region}.${stack.urlSuffix}/${stack.account}/`,
    });
  },
});

export type PortGrants = Readonly<Record<PortName, Grantable>>;

/** The ports that only scheduled functions use. */
const jobGrants = (state: StatefulStack): Pick<PortGrants, 'backlog' | 'archive' | 'replays' | 'metrics'> => {
  const ledger = { variable: envVars.ledgerTable };
  return {
    backlog: state.ledger.use({
      ...ledger,
      actions: ['dynamodb:BatchGetItem', 'dynamodb:Query'],
      indexes: ['pending'],
    }),
    archive: state.ledger.use({
      ...ledger,
      actions: ['dynamodb:BatchGetItem', 'dynamodb:Query'],
      indexes: ['archive'],
    }),
    replays: state.ledger.use({
      ...ledger,
      actions: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
      indexes: ['pending'],
    }),
    // Metrics are lines in the function's own log.
    metrics: nothing,
  };
};

/** The ports that record what happens, and look it up. */
const activityGrants = (
  state: StatefulStack,
): Pick<PortGrants, 'recorder' | 'history' | 'acceptances' | 'archiveTail'> => {
  const activity = { variable: envVars.activityTable };
  const ledger = { variable: envVars.ledgerTable };
  return {
    recorder: state.activity.use({
      ...activity,
      actions: ['dynamodb:BatchWriteItem', 'dynamodb:UpdateItem'],
    }),
    history: state.activity.use({ ...activity, actions: ['dynamodb:Query'], indexes: ['in_flight'] }),
    acceptances: state.ledger.use({ ...ledger, actions: ['dynamodb:BatchGetItem', 'dynamodb:GetItem'] }),
    archiveTail: state.ledger.use({
      ...ledger,
      actions: ['dynamodb:BatchGetItem', 'dynamodb:Query'],
      indexes: ['archive'],
    }),
  };
};

/** The ports of the portal. */
const portalGrants = (
  state: StatefulStack,
): Pick<
  PortGrants,
  'sessions' | 'provider' | 'members' | 'directory' | 'invitations' | 'connections' | 'changes'
> => {
  const registry = { variable: envVars.registryTable };
  return {
    sessions: state.sessions.use({
      variable: envVars.sessionsTable,
      actions: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
    }),
    provider: nothing,
    members: state.registry.use({
      ...registry,
      actions: ['dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:Query'],
    }),
    directory: state.registry.use({
      ...registry,
      actions: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
      indexes: ['children'],
    }),
    invitations: state.registry.use({
      ...registry,
      actions: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem'],
    }),
    connections: state.registry.use({
      ...registry,
      actions: ['dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
      indexes: ['children'],
    }),
    changes: state.activity.use({
      variable: envVars.activityTable,
      actions: ['dynamodb:PutItem', 'dynamodb:Query'],
    }),
  };
};

/** The AWS grants of each port in the route table: a function gets those for the ports of its row, and nothing else. */
export const portGrants = (stack: Stack, state: StatefulStack): PortGrants => {
  const registry = { variable: envVars.registryTable };
  const ledger = { variable: envVars.ledgerTable };
  return {
    clock: nothing,
    ids: nothing,
    registry: state.registry.use({
      ...registry,
      actions: ['dynamodb:GetItem', 'dynamodb:Query'],
      indexes: ['children'],
    }),
    skills: state.registry.use({ ...registry, actions: ['dynamodb:Query'] }),
    credentials: state.registry.use({ ...registry, actions: ['dynamodb:Query', 'dynamodb:UpdateItem'] }),
    // The ring in the registry says which key signs.
    signer: both(
      state.signingKey.signing,
      state.registry.use({ ...registry, actions: ['dynamodb:GetItem'] }),
    ),
    principals: state.registry.use({ ...registry, actions: ['dynamodb:Query', 'dynamodb:UpdateItem'] }),
    queueReaders: both(consumerQueues(stack, 'sqs:SetQueueAttributes'), queueArns(stack)),
    ledger: state.ledger.use({
      ...ledger,
      actions: ['dynamodb:BatchGetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
    }),
    log: state.ledger.use({
      ...ledger,
      actions: ['dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
    }),
    receipts: state.ledger.use({
      ...ledger,
      actions: ['dynamodb:BatchGetItem', 'dynamodb:BatchWriteItem', 'dynamodb:UpdateItem'],
    }),
    ...activityGrants(state),
    ...portalGrants(state),
    ...jobGrants(state),
    depths: consumerQueues(stack, 'sqs:GetQueueAttributes'),
    queues: consumerQueues(stack, 'sqs:SendMessage'),
    inbox: consumerQueues(stack, 'sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility'),
  };
};
