import { APIGatewayClient } from '@aws-sdk/client-api-gateway';
import { awsUsagePlans } from '../../lib/registry/usage-plans.apigateway.ts';
import { answering } from '../support/fakes/aws-clients.ts';

interface Plan {
  readonly id: string;
  readonly name: string;
  readonly apiStages: readonly { apiId: string; stage: string }[];
  readonly throttle?: { rateLimit: number; burstLimit: number };
  readonly quota?: { limit: number; period: string };
}

interface Key {
  readonly name: string;
  readonly value: string;
  readonly enabled: boolean | undefined;
}

/** The members of API Gateway's requests that matter here. */
interface Asked extends Partial<Omit<Plan, 'id'>> {
  readonly keyId?: string;
  readonly startDate?: string;
  readonly usagePlanId?: string;
  readonly apiKey?: string;
  readonly position?: string;
  readonly nameQuery?: string;
  readonly value?: string;
  readonly enabled?: boolean;
}

const conflict = () =>
  Object.assign(new Error('Another change is in progress.'), { name: 'ConflictException' });

/** What API Gateway does with plans and keys, in memory; a key is on at most one plan of a stage. */
const fakeGateway = () => {
  const stages = [{ apiId: 'bus', stage: 'v1' }];
  const plans: Plan[] = ['minimal', 'standard', 'high'].map(tier => ({
    id: `plan-${tier}`,
    name: `sombus-sandbox-${tier}`,
    apiStages: stages,
  }));
  const keys = new Map<string, Key>();
  const memberships: { keyId: string; usagePlanId: string }[] = [];
  const calls: string[] = [];
  /** What happens to the next changes of plans' keys: they are made, refused, or made while their response is lost. */
  const fates: ('made' | 'refused' | 'lost')[] = [];
  const response = (command: string, input: Asked): object => {
    calls.push(command);
    if (!/UsagePlanKey/.test(command)) return done(command, input);
    const fate = fates.shift() ?? 'made';
    if (fate === 'refused') throw conflict();
    const made = done(command, input);
    if (fate === 'lost') throw conflict();
    return made;
  };
  const done = (command: string, input: Asked): object => {
    switch (command) {
      case 'GetUsagePlansCommand': {
        const all = plans.filter(
          ({ id }) =>
            input.keyId === undefined ||
            memberships.some(entry => entry.keyId === input.keyId && entry.usagePlanId === id),
        );
        // One plan a page, to see that all pages are read.
        const from = Number(input.position ?? 0);
        return {
          items: all.slice(from, from + 1),
          ...(from + 1 < all.length ? { position: String(from + 1) } : {}),
        };
      }
      case 'CreateUsagePlanCommand': {
        const { name = '', apiStages = [], throttle, quota } = input;
        const plan: Plan = {
          id: `plan-${plans.length}`,
          name,
          apiStages,
          ...(throttle ? { throttle } : {}),
          ...(quota ? { quota } : {}),
        };
        plans.push(plan);
        return plan;
      }
      case 'GetApiKeysCommand':
        return {
          items: [...keys]
            .map(([id, key]) => ({ id, ...key }))
            .filter(({ name }) => name.startsWith(input.nameQuery ?? '')),
        };
      case 'GetUsageCommand':
        return { items: input.startDate === '1970-01-01' ? { [input.keyId ?? '']: [[17, 983]] } : {} };
      case 'CreateApiKeyCommand': {
        const id = `key-${keys.size}`;
        const { name = '', value = '', enabled } = input;
        keys.set(id, { name, value, enabled });
        return { id };
      }
      case 'DeleteApiKeyCommand':
        keys.delete(input.apiKey ?? '');
        return {};
      case 'DeleteUsagePlanKeyCommand':
        memberships.splice(
          memberships.findIndex(
            entry => entry.keyId === input.keyId && entry.usagePlanId === input.usagePlanId,
          ),
          1,
        );
        return {};
      case 'CreateUsagePlanKeyCommand':
        if (memberships.some(({ keyId }) => keyId === input.keyId)) throw conflict();
        memberships.push({ keyId: input.keyId ?? '', usagePlanId: input.usagePlanId ?? '' });
        return {};
      default:
        throw new Error(`The fake does not know ${command}.`);
    }
  };
  const client = answering(APIGatewayClient, command => response(command.constructor.name, command.input));
  return { client, plans, keys, memberships, calls, fates };
};

/** A clock that notes how long it is asked to wait, and random bytes that are always the highest. */
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
      { name: 'sombus-connection-cabcdefghijkl', value: 'sombus-connection-cabcdefghijkl', enabled: true },
    ]);
    expect(gateway.memberships).toEqual([{ keyId: 'key-0', usagePlanId: 'plan-high' }]);
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
    expect(gateway.memberships).toEqual([{ keyId: 'key-0', usagePlanId: 'plan-high' }]);
  });

  it('a change waits for other changes: longer and longer, up to eight seconds', async () => {
    await plans.assign(connection, 'minimal');
    gateway.fates.push('refused', 'refused', 'made', 'refused', 'refused', 'refused', 'refused', 'refused');
    await plans.assign(connection, 'high');
    expect(gateway.memberships).toEqual([{ keyId: 'key-0', usagePlanId: 'plan-high' }]);
    expect(waits).toEqual([499, 999, 499, 999, 1999, 3999, 7999]);
  });

  it('a change whose response was lost is not made again', async () => {
    await plans.assign(connection, 'minimal');
    gateway.fates.push('lost', 'lost');
    await plans.assign(connection, 'high');
    expect(gateway.memberships).toEqual([{ keyId: 'key-0', usagePlanId: 'plan-high' }]);
    expect(waits).toEqual([]);
  });

  const refused = (times: number) => Array.from({ length: times }, () => 'refused' as const);

  it('a key that cannot be put on its new plan is put back on the old one', async () => {
    await plans.assign(connection, 'minimal');
    gateway.fates.push('made', ...refused(8));
    await expect(plans.assign(connection, 'high')).rejects.toThrow('the old one is still valid');
    expect(gateway.memberships).toEqual([{ keyId: 'key-0', usagePlanId: 'plan-minimal' }]);
  });

  it('a key that is left without a plan is said to be, and repeating the change finishes it', async () => {
    await plans.assign(connection, 'minimal');
    gateway.fates.push('made', ...refused(16));
    await expect(plans.assign(connection, 'high')).rejects.toThrow('the connection is refused');
    expect(gateway.memberships).toEqual([]);
    await plans.assign(connection, 'high');
    expect(gateway.memberships).toEqual([{ keyId: 'key-0', usagePlanId: 'plan-high' }]);
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
    expect(gateway.memberships.map(({ usagePlanId }) => usagePlanId)).toEqual(['plan-3', 'plan-3']);
  });

  it('removing a connection deletes its key, and can be repeated', async () => {
    await plans.assign(connection, 'standard');
    await plans.remove(connection);
    await plans.remove(connection);
    expect(gateway.keys.size).toBe(0);
  });

  it('an environment that was never deployed is a clear error', async () => {
    const elsewhere = awsUsagePlans({ ...outside(), client: gateway.client, environment: 'preview' });
    await expect(elsewhere.assign(connection, 'high')).rejects.toThrow(
      'There is no usage plan sombus-preview-high: deploy the environment first.',
    );
  });
});
