import { SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig, clientOf } from '../aws/clients.ts';
import { environmentOf, envVars, resourceNames } from '../contract/environments.ts';
import { awsPrincipals } from '../registry/identities.dynamodb.ts';
import type { Principals } from '../registry/principals.ts';
import { awsGuardedQueues, awsQueueReaders, type GuardedQueueHome } from '../registry/queue-access.sqs.ts';
import { type GuardedQueues, type QueueReaders, rolesUnder } from '../registry/queue-access.ts';
import { verifyPrincipalEdge } from '../registry/verify-principal.http.ts';
import { clock, type Env, registry, registryTable, required } from './env.ts';
import type { RouteFunction } from './function.ts';

export const principals = (env: Env): Principals => awsPrincipals(registryTable(env));

/** The location of an environment's queues, and the pattern of the bus's own roles. */
export const guardedQueueHome = (env: Env): GuardedQueueHome => {
  const baseArn = required(env, envVars.queueBaseArn);
  const { rolePath } = resourceNames(environmentOf(required(env, envVars.environment)));
  return {
    client: clientOf(env, 'SQS', new SQSClient(clientConfig(env, 'SQS'))),
    baseUrl: required(env, envVars.queueBaseUrl),
    baseArn,
    busRoles: rolesUnder(rolePath, baseArn),
  };
};

export const guardedQueues = (env: Env): GuardedQueues => awsGuardedQueues(guardedQueueHome(env));

const queueReaders = (env: Env): QueueReaders => awsQueueReaders(guardedQueueHome(env));

export const verifyPrincipalFunction: RouteFunction<'verify-principal'> = {
  route: 'verify-principal',
  edge: verifyPrincipalEdge,
  ports: { clock, registry, principals, queueReaders },
};
