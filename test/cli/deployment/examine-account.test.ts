import type { AwsAccount } from '../../../lib/cli/deployment/aws-account.ts';
import {
  examineAccount,
  examineDelivery,
  examineKeys,
  examineUsageKeys,
} from '../../../lib/cli/deployment/doctor-aws.ts';
import type { DoctorFinding } from '../../../lib/cli/deployment/doctor-checks.ts';
import { connectionOf } from '../../corpus/connections.ts';
import { registryHere } from '../../support/registry-here.ts';
import {
  json,
  type Reply,
  refusal,
  scriptedServer,
  tokenResponse,
} from '../../support/scripted-server.ts';

const arn = 'arn:aws:iam::123456789012:role/operator';
const account: AwsAccount = {
  region: 'eu-west-1',
  caller: async () => ({ account: '123456789012', arn }),
  concurrency: async () => ({ limit: 1_000, unreserved: 1_000 }),
  bootstrapVersion: async () => 28,
  loggingRole: async () => undefined,
  subscriptions: async () => undefined,
  ring: async () => 'sombus-sandbox-job-failures',
  tables: async () => [],
  lacks: async () => [],
};

const ok = (check: string, words: string) => ({ check, state: 'ok', words });
const info = (check: string, words: string) => ({ check, state: 'info', words });
const fail = (check: string, words: string) => ({ check, state: 'fail', words });

const ready = [
  ok('account', `123456789012 in eu-west-1, as ${arn}`),
  ok('bootstrap', 'version 28'),
  ok('functions', '1000 copies at once are not reserved, 612 are needed'),
  info('logging', 'API Gateway has no role for its logs here yet; the deployment sets one'),
  info('alarms', 'cdk.json names no alarmAddress: nobody will get them'),
  info('tables', 'not deployed yet'),
];

const examined = (change: Partial<AwsAccount>, wanted: object = {}) =>
  examineAccount({ ...account, ...change }, 'sandbox', wanted);

describe('an AWS account before a deployment', () => {
  test('that has everything is ready', async () => {
    expect(await examined({})).toEqual({ findings: ready, isDeployed: false });
    const wanted = { account: '123456789012', region: 'eu-west-1' };
    expect(await examined({}, wanted)).toEqual({ findings: ready, isDeployed: false });
  });

  test.each([
    [{ region: undefined }, {}, 'AWS_REGION is not set: name the region of the environment.'],
    [
      {},
      { account: '999999999999' },
      'These are credentials for 123456789012, but cdk.json names 999999999999.',
    ],
    [{}, { region: 'us-east-1' }, 'AWS_REGION is eu-west-1, but cdk.json names us-east-1.'],
    [{ caller: () => Promise.reject(new Error('Expired.')) }, {}, 'Expired.'],
  ])('that is not the right one is looked at no further: %j %j', async (change, wanted, words) => {
    expect(await examined(change, wanted)).toEqual({
      findings: [fail('account', words)],
      isDeployed: false,
    });
  });

  const subscribed =
    (...confirmed: readonly boolean[]) =>
    async () =>
      confirmed.map((one, index) => ({ endpoint: `${index}@example.org`, confirmed: one }));
  const again = 'subscribe it again (docs/runbook.md, "Before the first deployment", step 6)';

  test.each<[string, Partial<AwsAccount>, ReturnType<typeof ok>]>([
    [
      'has no bootstrap',
      { bootstrapVersion: async () => undefined },
      fail('bootstrap', 'There is none in this region: run npx cdk bootstrap.'),
    ],
    [
      'has an old bootstrap',
      { bootstrapVersion: async () => 5 },
      fail('bootstrap', 'Version 5 is too old: run npx cdk bootstrap.'),
    ],
    ['has the oldest bootstrap', { bootstrapVersion: async () => 6 }, ok('bootstrap', 'version 6')],
    [
      'has just enough copies',
      { concurrency: async () => ({ limit: 700, unreserved: 612 }) },
      ok('functions', '612 copies at once are not reserved, 612 are needed'),
    ],
    [
      'has too few copies',
      { concurrency: async () => ({ limit: 700, unreserved: 611 }) },
      fail(
        'functions',
        'Only 611 copies at once are not reserved, and 612 are needed: ask AWS to raise the ' +
          'quota "Concurrent executions" of Lambda (L-B99A9384) to 701.',
      ),
    ],
    [
      'does not let the operator look',
      { concurrency: () => Promise.reject(new Error('You may not.')) },
      fail('functions', 'You may not.'),
    ],
    [
      'has a role for logs',
      { loggingRole: async () => 'arn:role' },
      ok(
        'logging',
        'API Gateway logs as arn:role; a deployment sets the role of the whole account and region',
      ),
    ],
    [
      'sends alarms to nobody',
      { subscriptions: subscribed() },
      fail('alarms', `Nobody gets them: name an address and ${again}.`),
    ],
    [
      'waits for a confirmation',
      { subscriptions: subscribed(false, true) },
      fail('alarms', `0@example.org did not confirm: use the link in the email, or ${again}.`),
    ],
    [
      'waits for two confirmations',
      { subscriptions: subscribed(true, false, false) },
      fail(
        'alarms',
        `1@example.org, 2@example.org did not confirm: use the link in the email, or ${again}.`,
      ),
    ],
    [
      'sends alarms',
      { subscriptions: subscribed(true, true) },
      ok('alarms', 'sent to 0@example.org, 1@example.org'),
    ],
    [
      'has what an interrupted deployment left',
      { tables: async () => ['sombus-sandbox-ledger', 'sombus-sandbox-registry'] },
      fail(
        'tables',
        'Only sombus-sandbox-ledger, sombus-sandbox-registry exists: an interrupted deployment ' +
          'left it. If the stack sombus-sandbox-stateful owns it, deploy again; otherwise delete ' +
          'it first (docs/runbook.md).',
      ),
    ],
    [
      'does not show its tables',
      { tables: () => Promise.reject(new Error('You may not.')) },
      info('tables', 'not deployed yet'),
    ],
  ])('that %s gets a line for that', async (_what, change, finding) => {
    expect((await examined(change)).findings).toEqual(
      ready.map(one => (one.check === finding.check ? finding : one)),
    );
  });

  test('says who will have to confirm', async () => {
    const { findings } = await examined({}, { alarmAddress: 'ops@example.org' });
    expect(findings[4]).toEqual(
      info('alarms', 'not deployed yet; ops@example.org will have to confirm within 48 hours'),
    );
  });
});

describe('a deployed environment', () => {
  const names = ['r', 'l', 'a', 's'];
  const deployed = (lacks: AwsAccount['lacks']) =>
    examined({
      tables: async () => names,
      concurrency: async () => ({ limit: 1_000, unreserved: 120 }),
      lacks,
    });

  test('needs no further copies', async () => {
    expect(await deployed(async () => [])).toEqual({
      findings: [
        ...ready.slice(0, 2),
        ok('functions', '1000 copies at once, 120 of them not reserved'),
        ...ready.slice(3, 5),
        ok('tables', 'r, l, a, s'),
      ],
      isDeployed: true,
    });
  });

  test.each<[AwsAccount['lacks'], string]>([
    [
      async name => (name === 'l' ? ['expiry', 'protection'] : name === 's' ? ['recovery'] : []),
      'Missing: l (expiry, protection); s (recovery). docs/runbook.md, "Restoring the tables", ' +
        'step 2, has the commands.',
    ],
    [() => Promise.reject(new Error('You may not.')), 'You may not.'],
  ])('whose tables are not as they should be says so: %#', async (lacks, words) => {
    const { findings, isDeployed } = await deployed(lacks);
    expect([findings.at(-1), isDeployed]).toEqual([fail('tables', words), true]);
  });
});

describe('the signing keys of an environment', () => {
  const key = (kid: string, state: 'next' | 'active' | 'previous') =>
    ({
      kid,
      state,
      keyId: kid,
      jwk: { kty: 'EC', crv: 'P-256', x: '', y: '' },
      publishedAt: 0,
    }) as const;
  const examine = (version: number, ...keys: readonly ReturnType<typeof key>[]) =>
    examineKeys({ keyRings: { find: async () => ({ version, keys }) } } as never);

  test('are those of the stored list', async () => {
    expect(await examine(1, key('a', 'previous'), key('b', 'active'), key('c', 'next'))).toEqual(
      ok('keys', 'tokens verify by the stored list: b (active), c (next), a (previous)'),
    );
  });

  test('are missing where there is none', async () => {
    expect(await examine(0)).toEqual(fail('keys', 'There is no key: add one.'));
  });
});

describe('connections without a key at the gateway', () => {
  const examine = (count: number, keyed: readonly string[]) => {
    const made = Array.from({ length: count }, (_, at) => connectionOf(`c${at}`, 'producer', 'w'));
    return examineUsageKeys(
      {
        directory: {
          page: async () => ({ entries: [{ id: 'o' }] }),
          list: async () => [{ id: 'w' }],
        },
        connections: { ofWorkspace: async () => made },
        usageKeys: { connections: async () => new Set(keyed) },
      } as never,
      'preview',
    );
  };
  const makes = 'npx --no sombus aws recover --environment preview makes them.';

  test.each([
    [1, ['c0'], ok('connections', '1, each with its key at API Gateway')],
    [
      6,
      ['c0'],
      fail(
        'connections',
        `5 of 6 have no key on a usage plan and get 403: c1, c2, c3, c4, c5. ${makes}`,
      ),
    ],
    [
      8,
      ['c0'],
      fail(
        'connections',
        `7 of 8 have no key on a usage plan and get 403: c1, c2, c3, c4, c5 and 2 more. ${makes}`,
      ),
    ],
  ])('of %d, %j have one', async (count, keyed, finding) => {
    expect(await examine(count, keyed)).toEqual(finding);
  });
});

describe('a message from end to end', () => {
  const here = registryHere();
  const accepting = json(400, { accepted: false, violations: [] });
  const taken = json(202, { accepted: true });
  const one = json(200, { messages: [{ receipt_handle: 'h' }] });
  const acknowledged = json(200, { ok: ['h'], failed: [] });

  /** What the doctor finds of a bus that answers so, what he asked it, and what he left behind. */
  const sent = async (messages: readonly Reply[], ack: Reply = acknowledged) => {
    const asked: string[] = [];
    const noted =
      (reply: Reply): Reply =>
      (response, request) => {
        asked.push(`${request.method} ${request.url}`);
        // So that what it took can be told.
        here.clock.advance(40);
        reply(response, request);
      };
    const bus = await scriptedServer({
      '/oauth/token': [tokenResponse()],
      '/validate': [accepting],
      '/skills': [json(200, { skills: [] })],
      '/messages': messages.map(noted),
      '/ack': [noted(ack)],
    });
    const ports = here.ports();
    const before = (await ports.directory.list('organisation')).map(({ id }) => id);
    const finding = await examineDelivery({ ...ports, busIssuer: `${bus.baseUrl}/oauth` });
    await bus.close();
    const all = await ports.directory.list('organisation');
    const organisation = all.find(({ id }) => !before.includes(id));
    const [workspace] = await ports.directory.list('workspace', organisation?.id);
    const [app] = await ports.directory.list('app', organisation?.id);
    const connections = await ports.connections.ofWorkspace(workspace?.id ?? '');
    const bodies = bus.calls.flatMap(({ line, body }) =>
      line === '/messages' || line === '/ack' ? [body] : [],
    );
    return { finding, asked, bodies, organisation, workspace, app, connections };
  };

  const publish = 'POST /v1/tenants/wtest/messages';
  const pull = 'GET /v1/tenants/wtest/consumers/ctest/messages?max=1&wait=20';
  const acking = 'POST /v1/tenants/wtest/consumers/ctest/ack';

  test('is published, pulled and acknowledged by connections that are revoked then', async () => {
    const { finding, asked, bodies, ...made } = await sent([taken, one]);
    expect(finding).toEqual(ok('message', 'published, pulled and acknowledged in 120 ms'));
    expect(asked).toEqual([publish, pull, acking]);
    expect(JSON.parse(bodies[0] ?? '')).toMatchObject({
      timestamp: new Date(here.clock.now() - 120).toISOString(),
      originating_system: { system_id: 'sombus-doctor' },
    });
    expect(bodies.slice(1)).toEqual(['', '{"receipt_handles":["h"]}']);
    const name = 'sombus-doctor';
    expect(made.organisation).toMatchObject({ name, tier: 'minimal', status: 'revoked' });
    expect(made.workspace).toMatchObject({ name, status: 'revoked' });
    expect(made.app).toMatchObject({ name });
    const types = ['story.context'];
    const own = { app: made.app?.id, status: 'revoked' };
    const ofKind = (kind: string) => made.connections.filter(one => one.kind === kind);
    expect(ofKind('producer')).toMatchObject([
      { ...own, systemIds: [name], grants: types, receives: [] },
    ]);
    expect(ofKind('consumer')).toMatchObject([
      { ...own, systemIds: [], grants: [], receives: types },
    ]);
  });

  const late = { receipt_handle: 'h', rule: 'receipt.expired', message: 'It is too old.' };

  test.each<[string, readonly Reply[], Reply, readonly string[]]>([
    [
      'It was not accepted: bus.publish_failed: No.',
      [refusal(503, 'bus.publish_failed')],
      acknowledged,
      [publish],
    ],
    ['It was not accepted: status 200', [json(200, {})], acknowledged, [publish]],
    [
      'It was accepted, but could not be pulled: registry.unavailable: No.',
      [taken, refusal(503, 'registry.unavailable')],
      acknowledged,
      [publish, pull],
    ],
    [
      'It was accepted, but did not arrive in its queue.',
      [taken, json(200, { messages: [] })],
      acknowledged,
      [publish, pull],
    ],
    [
      'It was pulled, but not acknowledged: receipt.expired: It is too old.',
      [taken, one],
      json(200, { ok: [], failed: [late] }),
      [publish, pull, acking],
    ],
  ])('that does not go through is a failure: %s', async (words, messages, ack, wanted) => {
    const { finding, asked, organisation } = await sent(messages, ack);
    expect(finding).toEqual<DoctorFinding>({ check: 'message', state: 'fail', words });
    expect([asked, organisation?.status]).toEqual([wanted, 'revoked']);
  });
});
