import { APIGatewayClient } from '@aws-sdk/client-api-gateway';
import { type Env, oncePerEnv, required } from '../../lambdas/env.ts';
import { clock } from '../../lambdas/ports/clock.ts';
import { ids } from '../../lambdas/ports/ids.ts';
import { guardedQueueHome } from '../../lambdas/ports/queue-readers.ts';
import { keyHome } from '../../lambdas/ports/signer.ts';
import { clientConfig } from '../adapters/aws/client-config.ts';
import { awsConnections } from '../adapters/aws/connections.ts';
import { awsDirectory } from '../adapters/aws/directory.ts';
import { awsIdentityProviders } from '../adapters/aws/identity-providers.ts';
import { awsKeyRings } from '../adapters/aws/key-rings.ts';
import { awsPrincipals } from '../adapters/aws/principals.ts';
import { awsQueueAdmin } from '../adapters/aws/queue-admin.ts';
import { awsSkillRegistrations } from '../adapters/aws/skill-registrations.ts';
import { awsUsagePlans } from '../adapters/aws/usage-plans.ts';
import type { RegistryPorts } from '../app/registry/registry-ports.ts';
import { type EnvVar, envVars } from '../contract/env-vars.ts';
import { environmentOf } from '../contract/environments.ts';
import { issuerOf } from '../domain/token/access-token.ts';
import type { UsagePlans } from '../ports/operator/usage-plans.ts';
import { operatorTable } from './operator-table.ts';

/** The variables that the operator's commands read: the functions' own. */
export type OperatorEnv = Readonly<Record<Exclude<EnvVar, typeof envVars.localService>, string>> &
  Readonly<Record<string, string | undefined>>;

/** The local gateway reads quotas from the registry: there are no plans to keep. */
const noUsagePlans: UsagePlans = { assign: async () => undefined, remove: async () => undefined };

const usagePlans = (env: Env): UsagePlans => {
  if (env[envVars.localService] === 'true') return noUsagePlans;
  const client = new APIGatewayClient(clientConfig(env, 'API_GATEWAY'));
  return awsUsagePlans({ client, environment: environmentOf(required(env, envVars.environment)) });
};

/** The operator's ports, on AWS and on the local engines alike: the production adapters. Made once per environment. */
export const registryPorts: (env: OperatorEnv) => RegistryPorts = oncePerEnv(env => {
  const table = operatorTable(env, envVars.registryTable);
  return {
    clock: clock(),
    ids: ids(),
    directory: awsDirectory(table),
    connections: awsConnections(table),
    skills: awsSkillRegistrations(table),
    queueAdmin: awsQueueAdmin(guardedQueueHome(env)),
    usagePlans: usagePlans(env),
    busIssuer: issuerOf(required(env, envVars.origin)),
    principals: awsPrincipals(table),
    identityProviders: awsIdentityProviders(table),
    keyRings: awsKeyRings({ ...keyHome(env), table }, required(env, envVars.environment)),
  };
});
