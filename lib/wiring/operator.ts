import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { version } from '../../package.json';
import { awsChanges } from '../access/people/changes.dynamodb.ts';
import { awsDirectory } from '../access/people/directory.dynamodb.ts';
import { awsErasure } from '../access/people/erasure.dynamodb.ts';
import { awsInvitations } from '../access/people/invitations.dynamodb.ts';
import { awsMembers } from '../access/people/members.dynamodb.ts';
import { awsConnections } from '../access/registry/connections.dynamodb.ts';
import { awsSealRings } from '../access/seals/seal-ring.dynamodb.ts';
import { awsCaller } from '../access/trust/caller.sts.ts';
import { awsIdentityProviders, awsPrincipals } from '../access/trust/identities.dynamodb.ts';
import { awsGuardedQueues, awsQueueAdmin } from '../access/trust/queue-access.sqs.ts';
import { accountRootOf, rolesUnder } from '../access/trust/queue-access.ts';
import { awsHistory } from '../bus/activity/history.dynamodb.ts';
import { awsQueueAges } from '../bus/consuming/queue-ages.cloudwatch.ts';
import { awsAcceptances, awsStories } from '../bus/delivery/ledger.dynamodb.ts';
import { awsBacklog, awsLog } from '../bus/delivery/log.dynamodb.ts';
import { awsQueueDepths } from '../bus/delivery/queues.sqs.ts';
import { awsArchive } from '../bus/replay/archive.dynamodb.ts';
import { awsReplayList, awsReplays } from '../bus/replay/replays.dynamodb.ts';
import { issuerOf } from '../bus/tokens/access-token.ts';
import { awsKeyRings, isKeyUnder } from '../bus/tokens/signer.kms.ts';
import { awsCheckRuns } from '../checks/runs.dynamodb.ts';
import { awsTestMarks } from '../checks/test-runs.dynamodb.ts';
import { type EnvVar, envVars, resourceNames } from '../contract/environments.ts';
import { awsRaisedBounds } from '../platform/aws/bounded.ts';
import { clientConfig, clientOf } from '../platform/aws/clients.ts';
import { awsSkillRegistrations } from '../skills/registrations.dynamodb.ts';
import { clock, environment, ids, once, requiredVariable } from './env.ts';
import { archiveDays } from './publishing.ts';
import { guardedQueueHome, usageKeys, usagePlans } from './registry.ts';
import { keyHome } from './tokens.ts';

/** The variables that the operator's commands read: the functions' own. */
export type OperatorEnv = Readonly<
  Record<Exclude<EnvVar, typeof envVars.localService | typeof envVars.portalPath>, string>
> &
  Readonly<Record<string, string | undefined>>;

/**
 * An operator's network may be slow: calls have the SDK's default timeouts, which are longer than
 * those of a function.
 */
const tablesOf = (env: OperatorEnv) => {
  const client = clientOf(env, 'DYNAMODB', new DynamoDBClient(clientConfig(env, 'DYNAMODB')));
  const table = (name: EnvVar) => ({ client, name: requiredVariable(env, name) });
  return {
    registry: table(envVars.registryTable),
    ledger: table(envVars.ledgerTable),
    activity: table(envVars.activityTable),
  };
};

const metricsOf = (env: OperatorEnv): CloudWatchClient =>
  clientOf(env, 'CLOUDWATCH', new CloudWatchClient(clientConfig(env, 'CLOUDWATCH')));

/** What a rotation makes keys with: the policy of the deployment's own key. */
const newKeys = (env: OperatorEnv) => {
  const baseArn = requiredVariable(env, envVars.queueBaseArn);
  const signers = rolesUnder(resourceNames(environment(env)).signerPath, baseArn);
  return { environment: environment(env), accountRoot: accountRootOf(baseArn), signers };
};

/** Who runs the operator's commands, as AWS knows them; the local service has one operator only. */
const operatorOf = (env: OperatorEnv) =>
  env[envVars.localService] === 'true' ? async () => undefined : awsCaller(env);

/**
 * The operator's ports, on AWS and on the local engines alike: the production adapters. Made once
 * per environment.
 */
export const operatorPorts = /* @__PURE__ */ once((env: OperatorEnv) => {
  const { registry, ledger, activity } = tablesOf(env);
  const queueHome = guardedQueueHome(env);
  return {
    clock: clock(env),
    ids: ids(),
    busVersion: version,
    busIssuer: issuerOf(requiredVariable(env, envVars.origin)),
    archiveDays: archiveDays(env),
    directory: awsDirectory(registry),
    members: awsMembers(registry),
    invitations: awsInvitations(registry),
    connections: awsConnections(registry),
    principals: awsPrincipals(registry),
    identityProviders: awsIdentityProviders(registry),
    skills: awsSkillRegistrations(registry),
    marks: awsTestMarks(registry),
    bounds: awsRaisedBounds({ registry, ledger }),
    usagePlans: usagePlans(env),
    usageKeys: usageKeys(env),
    changes: awsChanges(activity, ids()),
    erasure: awsErasure({ registry, activity }),
    caller: operatorOf(env),
    history: awsHistory(activity),
    queueAdmin: awsQueueAdmin(queueHome),
    guardedQueues: awsGuardedQueues(queueHome),
    depths: awsQueueDepths(queueHome),
    queueAges: awsQueueAges(metricsOf(env), clock(env)),
    keyRings: awsKeyRings({ ...keyHome(env), table: registry }, newKeys(env)),
    isKeyHere: isKeyUnder(requiredVariable(env, envVars.queueBaseArn)),
    sealRings: awsSealRings(registry, ids()),
    log: awsLog(ledger),
    stories: awsStories(ledger),
    acceptances: awsAcceptances(ledger),
    backlog: awsBacklog(ledger),
    archive: awsArchive(ledger),
    replays: awsReplays(ledger),
    replayList: awsReplayList(ledger),
    checkRuns: awsCheckRuns(ledger),
  };
});

export type OperatorPorts = ReturnType<typeof operatorPorts>;
