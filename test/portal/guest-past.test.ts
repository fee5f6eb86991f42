import type { PortalCallId } from '../../lib/contract/portal.ts';
import { createGuestConnection, endGuest } from '../../lib/registry/guests.ts';
import { acceptInvitation, inviteVendor } from '../../lib/registry/invitations.ts';
import type { IssuedConnection } from '../../lib/registry/secrets.ts';
import { bearer, call as busCall, post } from '../support/http-client.ts';
import { linkCommitted } from '../support/messages.ts';
import { serviceHere } from '../support/one-service.ts';
import { settled } from '../support/running-registry.ts';
import { type Portal, populate, portalOf, subject } from './portal-people.ts';

const bus = serviceHere();

interface Told {
  readonly id: string;
  readonly correlation: string;
}

let portal: Portal;
let consumer: IssuedConnection;
let before: Told;
let after: Told;
let began: string;
let between: string;

const publish = async (): Promise<Told> => {
  const message = linkCommitted();
  const authorization = await bearer(bus.base, bus.ready.producer);
  expect((await post(`${bus.tenant}/messages`, authorization, message)).status).toBe(202);
  return { id: String(message['message_id']), correlation: String(message['correlation_id']) };
};

const connect = async (organisation: string): Promise<IssuedConnection> => {
  const nothing = { systemIds: [], grants: [], sources: [] };
  const place = { workspace: bus.ready.workspace, organisation, app: 'Prompter desk' };
  return settled(
    await createGuestConnection(bus.registry, {
      ...nothing,
      ...place,
      kind: 'consumer',
      receives: ['link.*'],
    }),
  );
};

let vendor = '';

beforeAll(async () => {
  began = new Date(Date.now() - 1).toISOString();
  before = await publish();
  const made = await populate(bus);
  vendor = made.vendor;
  between = new Date().toISOString();
  consumer = await connect(vendor);
  portal = await portalOf(bus, 'invited editor');
  after = await publish();
});

const ask = async (id: PortalCallId, names: object = {}, more: object = {}): Promise<string> =>
  JSON.stringify(await portal(id, { subject: { ...names }, ...more }));

const c = () => ({ c: consumer.connection.id });

const withToken = async (path: string): Promise<string> => {
  const client = { client_id: consumer.connection.id, client_secret: consumer.clientSecret };
  const authorization = await bearer(bus.base, client);
  return JSON.stringify(await busCall(`${bus.tenant}${path}`, { headers: { authorization } }));
};

/** Every way to read what was accepted. Each responds with the id of a message that it tells. */
const ways: Readonly<Record<string, (told: Told) => Promise<string>>> = {
  'the message': ({ id }) => ask('workspace.message', { m: id }),
  'its content': async ({ id }) => {
    const { body } = await portal('workspace.content', { subject: { m: id } });
    return Buffer.from(String(body.content ?? ''), 'base64').toString();
  },
  'the story': ({ correlation }) => ask('workspace.story', {}, { query: { correlation } }),
  'the story around the message': ({ id, correlation }) =>
    ask('workspace.story', {}, { query: { correlation, around: id } }),
  'the queue': () => ask('queue.show', c()),
  'the message, with a token (sombus trace)': ({ id }) => withToken(`/messages/${id}`),
  'a pull': () => withToken(`/consumers/${c().c}/messages?visibility=10`),
  // It tells what was received.
  'the activity': () => ask('workspace.activity'),
  'the activity of a correlation': ({ correlation }) =>
    ask('workspace.activity', {}, { query: { correlation } }),
};

test.each(Object.keys(ways))(
  'a guest is told by %s what came after its invitation, and nothing before',
  async way => {
    const read = ways[way];
    expect(await read?.(after)).toContain(after.id);
    const old = (await read?.(before)) ?? '';
    const echoed = way.includes('message') || way === 'its content' ? '"status":200' : before.id;
    expect(old).not.toContain(echoed);
  },
);

test('the list of stories has those that came after', async () => {
  const stories = await ask('workspace.stories');
  expect(stories).toContain(after.correlation);
  expect(stories).not.toContain(before.correlation);
});

test.each([
  ['queue.countReplay', { messages: 1 }],
  ['queue.startReplay', { from: expect.any(String), status: 'running' }],
] as const)("%s does not go back behind a guest's invitation", async (id, expected) => {
  const { body } = await portal(id, { subject: c(), body: { from: began } });
  expect(body).toMatchObject(expected);
  if (id === 'queue.startReplay') expect(Date.parse(body.from)).toBeGreaterThan(Date.parse(began) + 1);
  const early = await portal(id, {
    subject: c(),
    body: { from: began, to: new Date(Date.parse(began) + 1).toISOString() },
  });
  expect([early.status, early.body.message]).toEqual([409, expect.stringContaining('belongs to a guest')]);
  expect(Date.parse(between)).toBeGreaterThan(Date.parse(began));
});

test('after another invitation, a vendor is told nothing of the time before it', async () => {
  settled(await endGuest(bus.registry, bus.ready.workspace, vendor));
  const terms = { kinds: ['consumer'] as const, grants: [], receives: ['link.*'] };
  const invitation = settled(await inviteVendor(bus.registry, { workspace: bus.ready.workspace, terms }));
  const name = subject('invited owner');
  const person = { issuer: 'local', subject: name, name };
  settled(await acceptInvitation(bus.registry, invitation, { person, organisation: vendor }));
  consumer = await connect(vendor);
  for (const way of ['the activity', 'the message', 'its content', 'the story', 'a pull'])
    expect((await ways[way]?.(after)) ?? '').not.toMatch(
      new RegExp(`"status":200.*${after.id}|^\\{"message_id`),
    );
  expect(await ask('workspace.stories')).not.toContain(after.correlation);
});
