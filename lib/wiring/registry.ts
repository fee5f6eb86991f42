import { SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig } from '../aws/clients.ts';
import { environmentOf, envVars, resourceNames } from '../contract/environments.ts';
import { awsPrincipals } from '../registry/principals.dynamodb.ts';
import type { Principals } from '../registry/principals.ts';
import { awsQueueReaders, type GuardedQueueHome } from '../registry/queue-access.sqs.ts';
import { type QueueReaders, rolesUnder } from '../registry/queue-access.ts';
import { awsRegistry } from '../registry/registry.dynamodb.ts';
import type { Registry } from '../registry/registry.ts';
import { verifyPrincipalEdge } from '../registry/verify-principal.http.ts';
import { awsSkillRegistrations } from '../skills/registrations.dynamodb.ts';
import type { SkillRegistrations } from '../skills/registrations.ts';
import { registrationsEdge } from '../skills/skills.http.ts';
import { clock, type Env, registryTable, required } from './env.ts';
import type { RouteFunction } from './function.ts';

export const registry = (env: Env): Registry => awsRegistry(registryTable(env), clock());

const principals = (env: Env): Principals => awsPrincipals(registryTable(env));

const skills = (env: Env): SkillRegistrations => awsSkillRegistrations(registryTable(env));

/** Where the queues of an environment are, and which roles are the bus's own. */
export const guardedQueueHome = (env: Env): GuardedQueueHome => {
  const baseArn = required(env, envVars.queueBaseArn);
  const { rolePath } = resourceNames(environmentOf(required(env, envVars.environment)));
  return {
    client: new SQSClient(clientConfig(env, 'SQS')),
    baseUrl: required(env, envVars.queueBaseUrl),
    baseArn,
    busRoles: rolesUnder(rolePath, baseArn),
  };
};

const queueReaders = (env: Env): QueueReaders => awsQueueReaders(guardedQueueHome(env));

export const verifyPrincipalFunction: RouteFunction<'verify-principal'> = {
  route: 'verify-principal',
  edge: verifyPrincipalEdge,
  ports: { clock, registry, principals, queueReaders },
};

export const registrationsFunction: RouteFunction<'registrations'> = {
  route: 'registrations',
  edge: registrationsEdge,
  ports: { registry, skills },
};
