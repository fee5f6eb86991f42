import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { clock } from '../../lambdas/ports/clock.ts';
import { ids } from '../../lambdas/ports/ids.ts';
import { keyHome } from '../../lambdas/ports/signer.ts';
import { clientConfig } from '../adapters/aws/client-config.ts';
import { awsConnections } from '../adapters/aws/connections.ts';
import { awsDirectory } from '../adapters/aws/directory.ts';
import { awsIdentityProviders } from '../adapters/aws/identity-providers.ts';
import { awsKeyRings } from '../adapters/aws/key-rings.ts';
import { awsPrincipals } from '../adapters/aws/principals.ts';
import { awsQueueAdmin } from '../adapters/aws/queue-admin.ts';
import { awsSkillRegistrations } from '../adapters/aws/skill-registrations.ts';
import type { RegistryPorts } from '../app/registry/registry-ports.ts';
import { envVars } from '../contract/env-vars.ts';
import { issuerOf } from '../domain/token/access-token.ts';
import type { LocalEnv } from './local-env.ts';

/** The operator's ports on the local engines: the production adapters. */
export const registryPorts = (env: LocalEnv): RegistryPorts => {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(clientConfig(env, 'DYNAMODB')));
  const table = { client, name: env[envVars.registryTable] };
  const queues = { client: new SQSClient(clientConfig(env, 'SQS')), baseUrl: env[envVars.queueBaseUrl] };
  return {
    clock: clock(),
    ids: ids(),
    directory: awsDirectory(table),
    connections: awsConnections(table),
    skills: awsSkillRegistrations(table),
    queueAdmin: awsQueueAdmin(queues),
    busIssuer: issuerOf(env[envVars.origin]),
    principals: awsPrincipals(table),
    identityProviders: awsIdentityProviders(table),
    keyRings: awsKeyRings(keyHome(env), env[envVars.environment]),
  };
};
