import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { endGuest } from '../../lib/access/people/guests.ts';
import { addMember } from '../../lib/access/people/members.ts';
import { localEnv } from '../../lib/local/env.ts';
import { operatorKeyIn } from '../../lib/local/roles.ts';
import type { Mail } from '../../lib/portal/alerts/mail.ts';
import { webhookSignature } from '../../lib/portal/alerts/webhook.ts';
import { alerts } from '../../lib/wiring/alerts.ts';
import { eventually } from '../support/eventually.ts';
import { bearer, post } from '../support/http-client.ts';
import { callsWith, type Portal, portalHere, subject, told } from './portal-people.ts';

const portal = portalHere();
const { bus, viewer, owner, as } = portal;
const [guest, stranger] = [as('invited owner'), as('owner elsewhere')];

interface Got {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
const got: Got[] = [];
const server = createServer((incoming, response) => {
  let body = '';
  incoming.on('data', chunk => {
    body += chunk;
  });
  incoming.on('end', () => {
    got.push({ headers: incoming.headers as Got['headers'], body });
    response.end('a body that nobody is shown');
  });
});
let url: string;

beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?key=private`;
});
afterAll(() => server.close());

const stored = () => {
  const { base_url, endpoints } = bus.ready;
  return alerts(localEnv(new URL(base_url).origin, endpoints, operatorKeyIn(bus.data)));
};

const wanted = (more: object = {}) => ({ body: { kind: 'refusals', threshold: 0, url, ...more } });
const about = (l: string, body: object = {}) => ({ subject: { l }, body });
const listed = async (person: Portal) => (await person('alert.list')).body.alerts;

test('an owner makes an alert, tests it, and its webhook is told of a refusal', async () => {
  const { status, body } = await owner('alert.make', wanted());
  expect(status).toBe(200);
  const { secret, alert_id: id } = body;
  expect(secret).toMatch(/^whsec_/);
  expect((await owner('alert.test', about(id))).status).toBe(200);
  const tooSoon = {
    status: 409,
    body: { message: expect.stringContaining('less than 10 seconds ago') },
  };
  expect(await owner('alert.test', about(id))).toMatchObject(tooSoon);
  expect(JSON.stringify(await listed(owner))).not.toContain('whsec_');
  const { base_url, workspace, producer } = bus.ready;
  const token = await bearer(base_url, producer);
  await post(`${base_url}/tenants/${workspace}/messages`, token, {});
  const find = () => got.find(({ body: sent }) => sent.includes('alert.raised'));
  await eventually(() => find() !== undefined);
  const { headers, body: sent } = find() ?? { headers: {} as Got['headers'], body: '' };
  const [name = '', timestamp = ''] = [headers['webhook-id'], headers['webhook-timestamp']];
  expect(headers['webhook-signature']).toBe(
    webhookSignature(secret, { id: name, timestamp, body: sent }),
  );
  expect(JSON.parse(sent).data).toMatchObject({
    alert_id: id,
    connections: [{ connection_id: producer.client_id, value: 1 }],
  });
});

test('who is no owner sees the host of a webhook, and not its URL', async () => {
  const [alert] = await listed(viewer);
  expect(alert).toMatchObject({ kind: 'refusals', to: new URL(url).host });
  expect(JSON.stringify(alert)).not.toContain('private');
});

test('an alert of another organisation does not exist, whatever is done to it', async () => {
  const [{ alert_id: id }] = await listed(owner);
  // Who owns a guest, and only looks at the house, is no owner of what the house is told.
  const both = { issuer: 'local', subject: subject('both'), name: 'Both' };
  await addMember(bus.registry, { ...both, organisation: portal.made.vendor, role: 'owner' });
  await addMember(bus.registry, {
    ...both,
    organisation: portal.made.organisation,
    role: 'viewer',
  });
  for (const call of ['alert.change', 'alert.test', 'alert.delete'] as const)
    for (const person of [guest, stranger, as('both')])
      expect((await person(call, about(id, { threshold: 1, url }))).status).toBe(404);
  expect(await listed(guest)).toEqual([]);
  const foreign = await guest('alert.make', wanted({ connection_id: portal.made.own }));
  expect(foreign.status).toBe(404);
  const other = await guest('alert.make', wanted({ organisation_id: portal.made.organisation }));
  expect(other.status).toBe(403);
});

test('limit.reached: a guest makes three', async () => {
  for (let count = 0; count < 3; count += 1)
    expect((await guest('alert.make', wanted({ connection_id: portal.made.guest }))).status).toBe(
      200,
    );
  expect(told(await guest('alert.make', wanted()))).toMatch(/^409 limit.reached:/);
  expect(await listed(owner)).toHaveLength(1);
});

test('a guest’s alerts end with the invitation', async () => {
  const left = () => stored().of(portal.made.vendor, bus.ready.workspace);
  expect(await left()).toHaveLength(3);
  await endGuest(bus.registry, bus.ready.workspace, portal.made.vendor);
  await eventually(async () => (await left()).length === 0);
});

test('who made, changed and deleted an alert is recorded, without its URL', async () => {
  const [{ alert_id: id }] = await listed(owner);
  expect((await owner('alert.change', about(id, { threshold: 5, url }))).body.threshold).toBe(5);
  expect((await owner('alert.delete', about(id))).status).toBe(200);
  expect(await listed(owner)).toEqual([]);
  const changes: { what: string; by: string }[] = await portal.changes();
  const noted = changes.filter(({ what }) => what.startsWith('alert.'));
  const [by, facts] = [
    'the-owner',
    { workspace: bus.ready.workspace, alert: id, to: new URL(url).host },
  ];
  expect(noted).toMatchObject(
    ['alert.delete', 'alert.change', 'alert.make'].map(what => ({ what, by, facts })),
  );
  expect(JSON.stringify(noted)).not.toMatch(/private|whsec_/);
});

describe('an alert by e-mail', () => {
  const body = { kind: 'refusals', threshold: 0, by: 'email', organisation_id: '' };

  /** What the house's owner does on a bus that sends e-mails. */
  const call = async (id: 'alert.make' | 'alert.list' | 'alert.test', request = {}, email = {}) => {
    const mailed: Mail[] = [];
    const send = async (mail: Mail) => {
      mailed.push(mail);
      return {};
    };
    const person = { issuer: 'local', subject: 'the-owner', name: 'Jo', ...email };
    const calls = callsWith(bus, { alerts: stored(), mails: { isOn: true, send } }, person);
    return { ...(await calls(id, { body, ...request })), mailed };
  };
  const verified = { email: 'jo@house.example' };

  test('is refused where the bus sends none', async () => {
    const { status, body: refusal } = await owner('alert.make', { body });
    expect([status, refusal.message]).toEqual([
      409,
      expect.stringContaining('This bus sends no e-mail'),
    ]);
    expect((await owner('alert.list')).body.email).toBeUndefined();
  });

  test('is refused to a person without a verified address', async () => {
    const { status, body: refusal } = await call('alert.make');
    expect([status, refusal.message]).toEqual([
      409,
      expect.stringContaining('verified no e-mail address'),
    ]);
  });

  test('goes to one’s own verified address, whatever the body says, and has no secret', async () => {
    expect((await call('alert.list', {}, verified)).body.email).toBe('jo@house.example');
    const asked = { body: { ...body, email: 'other@elsewhere.example', url } };
    const given = await call('alert.make', asked, verified);
    expect(given.body).toMatchObject({ by: 'email', to: 'jo@house.example' });
    expect(given.body).not.toHaveProperty('secret');
    expect(given.body).not.toHaveProperty('url');
    const l = given.body.alert_id;
    const { mailed } = await call('alert.test', { subject: { l } });
    expect(mailed).toEqual([
      {
        to: 'jo@house.example',
        subject: '[som-bus] Test: A producer is refused more than 0 times within an hour',
        text: expect.stringContaining(`/workspaces/${bus.ready.workspace}/alerts`),
      },
    ]);
    expect((await owner('alert.test', about(l))).body.message).toContain('less than 10 seconds');
    expect((await owner('alert.delete', about(l))).status).toBe(200);
  });
});
