import { APIGatewayClient } from '@aws-sdk/client-api-gateway';
import { clientConfig } from '../aws/clients.ts';
import { environmentOf, envVars } from '../contract/environments.ts';
import type { UsagePlans } from '../registry/ports.ts';
import { awsUsagePlans } from '../registry/usage-plans.apigateway.ts';
import { clock, type Env, ids, required } from './env.ts';

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
  const environment = environmentOf(required(env, envVars.environment));
  return awsUsagePlans({ client, environment, clock: clock(env), ids: ids() });
};
