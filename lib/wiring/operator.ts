import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { version } from '../../package.json';
import { awsHistory } from '../activity/history.dynamodb.ts';
import { awsRaisedBounds } from '../aws/bounded.ts';
import { clientConfig, clientOf } from '../aws/clients.ts';
import type { Table } from '../aws/table.ts';
import type { CheckRuns } from '../checks/run.ts';
import { awsCheckRuns } from '../checks/runs.dynamodb.ts';
import type { StartPorts } from '../checks/start.ts';
import { awsTestMarks } from '../checks/test-runs.dynamodb.ts';
import {
  type EnvVar,
  environmentOf,
  environments,
  envVars,
  resourceNames,
} from '../contract/environments.ts';
import { awsBacklog, awsLog } from '../delivery/log.dynamodb.ts';
import { awsQueueDepths } from '../delivery/queues.sqs.ts';
import { awsChanges } from '../registry/changes.dynamodb.ts';
import { awsConnections, awsCredentials } from '../registry/connections.dynamodb.ts';
import { awsDirectory } from '../registry/directory.dynamodb.ts';
import { awsIdentityProviders, awsPrincipals } from '../registry/identities.dynamodb.ts';
import { awsInvitations } from '../registry/invitations.dynamodb.ts';
import { awsMembers } from '../registry/members.dynamodb.ts';
import type { RegistryPorts } from '../registry/ports.ts';
import { awsQueueAdmin } from '../registry/queue-access.sqs.ts';
import { accountRootOf, type GuardedQueues, rolesUnder } from '../registry/queue-access.ts';
import { awsArchiveTail } from '../replay/archive.dynamodb.ts';
import type { QueueViewPorts } from '../replay/queue-view.ts';
import type { ReplayCommandPorts, ReplayList, Replays } from '../replay/replay.ts';
import { awsReplayList, awsReplays } from '../replay/replays.dynamodb.ts';
import { awsSkillRegistrations } from '../skills/registrations.dynamodb.ts';
import type { SkillPorts } from '../skills/registrations.ts';
import { issuerOf } from '../tokens/access-token.ts';
import type { KeyPorts } from '../tokens/key-ring.ts';
import { awsKeyRings, type NewKeys } from '../tokens/signer.kms.ts';
import { clock, type Env, ids, oncePerEnv, required } from './env.ts';
import { guardedQueueHome, guardedQueues } from './principals.ts';
import { usagePlans } from './registry.ts';
import { keyHome } from './tokens.ts';

/** An operator's network may be slow: calls have the SDK's default timeouts, which are longer than those of a function. */
const newClient = (env: Env): DynamoDBClient =>
  clientOf(env, 'DYNAMODB', new DynamoDBClient(clientConfig(env, 'DYNAMODB')));

const operatorTable = (env: Env, name: EnvVar): Table => ({
  client: oncePerEnv(env, newClient),
  name: required(env, name),
});

/** The variables that the operator's commands read: the functions' own. */
export type OperatorEnv = Readonly<
  Record<Exclude<EnvVar, typeof envVars.localService | typeof envVars.portalPath>, string>
> &
  Readonly<Record<string, string | undefined>>;

export interface OperatorPorts extends RegistryPorts, SkillPorts, KeyPorts {
  readonly connections: RegistryPorts['connections'];
  readonly guardedQueues: GuardedQueues;
  readonly busIssuer: string;
}

/** What a rotation makes keys with: the policy of the deployment's own key. */
const newKeys = (env: Env): NewKeys => {
  const environment = environmentOf(required(env, envVars.environment));
  const baseArn = required(env, envVars.queueBaseArn);
  return {
    environment,
    accountRoot: accountRootOf(baseArn),
    signers: rolesUnder(resourceNames(environment).signerPath, baseArn),
  };
};

/** The operator's ports, on AWS and on the local engines alike: the production adapters. Made once per environment. */
export const registryPorts = (env: OperatorEnv): OperatorPorts => oncePerEnv(env, newRegistryPorts);

const newRegistryPorts = (env: OperatorEnv): OperatorPorts => {
  const table = operatorTable(env, envVars.registryTable);
  return {
    clock: clock(env),
    ids: ids(),
    directory: awsDirectory(table),
    members: awsMembers(table),
    invitations: awsInvitations(table),
    changes: awsChanges(operatorTable(env, envVars.activityTable), ids()),
    connections: awsConnections(table),
    bounds: awsRaisedBounds({ registry: table, ledger: operatorTable(env, envVars.ledgerTable) }),
    skills: awsSkillRegistrations(table),
    queueAdmin: awsQueueAdmin(guardedQueueHome(env)),
    guardedQueues: guardedQueues(env),
    usagePlans: usagePlans(env),
    busIssuer: issuerOf(required(env, envVars.origin)),
    principals: awsPrincipals(table),
    identityProviders: awsIdentityProviders(table),
    keyRings: awsKeyRings({ ...keyHome(env), table }, newKeys(env)),
  };
};

export interface DeliveryPorts extends ReplayCommandPorts, QueueViewPorts {
  readonly connections: ReplayCommandPorts['connections'];
  readonly log: QueueViewPorts['log'];
  readonly replays: Replays;
  readonly replayList: ReplayList;
}

/** The same on AWS and on the local engines: the production adapters. */
export const replayPorts = (env: OperatorEnv): DeliveryPorts => oncePerEnv(env, newReplayPorts);

const newReplayPorts = (env: OperatorEnv): DeliveryPorts => {
  const ledger = operatorTable(env, envVars.ledgerTable);
  return {
    clock: clock(env),
    ids: ids(),
    connections: awsCredentials(operatorTable(env, envVars.registryTable)),
    log: awsLog(ledger),
    backlog: awsBacklog(ledger),
    archiveTail: awsArchiveTail(ledger),
    history: awsHistory(operatorTable(env, envVars.activityTable)),
    depths: awsQueueDepths(guardedQueueHome(env)),
    replays: awsReplays(ledger),
    replayList: awsReplayList(ledger),
    archiveDays: environments[environmentOf(required(env, envVars.environment))].archiveDays,
  };
};

export interface CheckPorts extends StartPorts {
  readonly checkRuns: Pick<CheckRuns, 'add' | 'find' | 'listOf' | 'stop' | 'seen'>;
}

/** The same on AWS and on the local engines: the production adapters. */
export const checkPorts = (env: OperatorEnv): CheckPorts => oncePerEnv(env, newCheckPorts);

const newCheckPorts = (env: OperatorEnv): CheckPorts => {
  const registry = operatorTable(env, envVars.registryTable);
  return {
    clock: clock(env),
    ids: ids(),
    connections: awsCredentials(registry),
    skills: awsSkillRegistrations(registry),
    marks: awsTestMarks(registry),
    depths: awsQueueDepths(guardedQueueHome(env)),
    checkRuns: awsCheckRuns(operatorTable(env, envVars.ledgerTable)),
    busVersion: version,
  };
};
