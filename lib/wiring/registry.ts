import { APIGatewayClient } from '@aws-sdk/client-api-gateway';
import { SQSClient } from '@aws-sdk/client-sqs';
import { awsDirectory } from '../access/people/directory.dynamodb.ts';
import { awsInvitations } from '../access/people/invitations.dynamodb.ts';
import { awsMembers } from '../access/people/members.dynamodb.ts';
import { awsConnections } from '../access/registry/connections.dynamodb.ts';
import type { UsageKeys, UsagePlans } from '../access/registry/ports.ts';
import { awsPrincipals } from '../access/trust/identities.dynamodb.ts';
import {
  awsGuardedQueues,
  awsQueueAdmin,
  awsQueueReaders,
  type GuardedQueueHome,
} from '../access/trust/queue-access.sqs.ts';
import { rolesUnder } from '../access/trust/queue-access.ts';
import { awsUsageKeys, awsUsagePlans } from '../access/trust/usage-plans.apigateway.ts';
import { verifyPrincipalEdge } from '../access/trust/verify-principal.http.ts';
import { envVars, resourceNames } from '../contract/environments.ts';
import { clientConfig, clientOf } from '../platform/aws/clients.ts';
import { awsSkillRegistrations } from '../skills/registrations.dynamodb.ts';
import {
  clock,
  type Env,
  environment,
  ids,
  registry,
  registryTable,
  requiredVariable,
} from './env.ts';
import type { RouteFunction } from './function.ts';

export const connections = (env: Env) => awsConnections(registryTable(env));
export const directory = (env: Env) => awsDirectory(registryTable(env));
export const invitations = (env: Env) => awsInvitations(registryTable(env));
export const members = (env: Env) => awsMembers(registryTable(env));
export const principals = (env: Env) => awsPrincipals(registryTable(env));
export const skills = (env: Env) => awsSkillRegistrations(registryTable(env));

/** The location of an environment's queues, and the pattern of the bus's own roles. */
export const guardedQueueHome = (env: Env): GuardedQueueHome => {
  const baseArn = requiredVariable(env, envVars.queueBaseArn);
  return {
    client: clientOf(env, 'SQS', new SQSClient(clientConfig(env, 'SQS'))),
    baseUrl: requiredVariable(env, envVars.queueBaseUrl),
    baseArn,
    busRoles: rolesUnder(resourceNames(environment(env)).rolePath, baseArn),
  };
};

export const guardedQueues = (env: Env) => awsGuardedQueues(guardedQueueHome(env));
export const queueAdmin = (env: Env) => awsQueueAdmin(guardedQueueHome(env));
const queueReaders = (env: Env) => awsQueueReaders(guardedQueueHome(env));

type Count = (connection: string) => number | undefined;

const counters = new WeakMap<Env, Count>();

export const countUsageBy = (env: Env, count: Count): void => void counters.set(env, count);

/** The local gateway reads quotas from the registry: there are no plans to keep. */
const localUsagePlans = (env: Env): UsagePlans => ({
  assign: async () => undefined,
  usedToday: async connection => counters.get(env)?.(connection),
  remove: async () => undefined,
});

export const usagePlans = (env: Env): UsagePlans => {
  if (env[envVars.localService] === 'true') return localUsagePlans(env);
  const client = new APIGatewayClient(clientConfig(env, 'API_GATEWAY'));
  return awsUsagePlans({ client, environment: environment(env), clock: clock(env), ids: ids() });
};

/** Only of a deployed environment: the local gateway knows no keys. */
export const usageKeys = (env: Env): UsageKeys =>
  awsUsageKeys({
    client: new APIGatewayClient(clientConfig(env, 'API_GATEWAY')),
    environment: environment(env),
  });

export const verifyPrincipalFunction: RouteFunction<'verify-principal'> = {
  route: 'verify-principal',
  edge: verifyPrincipalEdge,
  ports: { clock, registry, principals, queueReaders },
};
