import { randomUUID } from 'node:crypto';
import { createGuestConnection, endGuest } from '../../lib/access/people/guests.ts';
import { acceptInvitation, inviteVendor } from '../../lib/access/people/invitations.ts';
import { changePermissions } from '../../lib/access/registry/connections.ts';
import type { IssuedConnection } from '../../lib/access/registry/secrets.ts';
import type { busRoutes } from '../../lib/contract/bus-routes.ts';
import { limits } from '../../lib/contract/limits.ts';
import type { PortalCallId, portalCalls } from '../../lib/contract/portal/portal.ts';
import { bearer, call as busCall, post } from '../support/http-client.ts';
import { linkCommitted, storyContext } from '../support/messages.ts';
import { settled } from '../support/running-registry.ts';
import { type Portal, portalHere, subject } from './portal-people.ts';

interface Told {
  readonly id: string;
  readonly correlation: string;
}

/** Twelve assets whose names nobody guesses, in a story that was accepted before the invitation. */
const assets = Array.from({ length: 12 }, () => ({
  ...{ asset_id: `asset-${randomUUID()}`, asset_type: 'VIDEO', status: 'READY' },
}));

const hidden = storyContext({ sequence_number: 7_001, updated_at: '2026-05-04T09:17:31Z', assets });

const portal = portalHere(async () => {
  began = new Date(Date.now() - 1).toISOString();
  before = await publish();
  const authorization = await bearer(bus.base, bus.ready.producer);
  expect((await post(`${bus.tenant}/messages`, authorization, hidden)).status).toBe(202);
});
const { bus, guest } = portal;

let consumer: IssuedConnection;
let before: Told;
let after: Told;
let began: string;

const publish = async (): Promise<Told> => {
  const message = linkCommitted();
  const authorization = await bearer(bus.base, bus.ready.producer);
  expect((await post(`${bus.tenant}/messages`, authorization, message)).status).toBe(202);
  return { id: String(message['message_id']), correlation: String(message['correlation_id']) };
};

const connect = async (): Promise<IssuedConnection> => {
  const lists = { systemIds: [], grants: [], sources: [], receives: ['link.*'] };
  const place = {
    workspace: bus.ready.workspace,
    organisation: portal.made.vendor,
    app: 'Prompter desk',
  };
  return settled(
    await createGuestConnection(bus.registry, { ...lists, ...place, kind: 'consumer' }),
  );
};

beforeAll(async () => {
  consumer = await connect();
  after = await publish();
});

const c = () => ({ c: consumer.connection.id });

type Read = (told: Told) => Promise<string>;

/** What a call of the portal says; nothing if it is refused, which may name what was asked for. */
const by =
  (id: PortalCallId, request: (told: Told) => Parameters<Portal>[1] = () => ({})): Read =>
  async told => {
    const { status, body } = await guest(id, request(told));
    const content = Buffer.from(String(body.content ?? ''), 'base64').toString();
    return status === 200 ? JSON.stringify(body) + content : '';
  };

const asConsumer = () =>
  bearer(bus.base, { client_id: consumer.connection.id, client_secret: consumer.clientSecret });

const withToken =
  (path: (told: Told) => string): Read =>
  async told => {
    const headers = { authorization: await asConsumer() };
    const { status, body } = await busCall(`${bus.tenant}${path(told)}`, { headers });
    return status === 200 ? JSON.stringify(body) : '';
  };

type Gets<Rows> = {
  [Id in keyof Rows]: Rows[Id] extends { readonly method: 'GET' }
    ? Rows[Id] extends { readonly auth: 'bearer' }
      ? Id
      : Extract<Id, `${'workspace' | 'queue'}.${string}`>
    : never;
}[keyof Rows];

/**
 * Every way to read what was accepted, or why it tells no messages. Each responds with the id or
 * the correlation of a message that it tells. A new one without a row does not compile.
 */
const ways: Readonly<
  Record<Gets<typeof portalCalls> | Gets<typeof busRoutes>, readonly Read[] | string>
> = {
  'workspace.message': [by('workspace.message', ({ id }) => ({ subject: { m: id } }))],
  'workspace.content': [by('workspace.content', ({ id }) => ({ subject: { m: id } }))],
  'workspace.story': [
    by('workspace.story', ({ correlation }) => ({ query: { correlation } })),
    by('workspace.story', ({ id, correlation }) => ({ query: { correlation, around: id } })),
  ],
  'workspace.stories': [by('workspace.stories')],
  // By a part of an id, a guest finds what it sent only.
  'workspace.search': [by('workspace.search', ({ id }) => ({ query: { q: id } }))],
  'queue.show': [by('queue.show', () => ({ subject: c() }))],
  message: [withToken(({ id }) => `/messages/${id}`)],
  pull: [withToken(() => `/consumers/${c().c}/messages?visibility=10`)],
  // What was received: after the pull.
  'workspace.activity': [
    by('workspace.activity'),
    by('workspace.activity', ({ correlation }) => ({ query: { correlation } })),
  ],
  'workspace.show': 'names connections',
  'workspace.overview': 'counts',
  'workspace.volume': 'counts',
  'queue.replays': 'ranges of time',
  'queue.replay': 'a range of time',
  backlog: 'counts',
  registrations: 'skill instances',
  'check-list': 'its own runs',
  'check-report': 'its own run',
};

const reads = Object.entries(ways).flatMap(([id, all]) =>
  typeof all === 'string' ? [] : all.map(read => [id, read] as const),
);

const isTold = (told: Told, text: string): boolean =>
  [told.id, told.correlation].some(one => text.includes(one));

test.each(reads)(
  'a guest is told by %s what came after its invitation, and nothing before',
  async (_, read) => {
    expect(isTold(after, await read(after))).toBe(true);
    expect(isTold(before, await read(before))).toBe(false);
  },
);

test.each([
  ['queue.countReplay', { messages: 1 }],
  ['queue.startReplay', { from: expect.any(String), status: 'running' }],
] as const)("%s does not go back behind a guest's invitation", async (id, expected) => {
  const { body } = await guest(id, { subject: c(), body: { from: began } });
  expect(body).toMatchObject(expected);
  if (id === 'queue.startReplay')
    expect(Date.parse(body.from)).toBeGreaterThan(Date.parse(began) + 1);
  const early = await guest(id, {
    subject: c(),
    body: { from: began, to: new Date(Date.parse(began) + 1).toISOString() },
  });
  expect([early.status, early.body.message]).toEqual([
    409,
    expect.stringContaining('belongs to a guest'),
  ]);
});

test('an ack with forged facts is refused, and tells its sender no message that it was never sent', async () => {
  const own = await publish();
  const authorization = await asConsumer();
  const queue = `${bus.tenant}/consumers/${c().c}`;
  const pulled = await busCall(`${queue}/messages`, { headers: { authorization } });
  const { messages } = pulled.body as {
    messages: { message_id: string; receipt_handle: string }[];
  };
  const handle = messages.find(one => one.message_id === own.id)?.receipt_handle ?? '';
  const taken = Date.parse(began);
  const facts = JSON.stringify([before.id, 'link.committed', before.correlation, 'p', 1, 0, 0, 0]);
  const text = [
    's',
    taken.toString(36),
    Buffer.from(facts).toString('base64url'),
    handle.split('.').at(-1),
  ];
  const forged = text.join('.');
  const ack = await post(`${queue}/ack`, authorization, { receipt_handles: [forged] });
  const failed = [expect.objectContaining({ receipt_handle: forged, rule: 'receipt.expired' })];
  expect(ack.body).toEqual({ ok: [], failed });
  const ofMessage = reads.filter(([id]) => id === 'message' || id.startsWith('workspace.message'));
  expect(ofMessage.length).toBeGreaterThan(1);
  for (const [, read] of ofMessage) expect(await read(before)).toBe('');
  const content = await guest('workspace.content', { subject: { m: before.id } });
  expect(content.status).toBe(404);
});

describe('of a story that was accepted before its invitation', () => {
  const { payload } = hidden as { payload: Record<string, unknown> };
  const snapshot = (changes: Record<string, unknown>) =>
    storyContext(
      { ...payload, ...changes },
      { originating_system: { system_id: 'Guest desk', system_type: 'ncs' } },
    );
  const isValue = [
    ...assets.map(({ asset_id }) => asset_id),
    ...['7001', '7002', '09:17:31', 'VIDEO', 'headline', 'assets"'],
  ];
  let authorization: string;

  beforeAll(async () => {
    const place = {
      workspace: bus.ready.workspace,
      organisation: portal.made.vendor,
      app: 'Guest desk',
    };
    const lists = { systemIds: ['Guest desk'], grants: ['link.*'], sources: [], receives: [] };
    const made = settled(
      await createGuestConnection(bus.registry, { ...lists, ...place, kind: 'producer' }),
    );
    const { id } = made.connection;
    settled(await changePermissions(bus.registry, id, { grants: ['story.*'] }));
    authorization = await bearer(bus.base, { client_id: id, client_secret: made.clientSecret });
  });

  test.each([
    ['sequence_number.not_increasing', { sequence_number: 1 }],
    ['updated_at.backwards', { sequence_number: 7_002, updated_at: '2020-01-01T00:00:00Z' }],
    ['snapshot.assets_dropped', { sequence_number: 7_002, assets: [] }],
    ['snapshot.members_missing', { sequence_number: 7_002, assets: undefined }],
  ])('a dry run and a publish tell %s, and 0 of 12 asset ids', async (rule, changes) => {
    for (const route of ['validate', 'messages']) {
      const { status, body } = await post(
        `${bus.tenant}/${route}`,
        authorization,
        snapshot(changes),
      );
      expect([status, body['violations']]).toEqual([
        409,
        expect.arrayContaining([expect.objectContaining({ rule })]),
      ]);
      const texts = (body['violations'] as { message: string }[])
        .map(({ message }) => message)
        .join();
      expect(isValue.filter(value => texts.includes(value))).toEqual([]);
    }
  });

  test('its own snapshot is told to it, and one of the house after that is not', async () => {
    const told = async () => {
      const { body } = await post(
        `${bus.tenant}/validate`,
        authorization,
        snapshot({ sequence_number: 1 }),
      );
      return (body['violations'] as { message: string }[])[0]?.message;
    };
    const own = snapshot({ sequence_number: 7_002 });
    expect((await post(`${bus.tenant}/messages`, authorization, own)).status).toBe(202);
    expect(await told()).toBe(
      'Found 1; the last accepted snapshot has 7002. Send a greater number.',
    );
    const house = await bearer(bus.base, bus.ready.producer);
    const next = storyContext({ ...payload, sequence_number: 7_009 });
    expect((await post(`${bus.tenant}/messages`, house, next)).status).toBe(202);
    expect(await told()).toBe('sequence_number is not greater than in the last accepted snapshot.');
    const content = await guest('workspace.content', { subject: { m: String(own['message_id']) } });
    expect([content.status, content.body.next_sequence_number]).toEqual([200, undefined]);
  });
});

test('what a guest may not see is to it as what does not exist, also as the place to show of a story', async () => {
  const around = (correlation: string, id: string) =>
    guest('workspace.story', { query: { correlation, around: id } });
  const unknown = '00000000-0000-4000-8000-000000000000';
  const [seen, hidden, missing] = await Promise.all([
    around(after.correlation, after.id),
    around(before.correlation, before.id),
    around(before.correlation, unknown),
  ]);
  expect([seen.status, missing.status]).toEqual([200, 400]);
  expect(hidden).toEqual(missing);
  // Nor is a message that it may see a place in another story.
  expect(await around(before.correlation, after.id)).toEqual(missing);
});

describe('what a guest may not see is to it as what does not exist', () => {
  const correlation = randomUUID();
  const names = { hidden: 'secret-election', missing: 'secret-erection' };
  const stories = { hidden: correlation, missing: randomUUID() };

  beforeAll(async () => {
    const house = await bearer(bus.base, bus.ready.producer);
    const snapshot = storyContext({ story_id: names.hidden }, { correlation_id: correlation });
    expect((await post(`${bus.tenant}/messages`, house, snapshot)).status).toBe(202);
    // More than a page of a story looks at.
    for (let count = 1; count <= limits.listPage; count += 1) {
      const next = storyContext({ sequence_number: count }, { correlation_id: correlation });
      expect((await post(`${bus.tenant}/messages`, house, next)).status).toBe(202);
    }
  });

  /** What a call says, but for the positions, and the name that was asked for. */
  const told = async (
    who: Portal,
    id: PortalCallId,
    { asked, request }: { readonly asked: string; readonly request: Parameters<Portal>[1] },
  ) => {
    const { status, body } = await who(id, request);
    const { next, ...rest } = body;
    return JSON.stringify([status, rest, typeof next]).replaceAll(asked, 'NAME');
  };

  test.each([
    ['workspace.activity', (query: string) => ({ query: { correlation: query } }), names],
    ['workspace.stories', (query: string) => ({ query: { find: query } }), names],
    ['workspace.story', (query: string) => ({ query: { correlation: query } }), stories],
    [
      'queue.countReplay',
      (query: string) => ({ subject: c(), body: { from: began, correlation_id: query } }),
      stories,
    ],
  ] as const)('by %s', async (id, requestFor, { hidden: there, missing }) => {
    const ask = (who: Portal, name: string) =>
      told(who, id, { asked: name, request: requestFor(name) });
    if (id.startsWith('workspace'))
      expect(await ask(portal.owner, there)).not.toBe(await ask(portal.owner, missing));
    expect(await ask(guest, there)).toBe(await ask(guest, missing));
  });
});

test('a guest is not told the identity providers of the house', async () => {
  const { body } = await guest('connection.list');
  expect(body.issuers).toEqual([]);
});

/** Ends the vendor's place, and invites somebody as one vendor or another. */
const inviteAgain = async (who: string, as: { organisation: string } | { newVendor: string }) => {
  const { registry: ports, ready } = bus;
  settled(await endGuest(ports, ready.workspace, portal.made.vendor));
  const terms = { kinds: ['consumer'] as const, grants: [], receives: ['link.*'] };
  const invitation = settled(await inviteVendor(ports, { workspace: ready.workspace, terms }));
  const person = { issuer: 'local', subject: subject(who), name: who };
  settled(await acceptInvitation(ports, invitation, { person, ...as }));
};

test('another, narrower invitation leaves the connections of the vendor as they are, and visible', async () => {
  const { registry: ports, ready } = bus;
  const terms = { kinds: ['consumer'] as const, grants: [], receives: ['link.committed'] };
  const invitation = settled(await inviteVendor(ports, { workspace: ready.workspace, terms }));
  const person = { issuer: 'local', subject: subject('invited owner'), name: 'invited owner' };
  const first = await ports.invitations.guestOf(ready.workspace, portal.made.vendor);
  settled(await acceptInvitation(ports, invitation, { person, organisation: portal.made.vendor }));
  const second = await ports.invitations.guestOf(ready.workspace, portal.made.vendor);
  expect(second).toEqual({ ...first, terms });

  const shown = await guest('workspace.show');
  expect(JSON.stringify(shown.body)).toContain(consumer.connection.id);
  const content = await guest('workspace.content', { subject: { m: after.id } });
  expect(content.status).toBe(200);
  const permit = async (receives: readonly string[]) => {
    const { version } = (await guest('connection.show', { subject: c() })).body;
    return guest('connection.permit', { subject: c(), body: { receives, version } });
  };
  expect((await permit(['link.committed'])).status).toBe(200);
  expect((await permit(['link.*'])).status).toBe(200);
  expect((await permit(['telling.*'])).body.message).toContain('it allows link.*.');
  await expect(connect()).rejects.toThrow(
    'This workspace did not invite you for link.*: it allows link.committed.',
  );
});

test('after another invitation, a vendor is told nothing of the time before it', async () => {
  await inviteAgain('invited owner', { organisation: portal.made.vendor });
  consumer = await connect();
  for (const [, read] of reads) expect(isTold(after, await read(after))).toBe(false);
});

test('who is also of another vendor is told nothing as the one that is invited no more', async () => {
  await inviteAgain('invited editor', { newVendor: 'Another vendor' });
  const told = reads.filter(([id]) => id.startsWith('workspace.'));
  for (const [, read] of told) expect(isTold(after, await read(after))).toBe(false);
});
