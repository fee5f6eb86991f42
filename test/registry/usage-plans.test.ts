import { APIGatewayClient } from '@aws-sdk/client-api-gateway';
import { awsUsagePlans } from '../../lib/registry/usage-plans.apigateway.ts';

interface Plan {
  readonly id: string;
  readonly name: string;
  readonly apiStages: readonly { apiId: string; stage: string }[];
  readonly throttle?: { rateLimit: number; burstLimit: number };
  readonly quota?: { limit: number; period: string };
}

/** What API Gateway does with plans and keys, in memory; a key is on at most one plan of a stage. */
const fakeGateway = () => {
  const stages = [{ apiId: 'bus', stage: 'v1' }];
  const plans: Plan[] = ['minimal', 'standard', 'high'].map(tier => ({
    id: `plan-${tier}`,
    name: `sombus-sandbox-${tier}`,
    apiStages: stages,
  }));
  const keys = new Map<string, { readonly name: string; readonly value: string }>();
  const memberships: { keyId: string; usagePlanId: string }[] = [];
  const calls: string[] = [];
  const answer = (command: string, input: Record<string, never>): object => {
    calls.push(command);
    switch (command) {
      case 'GetUsagePlansCommand': {
        const all = plans.filter(
          ({ id }) =>
            input['keyId'] === undefined ||
            memberships.some(entry => entry.keyId === input['keyId'] && entry.usagePlanId === id),
        );
        // One plan a page, to see that all pages are read.
        const from = Number(input['position'] ?? 0);
        return {
          items: all.slice(from, from + 1),
          ...(from + 1 < all.length ? { position: String(from + 1) } : {}),
        };
      }
      case 'CreateUsagePlanCommand': {
        const plan = { id: `plan-${plans.length}`, ...(input as object) } as Plan;
        plans.push(plan);
        return plan;
      }
      case 'GetApiKeysCommand':
        return {
          items: [...keys]
            .map(([id, key]) => ({ id, ...key }))
            .filter(({ name }) => name.startsWith(input['nameQuery'] ?? '')),
        };
      case 'CreateApiKeyCommand': {
        const id = `key-${keys.size}`;
        keys.set(id, input as never);
        return { id };
      }
      case 'DeleteApiKeyCommand':
        keys.delete(input['apiKey'] ?? '');
        return {};
      case 'DeleteUsagePlanKeyCommand':
        memberships.splice(
          memberships.findIndex(
            entry => entry.keyId === input['keyId'] && entry.usagePlanId === input['usagePlanId'],
          ),
          1,
        );
        return {};
      case 'CreateUsagePlanKeyCommand':
        if (memberships.some(({ keyId }) => keyId === input['keyId'])) throw new Error('ConflictException');
        memberships.push({ keyId: input['keyId'] ?? '', usagePlanId: input['usagePlanId'] ?? '' });
        return {};
      default:
        throw new Error(`The fake does not know ${command}.`);
    }
  };
  const client = new APIGatewayClient({
    region: 'eu-west-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  });
  client.middlewareStack.add(
    (_next, context) => async args => ({
      response: {},
      output: { $metadata: {}, ...answer(context.commandName ?? '', args.input as Record<string, never>) },
    }),
    { step: 'initialize' },
  );
  return { client, plans, keys, memberships, calls };
};

const connection = 'cabcdefghijkl';

describe('usage plans', () => {
  it('a new connection gets a key on the plan of its tier', async () => {
    const gateway = fakeGateway();
    await awsUsagePlans({ client: gateway.client, environment: 'sandbox' }).assign(connection, 'high');
    expect([...gateway.keys.values()]).toEqual([
      { name: 'sombus-connection-cabcdefghijkl', value: 'sombus-connection-cabcdefghijkl', enabled: true },
    ]);
    expect(gateway.memberships).toEqual([{ keyId: 'key-0', usagePlanId: 'plan-high' }]);
  });

  it('a change of tier moves the same key', async () => {
    const gateway = fakeGateway();
    const plans = awsUsagePlans({ client: gateway.client, environment: 'sandbox' });
    await plans.assign(connection, 'minimal');
    await plans.assign(connection, 'high');
    expect(gateway.keys.size).toBe(1);
    expect(gateway.memberships).toEqual([{ keyId: 'key-0', usagePlanId: 'plan-high' }]);
  });

  it('assigning again changes nothing', async () => {
    const gateway = fakeGateway();
    const plans = awsUsagePlans({ client: gateway.client, environment: 'sandbox' });
    await plans.assign(connection, 'standard');
    const before = gateway.calls.length;
    await plans.assign(connection, 'standard');
    expect(gateway.calls.slice(before).filter(call => /^(Create|Delete)/.test(call))).toEqual([]);
  });

  it('custom numbers make one plan on the tiers’ stages, shared by all connections that have them', async () => {
    const gateway = fakeGateway();
    const plans = awsUsagePlans({ client: gateway.client, environment: 'sandbox' });
    const quota = { perSecond: 200, burst: 400, perDay: 10_000_000 };
    await plans.assign(connection, quota);
    await plans.assign('cabcdefghijkm', quota);
    expect(gateway.plans.slice(3)).toEqual([
      {
        id: 'plan-3',
        name: 'sombus-sandbox-custom-200-400-10000000',
        apiStages: [{ apiId: 'bus', stage: 'v1' }],
        throttle: { rateLimit: 200, burstLimit: 400 },
        quota: { limit: 10_000_000, period: 'DAY' },
      },
    ]);
    expect(gateway.memberships.map(({ usagePlanId }) => usagePlanId)).toEqual(['plan-3', 'plan-3']);
  });

  it('removing a connection ends its key, twice without harm', async () => {
    const gateway = fakeGateway();
    const plans = awsUsagePlans({ client: gateway.client, environment: 'sandbox' });
    await plans.assign(connection, 'standard');
    await plans.remove(connection);
    await plans.remove(connection);
    expect(gateway.keys.size).toBe(0);
  });

  it('an environment that was never deployed is a clear fault', async () => {
    const { client } = fakeGateway();
    const plans = awsUsagePlans({ client, environment: 'preview' });
    await expect(plans.assign(connection, 'high')).rejects.toThrow(
      'There is no usage plan sombus-preview-high: deploy the environment first.',
    );
  });
});
