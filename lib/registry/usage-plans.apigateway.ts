import {
  type APIGatewayClient,
  CreateApiKeyCommand,
  CreateUsagePlanCommand,
  CreateUsagePlanKeyCommand,
  DeleteApiKeyCommand,
  DeleteUsagePlanKeyCommand,
  GetApiKeysCommand,
  GetUsagePlansCommand,
  type UsagePlan,
} from '@aws-sdk/client-api-gateway';
import { isFault } from '../aws/table.ts';
import { type EnvironmentName, resourceNames, usageKeyOf } from '../contract/environments.ts';
import type { Quota, Tier } from '../contract/limits.ts';
import type { UsagePlans } from './quotas.ts';

/** The location of an environment's usage plans. */
export interface UsagePlanHome {
  readonly client: APIGatewayClient;
  readonly environment: EnvironmentName;
}

const pageSize = 500;

const planName = (environment: EnvironmentName, quota: Tier | Quota): string => {
  const names = resourceNames(environment);
  return typeof quota === 'string'
    ? names.usagePlan(quota)
    : names.customUsagePlan(quota.perSecond, quota.burst, quota.perDay);
};

/** Every plan of the account, or those that a key is on. */
const plansOf = async (client: APIGatewayClient, keyId?: string): Promise<readonly UsagePlan[]> => {
  const plans: UsagePlan[] = [];
  let position: string | undefined;
  do {
    const page = await client.send(
      new GetUsagePlansCommand({
        limit: pageSize,
        ...(keyId ? { keyId } : {}),
        ...(position ? { position } : {}),
      }),
    );
    plans.push(...(page.items ?? []));
    position = page.position;
  } while (position);
  return plans;
};

const idOf = ({ id, name }: { id?: string | undefined; name?: string | undefined }): string => {
  if (!id) throw new Error(`API Gateway gave no id for ${name}.`);
  return id;
};

/** The id of a connection's key; its name is also its value, which only the authoriser can present. */
const findKey = async (client: APIGatewayClient, name: string): Promise<string | undefined> => {
  const { items } = await client.send(new GetApiKeysCommand({ nameQuery: name, limit: pageSize }));
  const found = items?.find(item => item.name === name);
  return found && idOf(found);
};

const keyFor = async (client: APIGatewayClient, connection: string): Promise<string> => {
  const name = usageKeyOf(connection);
  const known = await findKey(client, name);
  if (known) return known;
  try {
    return idOf(await client.send(new CreateApiKeyCommand({ name, value: name, enabled: true })));
  } catch (fault) {
    const made = isFault(fault, 'ConflictException') ? await findKey(client, name) : undefined;
    if (!made) throw fault;
    return made;
  }
};

/** A plan of custom numbers, for the same stages as the tiers' plans; all connections with these numbers share it. */
const makePlan = async (
  { client, environment }: UsagePlanHome,
  plans: readonly UsagePlan[],
  quota: Quota,
): Promise<string> => {
  const standard = plans.find(({ name }) => name === resourceNames(environment).usagePlan('standard'));
  if (!standard?.apiStages) throw new Error(`The environment ${environment} is not deployed here.`);
  const stages = standard.apiStages.map(({ apiId, stage }) => ({ apiId, stage }));
  const created = await client.send(
    new CreateUsagePlanCommand({
      name: planName(environment, quota),
      apiStages: stages,
      throttle: { rateLimit: quota.perSecond, burstLimit: quota.burst },
      quota: { limit: quota.perDay, period: 'DAY' },
    }),
  );
  return idOf(created);
};

const planFor = async (home: UsagePlanHome, quota: Tier | Quota): Promise<string> => {
  const name = planName(home.environment, quota);
  const plans = await plansOf(home.client);
  const known = plans.find(plan => plan.name === name);
  if (known) return idOf(known);
  if (typeof quota === 'string')
    throw new Error(`There is no usage plan ${name}: deploy the environment first.`);
  return makePlan(home, plans, quota);
};

/** Connections' keys and plans in API Gateway. A change takes effect within seconds, with the same credentials. */
export const awsUsagePlans = (home: UsagePlanHome): UsagePlans => ({
  async assign(connection, quota) {
    const { client } = home;
    const usagePlanId = await planFor(home, quota);
    const keyId = await keyFor(client, connection);
    const current = await plansOf(client, keyId);
    if (current.some(({ id }) => id === usagePlanId)) return;
    // A key can be on only one plan of a stage, so remove it from the old one first.
    for (const plan of current) {
      await client.send(new DeleteUsagePlanKeyCommand({ usagePlanId: idOf(plan), keyId }));
    }
    await client.send(new CreateUsagePlanKeyCommand({ usagePlanId, keyId, keyType: 'API_KEY' }));
  },

  async remove(connection) {
    const keyId = await findKey(home.client, usageKeyOf(connection));
    if (keyId) await home.client.send(new DeleteApiKeyCommand({ apiKey: keyId }));
  },
});
