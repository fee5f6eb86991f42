import {
  type APIGatewayClient,
  CreateApiKeyCommand,
  CreateUsagePlanCommand,
  CreateUsagePlanKeyCommand,
  DeleteApiKeyCommand,
  DeleteUsagePlanKeyCommand,
  GetApiKeysCommand,
  GetUsageCommand,
  paginateGetUsagePlanKeys,
  paginateGetUsagePlans,
  type UsagePlan,
} from '@aws-sdk/client-api-gateway';
import {
  connectionOfKey,
  type EnvironmentName,
  resourceNames,
  usageKeyOf,
} from '../../contract/environments.ts';
import type { Quota, Tier } from '../../contract/limits.ts';
import { type Clock, type Ids, utcDay } from '../../contract/outside.ts';
import { isAwsError } from '../../platform/aws/table.ts';
import type { UsageKeys, UsagePlans } from '../registry/ports.ts';

interface UsagePlanHome {
  readonly client: APIGatewayClient;
  readonly environment: EnvironmentName;
  readonly clock: Clock;
  readonly ids: Ids;
}

const pageSize = 500;

const planName = (environment: EnvironmentName, quota: Tier | Quota): string => {
  const names = resourceNames(environment);
  if (typeof quota === 'string') return names.usagePlan(quota);
  return names.customUsagePlan(quota.perSecond, quota.burst, quota.perDay);
};

const plansOf = async (client: APIGatewayClient, keyId?: string): Promise<readonly UsagePlan[]> => {
  const plans: UsagePlan[] = [];
  for await (const { items = [] } of paginateGetUsagePlans(
    { client, pageSize },
    keyId ? { keyId } : {},
  ))
    plans.push(...items);
  return plans;
};

const idOf = ({ id, name }: { id?: string | undefined; name?: string | undefined }): string => {
  if (!id) throw new Error(`API Gateway gave no id for ${name}.`);
  return id;
};

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
  } catch (error) {
    const made = isAwsError(error, 'ConflictException') ? await findKey(client, name) : undefined;
    if (!made) throw error;
    return made;
  }
};

/**
 * A plan of custom numbers, for the same stages as the tiers' plans; all connections with these
 * numbers share it.
 */
const makePlan = async (
  { client, environment }: UsagePlanHome,
  plans: readonly UsagePlan[],
  quota: Quota,
): Promise<string> => {
  const standard = plans.find(
    ({ name }) => name === resourceNames(environment).usagePlan('standard'),
  );
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

/** Milliseconds. The eight tries of a change take up to half a minute. */
const pauses = { first: 500, max: 8_000 };
const maxTries = 8;

/**
 * A random time up to a bound that doubles with each try (AWS: "Exponential Backoff And Jitter",
 * full jitter).
 */
const jitter = ({ random }: Ids, tries: number): number => {
  const fraction = Buffer.from(random(4)).readUInt32BE(0) / 2 ** 32;
  return Math.floor(fraction * Math.min(pauses.max, pauses.first * 2 ** tries));
};

interface Place {
  readonly usagePlanId: string;
  readonly keyId: string;
}

/**
 * API Gateway makes one such change at a time: it is tried again after a conflict, unless only the
 * response to an earlier try was lost.
 */
const move = async (
  { client, clock, ids }: UsagePlanHome,
  place: Place,
  to: 'on' | 'off',
): Promise<void> => {
  const isDone = async (): Promise<boolean> =>
    (await plansOf(client, place.keyId)).some(({ id }) => id === place.usagePlanId) ===
    (to === 'on');
  for (let tries = 0; ; tries += 1) {
    try {
      if (to === 'on')
        await client.send(new CreateUsagePlanKeyCommand({ ...place, keyType: 'API_KEY' }));
      else await client.send(new DeleteUsagePlanKeyCommand(place));
      return;
    } catch (error) {
      if (!isAwsError(error, 'ConflictException', 'NotFoundException')) throw error;
      if (await isDone()) return;
      if (isAwsError(error, 'NotFoundException') || tries + 1 >= maxTries) throw error;
    }
    await clock.sleep(jitter(ids, tries));
  }
};

/**
 * A key on no plan is refused by the gateway, so it is put back if it cannot be put on the new
 * plan.
 */
const putBack = async (
  home: UsagePlanHome,
  places: readonly Place[],
  cause: unknown,
): Promise<never> => {
  try {
    for (const place of places) await move(home, place, 'on');
  } catch (error) {
    throw new AggregateError(
      [cause, error],
      'API Gateway took the key off its usage plan, and did not put it on another: until you ' +
        'repeat the command, the connection is refused.',
    );
  }
  throw new Error(
    'API Gateway did not change the usage plan; the old one is still valid. Repeat the command.',
    {
      cause,
    },
  );
};

export const awsUsagePlans = (home: UsagePlanHome): UsagePlans => ({
  async assign(connection, quota) {
    const { client } = home;
    const usagePlanId = await planFor(home, quota);
    const keyId = await keyFor(client, connection);
    const current = await plansOf(client, keyId);
    if (current.some(({ id }) => id === usagePlanId)) return;
    const before = current.map(plan => ({ usagePlanId: idOf(plan), keyId }));
    // A key can be on only one plan of a stage (AWS: "Usage plans and API keys"), so it leaves the
    // old one first.
    for (const place of before) await move(home, place, 'off');
    await move(home, { usagePlanId, keyId }, 'on').catch(error => putBack(home, before, error));
  },

  async usedToday(connection) {
    const { client, clock } = home;
    const keyId = await findKey(client, usageKeyOf(connection));
    const [plan] = keyId === undefined ? [] : await plansOf(client, keyId);
    if (keyId === undefined || !plan) return undefined;
    const day = utcDay(clock.now());
    const { items } = await client.send(
      new GetUsageCommand({ usagePlanId: idOf(plan), keyId, startDate: day, endDate: day }),
    );
    return items?.[keyId]?.[0]?.[0] ?? 0;
  },

  async remove(connection) {
    const keyId = await findKey(home.client, usageKeyOf(connection));
    if (keyId) await home.client.send(new DeleteApiKeyCommand({ apiKey: keyId }));
  },
});

export const awsUsageKeys = ({
  client,
  environment,
}: Pick<UsagePlanHome, 'client' | 'environment'>): UsageKeys => ({
  async connections() {
    const found = new Set<string>();
    const { stack } = resourceNames(environment);
    const plans = (await plansOf(client)).filter(({ name }) => name?.startsWith(`${stack}-`));
    for (const plan of plans) {
      const pages = paginateGetUsagePlanKeys({ client, pageSize }, { usagePlanId: idOf(plan) });
      for await (const { items = [] } of pages) {
        for (const { name = '' } of items) {
          const connection = connectionOfKey(name);
          if (connection !== undefined) found.add(connection);
        }
      }
    }
    return found;
  },
});
