import { APIGatewayClient } from '@aws-sdk/client-api-gateway';
import { awsUsageKeys, awsUsagePlans } from '../../../lib/access/trust/usage-plans.apigateway.ts';
import { answering } from '../../support/fakes/aws-clients.ts';

type Responses = Readonly<Record<string, readonly unknown[]>>;

/** Commands are answered with these responses, in order; the last one again and again. */
const scene = (responses: Responses) => {
  const calls: [string, unknown][] = [];
  const bytes: number[] = [];
  const client = answering(APIGatewayClient, ({ constructor: { name }, input }) => {
    const command = name.replace(/Command$/, '');
    const given = responses[command] ?? [];
    const at = calls.filter(([one]) => one === command).length;
    calls.push([command, input]);
    const response = given[Math.min(at, given.length - 1)] ?? {};
    if (response instanceof Error) throw response;
    return response;
  });
  const clock = {
    now: () => Date.parse('2026-05-04T23:59:59Z'),
    sleep: async (milliseconds: number) => {
      await undefined;
      calls.push(['sleep', milliseconds]);
    },
  };
  const random = (length: number) => {
    bytes.push(length);
    return new Uint8Array(length).fill(255);
  };
  const home = { client, environment: 'sandbox', clock, ids: { random } } as const;
  const names = () => calls.map(([name]) => name);
  return { plans: awsUsagePlans(home), keys: awsUsageKeys(home), calls, names, bytes };
};

const named = (name: string) => Object.assign(new Error(`It was ${name}.`), { name });
const conflict = named('ConflictException');
const notFound = named('NotFoundException');
const connection = 'cabcdefghijkl';
const name = `sombus-connection-${connection}`;
const stages = (stage: string) => [{ apiId: 'bus', stage }];
const minimal = { id: 'plan-minimal', name: 'sombus-sandbox-minimal', apiStages: stages('old') };
const standard = { id: 'plan-standard', name: 'sombus-sandbox-standard', apiStages: stages('v1') };
const all = { items: [minimal, standard] };
const known = {
  items: [
    { id: 'key-other', name: `${name}x` },
    { id: 'key', name },
  ],
};

test('a new key is looked for, made, and put on its plan: nothing else is asked', async () => {
  const { plans, calls } = scene({
    GetUsagePlans: [all, {}],
    CreateApiKey: [{ id: 'key' }],
  });
  await plans.assign(connection, 'standard');
  expect(calls).toEqual([
    ['GetUsagePlans', { limit: 500 }],
    ['GetApiKeys', { nameQuery: name, limit: 500 }],
    ['CreateApiKey', { name, value: name, enabled: true }],
    ['GetUsagePlans', { keyId: 'key', limit: 500 }],
    ['CreateUsagePlanKey', { usagePlanId: 'plan-standard', keyId: 'key', keyType: 'API_KEY' }],
  ]);
});

test('a key that somebody else makes at the same time is used', async () => {
  const { plans, calls } = scene({
    GetUsagePlans: [all, {}],
    GetApiKeys: [{}, known],
    CreateApiKey: [conflict],
  });
  await plans.assign(connection, 'standard');
  expect(calls.at(-1)).toEqual([
    'CreateUsagePlanKey',
    { usagePlanId: 'plan-standard', keyId: 'key', keyType: 'API_KEY' },
  ]);
});

test.each([
  ['a conflict without such a key', conflict, [{}], 2],
  ['another error, even if the key is there then', named('Other'), [{}, known], 1],
])('%s is thrown as it is', async (_, error, found, looks) => {
  const { plans, names } = scene({
    GetUsagePlans: [all, {}],
    GetApiKeys: found,
    CreateApiKey: [error],
  });
  await expect(plans.assign(connection, 'standard')).rejects.toBe(error);
  expect(names().filter(one => one === 'GetApiKeys')).toHaveLength(looks);
});

test('a key or a plan without an id is an error', async () => {
  const { plans } = scene({ GetUsagePlans: [all, {}], CreateApiKey: [{ name: 'new' }] });
  await expect(plans.assign(connection, 'standard')).rejects.toThrow(
    'API Gateway gave no id for new.',
  );
});

const quota = { perSecond: 2, burst: 3, perDay: 4 };

test('a custom plan is for the stages of the standard plan', async () => {
  const { plans, calls } = scene({
    GetUsagePlans: [all, {}],
    GetApiKeys: [known],
    CreateUsagePlan: [{ id: 'plan-new' }],
  });
  await plans.assign(connection, quota);
  expect(calls[1]).toEqual([
    'CreateUsagePlan',
    {
      name: 'sombus-sandbox-custom-2-3-4',
      apiStages: [{ apiId: 'bus', stage: 'v1' }],
      throttle: { rateLimit: 2, burstLimit: 3 },
      quota: { limit: 4, period: 'DAY' },
    },
  ]);
});

test.each([
  ['standard plan', [minimal]],
  ['stages', [minimal, { id: 'plan-standard', name: 'sombus-sandbox-standard' }]],
])('without a %s no custom plan is made', async (_, items) => {
  const { plans, names } = scene({ GetUsagePlans: [{ items }] });
  await expect(plans.assign(connection, quota)).rejects.toThrow(
    'The environment sandbox is not deployed here.',
  );
  expect(names()).toEqual(['GetUsagePlans']);
});

test('a change is tried eight times, with a pause of at most eight seconds before each', async () => {
  const { plans, calls, bytes } = scene({
    GetUsagePlans: [all, {}],
    GetApiKeys: [known],
    CreateUsagePlanKey: [conflict],
  });
  await expect(plans.assign(connection, 'standard')).rejects.toMatchObject({
    message:
      'API Gateway did not change the usage plan; the old one is still valid. Repeat the command.',
    cause: conflict,
  });
  const step = (pause: number) => ['CreateUsagePlanKey', 'GetUsagePlans', pause];
  const steps = calls.slice(3).map(([one, input]) => (one === 'sleep' ? input : one));
  expect(steps).toEqual([
    ...[499, 999, 1_999, 3_999, 7_999, 7_999, 7_999].flatMap(step),
    'CreateUsagePlanKey',
    'GetUsagePlans',
  ]);
  expect(bytes).toEqual(Array(7).fill(4));
});

test.each([
  ['a plan or a key that is gone', notFound, ['CreateUsagePlanKey', 'GetUsagePlans']],
  ['an error of another kind', named('Other'), ['CreateUsagePlanKey']],
])('after %s a change is not tried again', async (_, error, asked) => {
  const { plans, names } = scene({
    GetUsagePlans: [all, {}],
    GetApiKeys: [known],
    CreateUsagePlanKey: [error],
  });
  await expect(plans.assign(connection, 'standard')).rejects.toMatchObject({ cause: error });
  expect(names().slice(3)).toEqual(asked);
});

test('a key that cannot be put back either has both reasons told, the first one first', async () => {
  const [first, second] = [named('First'), named('Second')];
  const { plans, calls } = scene({
    GetUsagePlans: [all, { items: [minimal] }],
    GetApiKeys: [known],
    CreateUsagePlanKey: [first, second],
  });
  const failed = await plans.assign(connection, 'standard').catch(error => error);
  expect(failed).toMatchObject({
    errors: [first, second],
    message:
      'API Gateway took the key off its usage plan, and did not put it on another: until you ' +
      'repeat the command, the connection is refused.',
  });
  expect(calls.slice(3)).toEqual([
    ['DeleteUsagePlanKey', { usagePlanId: 'plan-minimal', keyId: 'key' }],
    ['CreateUsagePlanKey', { usagePlanId: 'plan-standard', keyId: 'key', keyType: 'API_KEY' }],
    ['CreateUsagePlanKey', { usagePlanId: 'plan-minimal', keyId: 'key', keyType: 'API_KEY' }],
  ]);
});

describe('the use of today', () => {
  test('is asked for the day of UTC, and is the first number of the key', async () => {
    const { plans, calls } = scene({
      GetApiKeys: [known],
      GetUsagePlans: [{ items: [standard] }],
      GetUsage: [{ items: { other: [[5, 6]], key: [[17, 983]] } }],
    });
    expect(await plans.usedToday(connection)).toBe(17);
    expect(calls.slice(1)).toEqual([
      ['GetUsagePlans', { keyId: 'key', limit: 500 }],
      [
        'GetUsage',
        {
          usagePlanId: 'plan-standard',
          keyId: 'key',
          startDate: '2026-05-04',
          endDate: '2026-05-04',
        },
      ],
    ]);
  });

  test('is nothing where nothing was counted', async () => {
    const { plans } = scene({ GetApiKeys: [known], GetUsagePlans: [{ items: [standard] }] });
    expect(await plans.usedToday(connection)).toBe(0);
  });

  test('is not known of a key that is missing, or on no plan', async () => {
    const without = scene({ GetUsagePlans: [all] });
    expect(await without.plans.usedToday(connection)).toBeUndefined();
    expect(without.names()).toEqual(['GetApiKeys']);
    const unplaced = scene({ GetApiKeys: [known] });
    expect(await unplaced.plans.usedToday(connection)).toBeUndefined();
    expect(unplaced.names()).toEqual(['GetApiKeys', 'GetUsagePlans']);
  });
});

test('a key is removed for good, or the reason is thrown', async () => {
  const { plans, calls } = scene({ GetApiKeys: [known] });
  await plans.remove(connection);
  expect(calls[1]).toEqual(['DeleteApiKey', { apiKey: 'key' }]);
  const failing = scene({ GetApiKeys: [known], DeleteApiKey: [conflict] });
  await expect(failing.plans.remove(connection)).rejects.toBe(conflict);
});

test('the keys of a plan are read 500 at a time', async () => {
  const { keys, calls } = scene({ GetUsagePlans: [all], GetUsagePlanKeys: [known, {}] });
  expect([...(await keys.connections())]).toEqual([`${connection}x`, connection]);
  expect(calls).toEqual([
    ['GetUsagePlans', { limit: 500 }],
    ['GetUsagePlanKeys', { usagePlanId: 'plan-minimal', limit: 500 }],
    ['GetUsagePlanKeys', { usagePlanId: 'plan-standard', limit: 500 }],
  ]);
});
