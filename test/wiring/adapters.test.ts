import type { resourceNames } from '../../lib/contract/environments.ts';
import { localEnv } from '../../lib/local/env.ts';
import { serveInProcess } from '../../lib/platform/aws/clients.ts';
import { limitedRequests, recorder } from '../../lib/wiring/activity.ts';
import { depths, pullFunction, seals } from '../../lib/wiring/consuming.ts';
import { clock, type Env, ids, once, requiredVariable, setClock } from '../../lib/wiring/env.ts';
import { alarmStates, queueAges } from '../../lib/wiring/history.ts';
import { operatorPorts } from '../../lib/wiring/operator.ts';
import { portalCallFunction } from '../../lib/wiring/portal.ts';
import { ledger, publishQueues } from '../../lib/wiring/publishing.ts';
import {
  countUsageBy,
  guardedQueueHome,
  usageKeys,
  usagePlans,
} from '../../lib/wiring/registry.ts';
import { keyHome, tokenFunction } from '../../lib/wiring/tokens.ts';
import { frozenClock } from '../support/identity-fakes.ts';

/** Instead of adapters: what each was given. A declaration, because mocks come before all else. */
function mockGiven(...given: unknown[]) {
  return { given };
}
jest.mock('../../lib/access/people/accounts.cognito.ts', () => ({ cognitoAccounts: mockGiven }));
jest.mock('../../lib/access/people/accounts.ts', () => ({ accountMaker: mockGiven }));
jest.mock('../../lib/access/people/changes.dynamodb.ts', () => ({ awsChanges: mockGiven }));
jest.mock('../../lib/access/people/erasure.dynamodb.ts', () => ({ awsErasure: mockGiven }));
jest.mock('../../lib/access/seals/seal-ring.dynamodb.ts', () => ({
  awsSealRings: mockGiven,
  awsSeals: mockGiven,
}));
jest.mock('../../lib/access/trust/caller.sts.ts', () => ({ awsCaller: mockGiven }));
jest.mock('../../lib/access/trust/usage-plans.apigateway.ts', () => ({
  awsUsageKeys: mockGiven,
  awsUsagePlans: mockGiven,
}));
jest.mock('../../lib/bus/activity/records.dynamodb.ts', () => ({
  ...jest.requireActual('../../lib/bus/activity/records.dynamodb.ts'),
  awsRecorder: (...given: unknown[]) => ({ given, record: async (record: object) => record }),
}));
jest.mock('../../lib/bus/activity/refused-texts.dynamodb.ts', () => ({
  awsRefusedTexts: mockGiven,
}));
jest.mock('../../lib/bus/consuming/inbox.sqs.ts', () => ({ awsInbox: mockGiven }));
jest.mock('../../lib/bus/consuming/queue-ages.cloudwatch.ts', () => ({ awsQueueAges: mockGiven }));
jest.mock('../../lib/bus/consuming/receipts.dynamodb.ts', () => ({ awsReceipts: mockGiven }));
jest.mock('../../lib/bus/delivery/ledger.dynamodb.ts', () => ({
  ...jest.requireActual('../../lib/bus/delivery/ledger.dynamodb.ts'),
  awsLedger: mockGiven,
}));
jest.mock('../../lib/bus/delivery/queues.sqs.ts', () => ({
  awsQueueDepths: mockGiven,
  awsQueues: mockGiven,
}));
jest.mock('../../lib/bus/delivery/queues.ts', () => ({ circuitBreaker: mockGiven }));
jest.mock('../../lib/bus/tokens/signer.kms.ts', () => ({
  ...jest.requireActual('../../lib/bus/tokens/signer.kms.ts'),
  awsKeyRings: mockGiven,
}));
jest.mock('../../lib/bus/tokens/token-requests.dynamodb.ts', () => ({
  awsTokenRequests: mockGiven,
}));
jest.mock('../../lib/platform/aws/bounded.ts', () => ({
  ...jest.requireActual('../../lib/platform/aws/bounded.ts'),
  awsRaisedBounds: mockGiven,
}));
jest.mock('../../lib/platform/aws/client-secret.ts', () => ({ storedClientSecret: mockGiven }));
jest.mock('../../lib/platform/aws/json-call.ts', () => ({ callJson: mockGiven }));
jest.mock('../../lib/portal/alarm-states.cloudwatch.ts', () => ({ awsAlarmStates: mockGiven }));
jest.mock('../../lib/portal/provider.fetch.ts', () => ({ signInProvider: mockGiven }));
jest.mock('../../lib/portal/session.dynamodb.ts', () => ({ awsSessions: mockGiven }));

const engines = {
  dynamodb: 'http://127.0.0.1:1',
  sqs: 'http://127.0.0.1:2',
  kms: 'http://127.0.0.1:3',
  cloudwatch: 'http://127.0.0.1:4',
};
const now = Date.parse('2026-05-04T09:00:00.000Z');
const own = frozenClock(now);

/** An environment of its own. */
const here = (changes: Env = {}) => {
  const env = { ...localEnv('http://127.0.0.1:8787', engines), ...changes };
  setClock(env, own);
  return env as ReturnType<typeof localEnv>;
};
const onAws = { SOMBUS_LOCAL_SERVICE: undefined };
const givenTo = (adapter: unknown): unknown[] => (adapter as { given: unknown[] }).given;
const table = (name: string) => ({ name: `sombus-${name}`, client: expect.any(Object) });
const random = { random: expect.any(Function) };
const baseUrl = 'http://127.0.0.1:2/000000000000/';

describe('an environment', () => {
  test.each([{}, { SOMBUS_ORIGIN: '' }, { SOMBUS_ORIGIN: undefined }])(
    'without a variable that is needed (%j) says which',
    env => {
      expect(() => requiredVariable(env, 'SOMBUS_ORIGIN')).toThrow(
        'The environment variable SOMBUS_ORIGIN is not set.',
      );
    },
  );

  test('has one of each thing that is made once', () => {
    const [made, other] = [once(() => ({})), once(() => ({}))];
    const [env, another] = [here(), here()];
    expect(made(env)).toBe(made(env));
    expect(made(env)).not.toBe(other(env));
    expect(made(env)).not.toBe(made(another));
    expect(other(env)).toBe(other(env));
  });

  test('has the time of the machine, or one of its own', async () => {
    jest.useFakeTimers({ now });
    const machine = clock({});
    expect(machine.now()).toBe(now);
    jest.useRealTimers();
    await machine.sleep(0);
    expect(clock(here())).toBe(own);
  });

  test('has random bytes, as many as are asked for', () => {
    const [one, other] = [ids().random(16), ids().random(16)];
    expect([one.length, other.length]).toEqual([16, 16]);
    expect(one).not.toEqual(other);
  });
});

describe('the operator works', () => {
  test('on the tables of the environment', () => {
    const ports = operatorPorts(here());
    expect(givenTo(ports.bounds)).toEqual([
      { registry: table('registry'), ledger: table('ledger') },
    ]);
    expect(givenTo(ports.erasure)).toEqual([
      { registry: table('registry'), activity: table('activity') },
    ]);
    expect(givenTo(ports.changes)).toEqual([table('activity'), random]);
    expect(givenTo(ports.sealRings)).toEqual([table('registry'), random]);
  });

  test('with keys that only the signer’s role uses, and with the first one of the deployment', () => {
    const env = here();
    const { keyRings, isKeyHere } = operatorPorts(env);
    const iam = 'arn:aws:iam::000000000000';
    expect(givenTo(keyRings)).toEqual([
      { kms: keyHome(env).kms, table: table('registry'), firstKey: 'alias/sombus-signing' },
      {
        environment: 'sandbox',
        accountRoot: `${iam}:root`,
        signers: `${iam}:role/sombus/sandbox/signer/*`,
      },
    ]);
    const key = (account: string) => `arn:aws:kms:us-east-1:${account}:key/k1`;
    expect([key('000000000000'), key('111111111111')].map(isKeyHere)).toEqual([true, false]);
  });

  test('under a name of AWS, and on a laptop under none', async () => {
    expect(await operatorPorts(here()).caller()).toBeUndefined();
    const env = here(onAws);
    expect(givenTo(operatorPorts(env).caller)).toEqual([env]);
  });

  test('on queues and their ages', () => {
    const { depths: seen, queueAges: ages } = operatorPorts(here());
    expect(givenTo(seen)).toEqual([
      {
        client: expect.any(Object),
        baseUrl,
        baseArn: 'arn:aws:sqs:us-east-1:000000000000:',
        busRoles: 'arn:aws:iam::000000000000:role/sombus/sandbox/*',
      },
    ]);
    expect(givenTo(ages)).toEqual([expect.any(Object), own]);
  });
});

describe('usage plans', () => {
  test('are none on a laptop, where the gateway counts', async () => {
    const env = here();
    const { assign, remove, usedToday } = usagePlans(env);
    expect(await usedToday('c1')).toBeUndefined();
    countUsageBy(env, connection => (connection === 'c1' ? 7 : undefined));
    expect([await usedToday('c1'), await usedToday('c2')]).toEqual([7, undefined]);
    expect([await assign('c1' as never, 'standard' as never), await remove('c1')]).toEqual([
      undefined,
      undefined,
    ]);
    expect(await usagePlans(here()).usedToday('c1')).toBeUndefined();
  });

  test('are API Gateway’s on AWS', () => {
    const client = expect.any(Object);
    expect(givenTo(usagePlans(here(onAws)))).toEqual([
      { client, environment: 'sandbox', clock: own, ids: random },
    ]);
    expect(givenTo(usageKeys(here(onAws)))).toEqual([{ client, environment: 'sandbox' }]);
  });
});

describe('the portal', () => {
  const { ports } = portalCallFunction;
  const signIn = { SOMBUS_OIDC_ISSUER: 'https://idp.example', SOMBUS_OIDC_CLIENT_ID: 'portal' };
  const secretOf = (changes: Env) => {
    const env = here({ ...signIn, ...changes });
    const [settings] = givenTo(ports.provider(env)) as [
      { client: { id: string; secret: unknown } },
    ];
    expect(settings.client.id).toBe('portal');
    return { env, secret: settings.client.secret };
  };

  test.each([
    [{ SOMBUS_OIDC_USER_POOL: 'pool' }, { pool: 'pool', client: 'portal' }],
    [
      { SOMBUS_OIDC_USER_POOL: 'pool', SOMBUS_OIDC_SECRET_NAME: 'kept' },
      { pool: 'pool', client: 'portal' },
    ],
    [{ SOMBUS_OIDC_SECRET_NAME: 'kept' }, { secretName: 'kept' }],
  ])('with %j reads its secret from there', (changes, home) => {
    const { env, secret } = secretOf(changes);
    expect(givenTo(secret)).toEqual([home, expect.any(Object), { clock: own, env }]);
  });

  test('otherwise has its secret in the environment, and asks for it', async () => {
    const { secret } = secretOf({ SOMBUS_OIDC_CLIENT_SECRET: 'given' });
    expect(await (secret as () => Promise<string>)()).toBe('given');
    expect(() => secretOf({})).toThrow('SOMBUS_OIDC_CLIENT_SECRET is not set');
  });

  test('makes accounts in the pool of an environment where nobody may sign up', () => {
    const pool = { SOMBUS_OIDC_USER_POOL: 'pool' };
    const env = here({ ...pool, SOMBUS_ENVIRONMENT: 'preview' });
    const [accounts] = givenTo(ports.accounts(env));
    const [call, name] = givenTo(accounts) as [(...asked: unknown[]) => unknown, string];
    expect(name).toBe('pool');
    const json = { service: 'cognito-idp', operation: 'AdminGetUser', input: { Username: 'a' } };
    expect(givenTo(call('AdminGetUser', { Username: 'a' }))).toEqual([
      expect.objectContaining({ region: expect.any(Function) }),
      json,
      env,
    ]);
    expect(givenTo(ports.accounts(here(pool)))).toEqual([undefined]);
    expect(givenTo(ports.accounts(here({ SOMBUS_ENVIRONMENT: 'preview' })))).toEqual([undefined]);
  });

  test('works on the tables of the environment', () => {
    const env = here();
    expect(givenTo(ports.sessions(env))).toEqual([table('sessions')]);
    expect(givenTo(ports.bounds(env))).toEqual([
      { registry: table('registry'), ledger: table('ledger') },
    ]);
    expect(givenTo(ports.refusedTexts(env))).toEqual([table('activity')]);
    expect(givenTo(ports.changes(env))).toEqual([table('activity'), random]);
  });
});

describe('the bus', () => {
  test.each([
    ['sandbox', 30],
    ['preview', 7],
  ])('of %s keeps messages for %i days', (name, archiveDays) => {
    const env = here({ SOMBUS_ENVIRONMENT: name });
    expect(givenTo(ledger(env))).toEqual([table('ledger'), { clock: own, archiveDays }]);
    expect(givenTo(recorder(env))).toEqual([
      table('activity'),
      { ids: random, archiveDays, lost: expect.any(Function) },
    ]);
  });

  test('leaves a queue alone for half a minute after two failed sends, in all publishes', () => {
    const env = here();
    const [queues, settings] = givenTo(publishQueues(env));
    expect(settings).toEqual({ clock: own, maxErrors: 2, milliseconds: 30_000 });
    expect(givenTo(queues)).toEqual([{ client: expect.any(Object), baseUrl }]);
    expect(publishQueues(env)).toBe(publishQueues(env));
  });

  test('notes refused requests with their time', async () => {
    const note = limitedRequests(here());
    expect(await note({ id: 'c1', workspace: 'w1' } as never, 3)).toEqual({
      kind: 'limited',
      connection: 'c1',
      workspace: 'w1',
      at: now,
      requests: 3,
    });
  });

  test('reads queues with one client, and polls with another', () => {
    const env = here();
    const [home, poller] = givenTo(pullFunction.ports.inbox(env)) as [{ client: object }, object];
    expect(home).toEqual({ client: expect.any(Object), baseUrl });
    expect(poller).not.toBe(home.client);
    expect(givenTo(depths(env))).toEqual([home]);
    expect(givenTo(pullFunction.ports.receipts(env))).toEqual([table('ledger'), own]);
    expect(givenTo(tokenFunction.ports.tokenRequests(env))).toEqual([table('registry'), own]);
    expect(seals(env)).toBe(seals(env));
    expect(givenTo(seals(env))).toEqual([table('registry'), { clock: own, ids: random }]);
  });

  test('knows its alarms and the ages of its queues', () => {
    const env = here();
    const [client, names] = givenTo(alarmStates(env)) as [object, ReturnType<typeof resourceNames>];
    expect(names.stack).toBe('sombus-sandbox');
    expect(givenTo(queueAges(env))).toEqual([client, own]);
  });

  test('asks in this process if its environment says so', async () => {
    const env = here();
    const answer = { QueueUrl: 'here' };
    serveInProcess(env, { SQS: async () => answer });
    const { client } = guardedQueueHome(env);
    expect(await client.send({} as never)).toBe(answer);
  });
});
