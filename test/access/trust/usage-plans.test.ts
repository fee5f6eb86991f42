import {
  APIGatewayClient,
  CreateApiKeyCommand,
  CreateUsagePlanKeyCommand,
} from '@aws-sdk/client-api-gateway';
import { awsUsageKeys, awsUsagePlans } from '../../../lib/access/trust/usage-plans.apigateway.ts';
import { answering } from '../../support/fakes/aws-clients.ts';

interface Plan {
  readonly id: string;
  readonly name: string;
}

/** The members of API Gateway's requests that matter here. */
interface Asked {
  readonly name?: string;
  readonly keyId?: string;
  readonly startDate?: string;
  readonly usagePlanId?: string;
  readonly apiKey?: string;
  readonly position?: string;
}

const conflict = () =>
  Object.assign(new Error('Another change is in progress.'), { name: 'ConflictException' });

/**
 * What API Gateway does with plans and keys, in memory; a key is on at most one plan of a stage.
 */
const fakeGateway = () => {
  const apiStages = [{ apiId: 'bus', stage: 'v1' }];
  const plans: Plan[] = ['minimal', 'standard', 'high'].map(tier => ({
    id: `plan-${tier}`,
    name: `sombus-sandbox-${tier}`,
    apiStages,
  }));
  const keys = new Map<string, object>();
  /** The plan of each key. */
  const placed = new Map<string, string>();
  const calls: string[] = [];
  /**
   * What happens to the next changes of plans' keys: they are made, refused, or made while their
   * response is lost.
   */
  const fates: ('made' | 'refused' | 'lost')[] = [];
  const responses: Readonly<Record<string, (input: Asked) => object>> = {
    GetUsagePlansCommand({ keyId, position = '0' }) {
      const all = plans.filter(({ id }) => keyId === undefined || placed.get(keyId) === id);
      // One plan a page, to see that all pages are read.
      const next = Number(position) + 1;
      return {
        items: all.slice(next - 1, next),
        ...(next < all.length ? { position: String(next) } : {}),
      };
    },
    CreateUsagePlanCommand(input) {
      const plan = { ...input, id: `plan-${plans.length}`, name: input.name ?? '' };
      plans.push(plan);
      return plan;
    },
    GetApiKeysCommand: () => ({ items: [...keys].map(([id, key]) => ({ id, ...key })) }),
    GetUsagePlanKeysCommand({ usagePlanId, position = '0' }) {
      const on = [...placed].filter(([, plan]) => plan === usagePlanId).map(([id]) => id);
      const next = Number(position) + 1;
      return {
        items: on.slice(next - 1, next).map(id => ({ id, ...keys.get(id) })),
        ...(next < on.length ? { position: String(next) } : {}),
      };
    },
    GetUsageCommand: ({ startDate, keyId = '' }) =>
      startDate === '1970-01-01' ? { items: { [keyId]: [[17, 983]] } } : {},
    CreateApiKeyCommand(input) {
      const id = `key-${keys.size}`;
      keys.set(id, input);
      return { id };
    },
    DeleteApiKeyCommand: ({ apiKey = '' }) => ({ deleted: keys.delete(apiKey) }),
    DeleteUsagePlanKeyCommand: ({ keyId = '' }) => ({ deleted: placed.delete(keyId) }),
    CreateUsagePlanKeyCommand({ keyId = '', usagePlanId = '' }) {
      if (placed.has(keyId)) throw conflict();
      placed.set(keyId, usagePlanId);
      return {};
    },
  };
  const client = answering(APIGatewayClient, ({ constructor: { name }, input }) => {
    calls.push(name);
    const fate = (/UsagePlanKey/.test(name) && fates.shift()) || 'made';
    const response = fate === 'refused' ? undefined : responses[name]?.(input);
    if (fate !== 'made') throw conflict();
    return response;
  });
  return { client, plans, keys, placed: () => [...placed], calls, fates };
};

/**
 * A clock that notes how long it is asked to wait, and random bytes that are always the highest.
 */
const outside = (waits: number[] = []) => ({
  clock: { now: () => 0, sleep: async (milliseconds: number) => void waits.push(milliseconds) },
  ids: { random: (bytes: number) => new Uint8Array(bytes).fill(255) },
});

const plansOf = ({ client }: ReturnType<typeof fakeGateway>, waits: number[]) =>
  awsUsagePlans({ ...outside(waits), client, environment: 'sandbox' });

const connection = 'cabcdefghijkl';

describe('usage plans', () => {
  let gateway: ReturnType<typeof fakeGateway>;
  let waits: number[];
  let plans: ReturnType<typeof plansOf>;

  beforeEach(() => {
    gateway = fakeGateway();
    waits = [];
    plans = plansOf(gateway, waits);
  });

  it('a new connection gets a key on the plan of its tier', async () => {
    await plans.assign(connection, 'high');
    expect([...gateway.keys.values()]).toEqual([
      {
        name: 'sombus-connection-cabcdefghijkl',
        value: 'sombus-connection-cabcdefghijkl',
        enabled: true,
      },
    ]);
    expect(gateway.placed()).toEqual([['key-0', 'plan-high']]);
  });

  it('the use of a connection today is what its plan has counted; without a key nothing is known', async () => {
    expect(await plans.usedToday(connection)).toBeUndefined();
    await plans.assign(connection, 'minimal');
    expect(await plans.usedToday(connection)).toBe(17);
  });

  it('a change of tier moves the same key', async () => {
    await plans.assign(connection, 'minimal');
    await plans.assign(connection, 'high');
    expect(gateway.keys.size).toBe(1);
    expect(gateway.placed()).toEqual([['key-0', 'plan-high']]);
  });

  it('a change waits for other changes: longer and longer, up to eight seconds', async () => {
    await plans.assign(connection, 'minimal');
    gateway.fates.push(
      'refused',
      'refused',
      'made',
      'refused',
      'refused',
      'refused',
      'refused',
      'refused',
    );
    await plans.assign(connection, 'high');
    expect(gateway.placed()).toEqual([['key-0', 'plan-high']]);
    expect(waits).toEqual([499, 999, 499, 999, 1999, 3999, 7999]);
  });

  it('a change whose response was lost is not made again', async () => {
    await plans.assign(connection, 'minimal');
    gateway.fates.push('lost', 'lost');
    await plans.assign(connection, 'high');
    expect(gateway.placed()).toEqual([['key-0', 'plan-high']]);
    expect(waits).toEqual([]);
  });

  const refused = (times: number) => Array.from({ length: times }, () => 'refused' as const);

  it('a key that cannot be put on its new plan is put back on the old one', async () => {
    await plans.assign(connection, 'minimal');
    gateway.fates.push('made', ...refused(8));
    await expect(plans.assign(connection, 'high')).rejects.toThrow('the old one is still valid');
    expect(gateway.placed()).toEqual([['key-0', 'plan-minimal']]);
  });

  it('a key that is left without a plan is said to be, and repeating the change finishes it', async () => {
    await plans.assign(connection, 'minimal');
    gateway.fates.push('made', ...refused(16));
    await expect(plans.assign(connection, 'high')).rejects.toThrow('the connection is refused');
    expect(gateway.placed()).toEqual([]);
    await plans.assign(connection, 'high');
    expect(gateway.placed()).toEqual([['key-0', 'plan-high']]);
  });

  it('assigning again changes nothing', async () => {
    await plans.assign(connection, 'standard');
    const before = gateway.calls.length;
    await plans.assign(connection, 'standard');
    expect(gateway.calls.slice(before).filter(call => /^(Create|Delete)/.test(call))).toEqual([]);
  });

  it('a custom quota creates one plan on the tiers’ stages, shared by all connections that have it', async () => {
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
    expect(gateway.placed().map(([, plan]) => plan)).toEqual(['plan-3', 'plan-3']);
  });

  it('removing a connection deletes its key, and can be repeated', async () => {
    await plans.assign(connection, 'standard');
    await plans.remove(connection);
    await plans.remove(connection);
    expect(gateway.keys.size).toBe(0);
  });

  it('the connections that have a key on a plan of the environment are known, from all pages', async () => {
    const quota = { perSecond: 200, burst: 400, perDay: 10_000_000 };
    await plans.assign(connection, 'standard');
    await plans.assign('cabcdefghijkm', 'standard');
    await plans.assign('cabcdefghijkn', quota);
    gateway.plans.push({ id: 'plan-else', name: 'sombus-preview-standard' });
    const { client } = gateway;
    for (const [name, usagePlanId] of [
      ['sombus-connection-cofpreview', 'plan-else'],
      ['somebody-else', 'plan-standard'],
    ] as const) {
      const { id } = await client.send(new CreateApiKeyCommand({ name }));
      await client.send(
        new CreateUsagePlanKeyCommand({ usagePlanId, keyId: id, keyType: 'API_KEY' }),
      );
    }
    const left = await client.send(new CreateApiKeyCommand({ name: 'sombus-connection-cnoplan' }));
    expect(left.id).toBeDefined();
    const known = await awsUsageKeys({ client, environment: 'sandbox' }).connections();
    expect([...known].sort()).toEqual([connection, 'cabcdefghijkm', 'cabcdefghijkn']);
  });

  it('an environment that was never deployed is a clear error', async () => {
    const elsewhere = awsUsagePlans({
      ...outside(),
      client: gateway.client,
      environment: 'preview',
    });
    await expect(elsewhere.assign(connection, 'high')).rejects.toThrow(
      'There is no usage plan sombus-preview-high: deploy the environment first.',
    );
  });
});
