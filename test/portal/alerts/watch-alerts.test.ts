import { randomBytes } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { isDeclined } from '../../../lib/access/registry/declined.ts';
import type { AlertEvent } from '../../../lib/contract/portal/alerts.ts';
import { localEnv, localTables } from '../../../lib/local/env.ts';
import { createTables } from '../../../lib/local/provision.ts';
import { clientConfig, clientOf, serveInProcess } from '../../../lib/platform/aws/clients.ts';
import { awsAlerts } from '../../../lib/portal/alerts/alerts.dynamodb.ts';
import {
  type Alert,
  type Alerts,
  changeAlert,
  makeAlert,
  type Webhook,
} from '../../../lib/portal/alerts/alerts.ts';
import type { Facts } from '../../../lib/portal/alerts/due.ts';
import type { Mail } from '../../../lib/portal/alerts/mail.ts';
import { watchAlerts } from '../../../lib/portal/alerts/watch-alerts.ts';
import { type WebhookRequest, webhookSignature } from '../../../lib/portal/alerts/webhook.ts';
import { startLocalAws } from '../../support/local-aws.ts';

const minute = 60_000;
let now = Date.parse('2026-05-04T09:00:00Z');
const clock = { now: () => now, sleep: async () => undefined };
const ids = { random: (bytes: number) => randomBytes(bytes) };

let alerts: Alerts;
let close: () => Promise<void>;
beforeEach(async () => {
  const aws = await startLocalAws();
  const env = localEnv('http://127.0.0.1', aws.endpoints);
  serveInProcess(env, aws.inProcess);
  await createTables(env, localTables);
  const client = clientOf(env, 'DYNAMODB', new DynamoDBClient(clientConfig(env, 'DYNAMODB')));
  alerts = awsAlerts({ client, name: localTables.registry });
  close = () => aws.close();
});
afterEach(() => close());

const choice = { threshold: 10, to: { url: 'https://hooks.example/1' }, insecureLocal: false };
const place = {
  organisation: 'ohouse',
  workspace: 'w1',
  kind: 'message_waits',
  isGuest: false,
} as const;

const make = async (wanted: object = {}, chosen: object = {}): Promise<Alert & { to: Webhook }> => {
  const made = await makeAlert(
    { clock, ids, alerts },
    { ...place, ...wanted },
    { ...choice, ...chosen },
  );
  if (isDeclined(made)) throw new Error(made.reason);
  return made as Alert & { to: Webhook };
};

const waits = (minutes: number): Facts => ({
  levels: [{ connection: 'c1', appName: 'Prompter', value: minutes }],
  runs: [],
});

const noMails = { isOn: false, send: async () => ({ problem: 'this bus sends no e-mail' }) };

/** A receiver, and what the alerts look at. */
const receiver = (of?: (alert: Alert) => Promise<Facts>) => {
  const got: WebhookRequest[] = [];
  const mailed: Mail[] = [];
  const world = {
    facts: waits(0) as Facts | 'stopped' | 'gone',
    problem: undefined as string | undefined,
    got,
    mailed,
    types: () => got.map(({ body }) => (JSON.parse(body) as AlertEvent).type),
  };
  const ports = {
    clock,
    ids,
    alerts,
    look: () => ({ of: of ?? (async () => world.facts) }),
    webhooks: {
      post: async (request: WebhookRequest) => {
        got.push(request);
        return world.problem === undefined ? {} : { problem: world.problem };
      },
    },
    mails: {
      isOn: true,
      send: async (mail: Mail) => {
        mailed.push(mail);
        return {};
      },
    },
  };
  return { ...world, world, run: () => watchAlerts(ports)(now + 18_000) };
};

test('an alert is read as it was made, and remembers what it could not tell', async () => {
  const made = await make({ connection: 'c1' });
  expect(made).toEqual({
    id: expect.stringMatching(/^l[a-z2-7]{12}$/),
    organisation: 'ohouse',
    workspace: 'w1',
    kind: 'message_waits',
    connection: 'c1',
    threshold: 10,
    to: { url: choice.to.url, secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/) },
    createdAt: new Date(now).toISOString(),
    state: { raised: [], runs: [], deliveries: [] },
    revision: 1,
  });
  expect(await alerts.find(made)).toEqual(made);
  expect(await alerts.of('ohouse', 'w1')).toEqual([made]);
  expect([await alerts.of('ohouse', 'w2'), await alerts.of('oother', 'w1')]).toEqual([[], []]);
  const { world, run } = receiver();
  world.facts = waits(11);
  world.problem = 'it responded with status 500';
  await run();
  const event = {
    type: 'alert.raised',
    timestamp: new Date(now).toISOString(),
    data: {
      alert_id: made.id,
      workspace_id: 'w1',
      kind: 'message_waits',
      threshold: 10,
      connections: [{ connection_id: 'c1', app_name: 'Prompter', value: 11 }],
    },
  };
  const id = expect.stringMatching(/^msg_[\w-]{16}$/);
  expect(await alerts.find(made)).toEqual({
    ...made,
    state: {
      raised: ['c1'],
      runs: [],
      deliveries: [{ id, event, attempts: 1, dueAt: now + minute }],
      last: { at: now, problem: 'it responded with status 500' },
    },
    // Once before the attempt, once after it.
    revision: 3,
  });
});

test('an event for each change, signed with the secret of the alert; none while nothing changes', async () => {
  const { secret } = (await make()).to;
  const { world, run } = receiver();
  for (const minutes of [5, 11, 12, 13, 9, 8]) {
    world.facts = waits(minutes);
    await run();
    now += minute;
  }
  expect(world.types()).toEqual(['alert.raised', 'alert.ended']);
  for (const { headers, body } of world.got) {
    const [id = '', timestamp = ''] = [headers['webhook-id'], headers['webhook-timestamp']];
    expect(headers['webhook-signature']).toBe(webhookSignature(secret, { id, timestamp, body }));
  }
});

describe('an alert by e-mail', () => {
  const person = { issuer: 'https://idp.example', subject: 'jo' };
  const to = {
    email: 'jo@vendor.example',
    person,
    page: 'https://portal.example/workspaces/w1/alerts',
  };

  test('says what begins and what is over, and where the alert can be deleted', async () => {
    await make({}, { to });
    const { world, run } = receiver();
    for (const minutes of [11, 12, 9]) {
      world.facts = waits(minutes);
      await run();
    }
    const title = 'A message waits longer than 10 minutes';
    expect(world.mailed.map(mail => [mail.to, mail.subject])).toEqual([
      ['jo@vendor.example', `[som-bus] ${title}`],
      ['jo@vendor.example', `[som-bus] Over: ${title}`],
    ]);
    const [{ text = '' } = {}] = world.mailed;
    for (const part of [`${title}.`, '- Prompter (c1)', 'Workspace w1', to.page])
      expect(text).toContain(part);
    expect(world.got).toEqual([]);
  });

  test('sends 50 e-mails a day (UTC), and goes on the next day', async () => {
    const made = await make({}, { to });
    const { world, run } = receiver();
    now = Date.parse('2026-05-05T00:00:00Z');
    for (let look = 0; look < 60; look += 1) {
      world.facts = waits(look % 2 === 0 ? 11 : 0);
      await run();
      now += minute;
    }
    expect(world.mailed).toHaveLength(50);
    // What it was not told of is not kept for the next day.
    const last = { at: now - minute, problem: 'it has got the 50 e-mails of a day' };
    expect((await alerts.find(made))?.state).toMatchObject({ deliveries: [], last });
    now = Date.parse('2026-05-06T00:00:00Z');
    world.facts = waits(11);
    await run();
    expect(world.mailed).toHaveLength(51);
  });
});

test('a host that takes nothing is tried six times under the same id, then the event is dropped', async () => {
  const made = await make();
  const { world, run } = receiver();
  world.facts = waits(11);
  world.problem = 'it responded with status 500';
  const attempts: number[] = [];
  const start = now;
  for (let passed = 0; passed < 24 * 60; passed += 1) {
    const before = world.got.length;
    await run();
    if (world.got.length > before) attempts.push((now - start) / minute);
    now += minute;
  }
  expect(attempts).toEqual([0, 1, 6, 36, 156, 456]);
  expect(new Set(world.got.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect((await alerts.find(made))?.state).toMatchObject({
    deliveries: [],
    raised: ['c1'],
    last: { problem: 'it responded with status 500' },
  });
});

test('a host that takes nothing for long loses the oldest events, never the newest', async () => {
  const made = await make();
  const { world, run } = receiver();
  world.problem = 'it responded with status 500';
  const data: unknown[] = [];
  for (let look = 0; look < 13; look += 1) {
    world.facts = waits(look % 2 === 0 ? 11 : 0);
    await run();
    const last = (await alerts.find(made))?.state.deliveries.at(-1);
    data.push(last?.event.timestamp);
    now += 1_000;
  }
  const left = (await alerts.find(made))?.state.deliveries.map(({ event }) => event.timestamp);
  expect(new Set(data).size).toBe(13);
  expect(left).toEqual(data.slice(-10));
});

test('two runs at the same time send an event once', async () => {
  await make();
  const { world, run } = receiver();
  world.facts = waits(11);
  await Promise.all([run(), run(), run()]);
  expect(world.types()).toEqual(['alert.raised']);
});

test('while an organisation is suspended nothing is sent; an alert whose place is gone is deleted, and leaves room', async () => {
  const made = await make();
  const { world, run } = receiver();
  world.facts = 'stopped';
  await run();
  expect(world.got).toEqual([]);
  world.facts = 'gone';
  await run();
  expect(await alerts.find(made)).toBeUndefined();
  for (let count = 0; count < 20; count += 1) await make();
});

test('an alert of which nothing can be learned keeps the others from nothing', async () => {
  for (const organisation of ['oa', 'ob', 'oc']) await make({ organisation });
  const { world, run } = receiver(async ({ organisation }) => {
    if (organisation === 'ob') throw new Error('no response');
    return waits(11);
  });
  const problem = await run().catch((error: unknown) => error);
  expect(problem).toMatchObject({
    message: '1 alerts could not be looked at.',
    errors: [new Error('no response')],
  });
  expect(world.got).toHaveLength(2);
});

test('20,000 alerts, of which a run can look at a thousand, have each been looked at after forty runs', async () => {
  const all = Array.from({ length: 20_000 }, (_, id) => ({ id: String(id) }) as Alert);
  const seen = new Set<Alert>();
  for (let run = 0; run < 40; run += 1) {
    const begin = now + run * minute;
    let looks = 0;
    const of = async (alert: Alert) => {
      looks += 1;
      seen.add(alert);
      return 'stopped' as const;
    };
    const ports = { ids, alerts: { ...alerts, all: async () => all }, look: () => ({ of }) };
    const post = () => Promise.reject(new Error('Nothing is new.'));
    const passing = { now: () => begin + looks, sleep: clock.sleep };
    await watchAlerts({ ...ports, clock: passing, mails: noMails, webhooks: { post } })(
      begin + 1_000,
    );
  }
  expect(seen.size).toBe(all.length);
});

test.each([
  ['URL and secret', choice.to],
  [
    'address',
    { email: 'jo@vendor.example', person: { issuer: 'i', subject: 'jo' }, page: 'https://p' },
  ],
])(
  'another threshold keeps the %s; what was read before somebody else wrote is not written',
  async (_, to) => {
    const made = await make({}, { to });
    const changed = await changeAlert({ alerts }, made, { ...choice, threshold: 20 });
    expect(changed).toMatchObject({ threshold: 20 });
    expect((await alerts.find(made))?.to).toEqual(made.to);
    expect(await changeAlert({ alerts }, made, { ...choice, threshold: 30 })).toMatchObject({
      isChanged: true,
    });
  },
);

describe('limit.reached: alerts', () => {
  test('20 of an organisation, however many are made at once', async () => {
    const all = await Promise.allSettled(Array.from({ length: 25 }, () => make()));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    await expect(make()).rejects.toThrow('The organisation has 20 alerts');
  });

  test('3 of a guest in one workspace', async () => {
    const guest = { organisation: 'oguest', isGuest: true };
    for (let count = 0; count < 3; count += 1) await make(guest);
    await expect(make(guest)).rejects.toThrow(
      'Your organisation has, as a guest of this workspace, 3 alerts',
    );
    await make({ ...guest, workspace: 'w2' });
  });
});

describe('an alert is not made', () => {
  test.each([
    ['http://hooks.example', 'is not an https address'],
    ['https://10.0.0.1/hook', 'is not on the public internet'],
    ['https://localhost/hook', 'is not on the public internet'],
    ['https://me:secret@hooks.example', 'must not hold a user name'],
    ['ftp://hooks.example', 'is not an https address'],
    [`https://hooks.example/${'x'.repeat(600)}`, 'at most 512 characters'],
  ])('for %.40s', async (url, why) => {
    await expect(make({}, { to: { url } })).rejects.toThrow(why);
  });

  test.each([1, 10_080])('but with a threshold of %d minutes', async threshold => {
    expect(await make({}, { threshold })).toMatchObject({ threshold });
  });

  test('but for a connection alone', async () => {
    expect(await make({ connection: 'c1' })).toMatchObject({ connection: 'c1' });
    expect(await make()).not.toHaveProperty('connection');
  });

  test('but for an address of 512 characters', async () => {
    const url = 'https://hooks.example/'.padEnd(512, 'x');
    expect((await make({}, { to: { url } })).to.url).toBe(url);
    await expect(make({}, { to: { url: `${url}x` } })).rejects.toThrow('at most 512 characters');
  });

  test.each([0, 1.5, Number.NaN, 10_081])('with a threshold of %d minutes', async threshold => {
    await expect(make({}, { threshold })).rejects.toThrow('a whole number from 1 to 10080');
  });

  test('but on a laptop for this machine', async () => {
    const url = 'http://127.0.0.1:9999/hook';
    expect(await make({}, { to: { url }, insecureLocal: true })).toMatchObject({ to: { url } });
  });
});
