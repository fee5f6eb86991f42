import type { AwsAccount } from '../../../lib/cli/deployment/aws-account.ts';
import { examineAccount, examineDelivery } from '../../../lib/cli/deployment/doctor-aws.ts';
import { awaitConnection } from '../../../lib/cli/frame/bus.ts';
import { connectionOf } from '../../corpus/connections.ts';
import { frozenClock } from '../../support/identity-fakes.ts';
import { serviceHere } from '../../support/one-service.ts';
import { runningRegistry } from '../../support/running-registry.ts';
import { json, refusal, scriptedServer, tokenResponse } from '../../support/scripted-server.ts';

const account: AwsAccount = {
  region: 'eu-west-1',
  caller: async () => ({ account: '123456789012', arn: 'arn:aws:iam::123456789012:role/operator' }),
  concurrency: async () => ({ limit: 1_000, unreserved: 1_000 }),
  bootstrapVersion: async () => 28,
  loggingRole: async () => undefined,
  subscriptions: async () => undefined,
  ring: async () => 'sombus-sandbox-job-failures',
  tables: async () => [],
  lacks: async () => [],
};

const examine = async (change: Partial<AwsAccount> = {}, wanted: object = {}) => {
  const { findings, isDeployed } = await examineAccount(
    { ...account, ...change },
    'sandbox',
    wanted,
  );
  const failed = findings.flatMap(({ check, state, words }) =>
    state === 'fail' ? [[check, words]] : [],
  );
  return { findings, isDeployed, failed };
};

describe('an AWS account before a deployment', () => {
  test('with everything that is needed passes', async () => {
    const { failed, isDeployed, findings } = await examine({}, { alarmAddress: 'ops@example.org' });
    expect([failed, isDeployed]).toEqual([[], false]);
    expect(findings.map(({ check }) => check)).toEqual([
      'account',
      'bootstrap',
      'functions',
      'logging',
      'alarms',
      'tables',
    ]);
  });

  test.each([
    ['without a region', { region: undefined }, {}, ['account', /AWS_REGION is not set/]],
    [
      'that is not the one of cdk.json',
      {},
      { account: '999999999999' },
      ['account', /cdk.json names 9{12}/],
    ],
    ['in another region', {}, { region: 'us-east-1' }, ['account', /cdk.json names us-east-1/]],
    [
      'without a bootstrap',
      { bootstrapVersion: async () => undefined },
      {},
      ['bootstrap', /npx cdk bootstrap/],
    ],
    [
      'that allows ten functions, as a fresh one does',
      { concurrency: async () => ({ limit: 10, unreserved: 10 }) },
      {},
      ['functions', /Only 10 .* 612 are needed.*to 612\./],
    ],
    [
      'with a table that an interrupted deployment left',
      { tables: async () => ['sombus-sandbox-ledger'] },
      {},
      ['tables', /Only sombus-sandbox-ledger exists/],
    ],
    [
      'whose alarms reach nobody, because SNS deleted the subscription',
      { subscriptions: async () => [] },
      { alarmAddress: 'ops@example.org' },
      ['alarms', /Nobody gets them.*step 6/],
    ],
    [
      'whose alarms wait for a confirmation',
      { subscriptions: async () => [{ endpoint: 'ops@example.org', confirmed: false }] },
      { alarmAddress: 'ops@example.org' },
      ['alarms', /ops@example.org did not confirm/],
    ],
    [
      'that does not let the operator look',
      {
        concurrency: () => Promise.reject(new Error('You may not call lambda:GetAccountSettings.')),
      },
      {},
      ['functions', /You may not call/],
    ],
  ] as const)('%s fails in one line', async (_what, change, wanted, [check, words]) => {
    expect((await examine(change, wanted)).failed).toEqual([[check, expect.stringMatching(words)]]);
  });

  test('says who gets its alarms', async () => {
    const subscriptions = async () => [{ endpoint: 'ops@example.org', confirmed: true }];
    const { findings } = await examine({ subscriptions });
    expect(findings.find(({ check }) => check === 'alarms')).toEqual({
      check: 'alarms',
      state: 'ok',
      words: 'sent to ops@example.org',
    });
  });

  test('in which the environment is deployed needs no further copies', async () => {
    const deployed = {
      tables: async () =>
        ['registry', 'ledger', 'activity', 'sessions'].map(name => `sombus-sandbox-${name}`),
      concurrency: async () => ({ limit: 1_000, unreserved: 120 }),
    };
    expect(await examine(deployed)).toMatchObject({ failed: [], isDeployed: true });
  });

  test('whose restored tables lack what a restore does not bring fails, and says which lacks what', async () => {
    const restored = {
      tables: async () =>
        ['registry', 'ledger', 'activity', 'sessions'].map(
          name => `sombus-sandbox-${name}-20261122`,
        ),
      lacks: async (table: string) =>
        table.includes('ledger') ? (['expiry', 'protection'] as const) : ([] as const),
    };
    expect((await examine(restored)).failed).toEqual([
      [
        'tables',
        expect.stringContaining('Missing: sombus-sandbox-ledger-20261122 (expiry, protection).'),
      ],
    ]);
  });
});

const refused = refusal(403, 'producer.not_registered');
const accepting = json(400, { accepted: false, violations: [] });

test.each([
  [
    'waited for until API Gateway knows its key',
    [refused, refused, refused, accepting],
    true,
    6_000,
  ],
  ['given up after a minute', [refused], false, 60_000],
])('a new connection is %s', async (_what, replies, isUsable, waited) => {
  const bus = await scriptedServer({ '/oauth/token': [tokenResponse()], '/validate': replies });
  const connection = connectionOf('ctest', 'producer', 'wtest');
  const issued = {
    kind: 'issued',
    connection,
    clientSecret: 'x',
    credential: { version: 1 },
  } as const;
  const clock = frozenClock();
  const began = clock.now();
  expect(await awaitConnection({ busIssuer: `${bus.baseUrl}/oauth`, clock }, issued)).toBe(
    isUsable,
  );
  expect([bus.count('/oauth/token'), clock.now() - began]).toEqual([1, waited]);
  await bus.close();
});

describe('after a deployment', () => {
  const bus = serviceHere();

  const taken = json(202, { accepted: true });
  const pulled = json(200, { messages: [{ receipt_handle: 'h' }] });
  const unavailable = refusal(503, 'registry.unavailable');
  const expired = { receipt_handle: 'h', rule: 'receipt.expired', message: 'It is too old.' };

  test.each([
    ['It was not accepted: ', [refusal(503, 'bus.publish_failed')], []],
    ['It was accepted, but could not be pulled: ', [taken, unavailable], []],
    ['It was accepted, but did not arrive in its queue.', [taken, json(200, { messages: [] })], []],
    ['It was pulled, but not acknowledged: ', [taken, pulled], [unavailable]],
    [
      'It was pulled, but not acknowledged: receipt.expired: It is too old.',
      [taken, pulled],
      [json(200, { ok: [], failed: [expired] })],
    ],
  ])('a message that does not go through is a failure: %s', async (words, messages, acks) => {
    const ports = runningRegistry(bus.data, bus.ready);
    const other = await scriptedServer({
      '/oauth/token': [tokenResponse()],
      '/validate': [accepting],
      '/messages': messages,
      '/ack': acks,
    });
    const busIssuer = `${other.baseUrl}/oauth`;
    const finding = await examineDelivery({ ...ports, busIssuer });
    await other.close();
    expect(finding).toMatchObject({
      check: 'message',
      state: 'fail',
      words: expect.stringContaining(words),
    });
  });

  test('a message goes end to end, and leaves no active connection behind', async () => {
    const ports = runningRegistry(bus.data, bus.ready);
    expect(await examineDelivery(ports)).toMatchObject({
      check: 'message',
      state: 'ok',
      words: expect.stringMatching(/^published, pulled and acknowledged in \d+ ms$/),
    });
    const organisations = await ports.directory.list('organisation');
    const own = organisations.filter(
      one => one.kind === 'organisation' && one.name === 'sombus-doctor',
    );
    expect(own.length).toBeGreaterThan(0);
    expect(new Set(own.map(({ status }) => status))).toEqual(new Set(['revoked']));
  });
});
