import { APIGatewayClient } from '@aws-sdk/client-api-gateway';
import { clientConfig } from '../aws/clients.ts';
import { environmentOf, envVars } from '../contract/environments.ts';
import type { UsagePlans } from '../registry/quotas.ts';
import { awsUsagePlans } from '../registry/usage-plans.apigateway.ts';
import { clock, type Env, ids, required } from './env.ts';

/** The local gateway reads quotas from the registry: there are no plans to keep. */
const noUsagePlans: UsagePlans = { assign: async () => undefined, remove: async () => undefined };

/** The usage plans of an environment. */
export const usagePlans = (env: Env): UsagePlans => {
  if (env[envVars.localService] === 'true') return noUsagePlans;
  const client = new APIGatewayClient(clientConfig(env, 'API_GATEWAY'));
  const environment = environmentOf(required(env, envVars.environment));
  return awsUsagePlans({ client, environment, clock: clock(env), ids: ids() });
};
