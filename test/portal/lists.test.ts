import { randomBytes } from 'node:crypto';
import { awsChanges } from '../../lib/access/people/changes.dynamodb.ts';
import { partyItem, requestItem } from '../../lib/access/people/directory.dynamodb.ts';
import { awsInvitations } from '../../lib/access/people/invitations.dynamodb.ts';
import { awsMembers, placeKey, vendorKey } from '../../lib/access/people/members.dynamodb.ts';
import { connectionItem, credentialItem } from '../../lib/access/registry/items.dynamodb.ts';
import { problemWithPermissions } from '../../lib/access/registry/permissions.ts';
import { awsRecorder } from '../../lib/bus/activity/records.dynamodb.ts';
import { entryItem, headKey } from '../../lib/bus/delivery/ledger-items.dynamodb.ts';
import type { Replay } from '../../lib/bus/replay/replay.ts';
import { awsReplays } from '../../lib/bus/replay/replays.dynamodb.ts';
import type { Run } from '../../lib/checks/run.ts';
import { awsCheckRuns } from '../../lib/checks/runs.dynamodb.ts';
import { limits } from '../../lib/contract/limits.ts';
import {
  type PortalCall,
  type PortalCallId,
  portalCallIds,
  portalCalls,
  reasonCharacters,
} from '../../lib/contract/portal/portal.ts';
import { awsRaisedBounds } from '../../lib/platform/aws/bounded.ts';
import { batchPut } from '../../lib/platform/aws/many-items.ts';
import { awsAlerts } from '../../lib/portal/alerts/alerts.dynamodb.ts';
import { awsSkillRegistrations } from '../../lib/skills/registrations.dynamodb.ts';
import type { SkillRegistration } from '../../lib/skills/registrations.ts';
import { connectionOf } from '../corpus/connections.ts';
import { correlation, entry } from '../support/entries.ts';
import { type PortalService, startPortal } from './portal-service.ts';

/** More than one page of every list. */
const many = 250;

/** Eight letters or more, another text for each number. */
const textOf = (at: number): string =>
  at
    .toString(2)
    .padStart(8, '0')
    .replace(/./g, bit => 'ab'[Number(bit)] ?? '');
const some = <T>(count: number, make: (text: string, at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(textOf(at), at));
const each = <T>(make: (text: string, at: number) => T): T[] => some(many, make);
const idOf = (letter: string, text: string): string => `${letter}2222${text}`;

const house = 'ohouse2222222';
const workspace = 'wspace2222222';
const person = { issuer: 'local', subject: 'owner', name: 'Owner' };
const consumer = {
  ...connectionOf(idOf('c', 'aaaaaaaa'), 'consumer', workspace),
  organisation: house,
};
const now = Date.now();
const createdAt = new Date(now).toISOString();

const alert = {
  organisation: house,
  workspace,
  kind: 'refusals',
  threshold: 0,
  to: { url: 'https://hooks.example', secret: '' },
  createdAt,
  state: { raised: [], runs: [], deliveries: [] },
  revision: 1,
} as const;

const errors: unknown[] = [];

type Tables = PortalService['tables'];

const active = { status: 'active', createdAt } as const;

const organisation = (id: string, name: string) =>
  ({ ...active, kind: 'organisation', id, name, type: 'vendor', tier: 'standard' }) as const;

const inHouse = (kind: 'workspace' | 'app', id: string) =>
  partyItem({ ...active, kind, id, name: id, organisation: house });

const registration = (id: string, more: Partial<SkillRegistration>): SkillRegistration => ({
  ...{ id, connection: consumer.id, skill_id: 's', skill_version: '1', instance_label: id },
  ...{ values: {}, paused: false, createdAt },
  ...more,
});

const fillRegistry = async ({ registry }: Tables) => {
  await batchPut(registry, [
    partyItem(organisation(house, 'House')),
    inHouse('workspace', workspace),
    ...each(text => partyItem(organisation(idOf('o', text), 'Vendor'))),
    ...each(text => inHouse('workspace', idOf('w', text))),
    ...each(text => inHouse('app', idOf('a', text))),
    ...each(text => ({ ...inHouse('workspace', `w3333${text}`), parent: idOf('o', text) })),
    ...each(text => ({
      ...vendorKey(workspace, idOf('o', text)),
      ...{ workspace, organisation: idOf('o', text), since: createdAt },
      ...{ kinds: [], grants: [], receives: [] },
    })),
    ...each(text => placeKey(`w3333${text}`, house)),
    ...each(text => {
      const grants = Array.from({ length: 50 }, (_, at) => `${at}`.padEnd(256, 'x'));
      return connectionItem({ ...consumer, id: idOf('c', text), grants });
    }),
    ...each(text => credentialItem(idOf('c', text), { version: 1 })),
  ]);
  const members = awsMembers(registry);
  await members.put({ ...person, organisation: house, role: 'owner', since: createdAt });
  await members.setOperator(person, true);
  const invitations = awsInvitations(registry);
  const alerts = awsAlerts(registry);
  const raised = awsRaisedBounds({ registry, ledger: registry });
  for (const bound of ['people', 'invitations'] as const)
    await raised.raise({ bound, scope: 'organisation', of: house }, 2 * many);
  await batchPut(registry, [
    ...each(text =>
      partyItem({
        ...organisation(`o3333${text}`, '€'.repeat(limits.nameCharacters)),
        status: 'requested',
        requestedBy: person,
        reason: '€'.repeat(reasonCharacters),
      }),
    ),
    ...each(text => requestItem(person, `o3333${text}`)),
  ]);
  for (const text of each(one => one)) {
    await members.put({
      ...person,
      subject: text,
      organisation: house,
      role: 'viewer',
      since: createdAt,
    });
    const offer = { kind: 'member', organisation: house, role: 'viewer' } as const;
    await invitations.add(text, { offer, until: now + 3_600_000 }, now);
    await alerts.add({ ...alert, id: idOf('l', text) }, []);
  }
  await awsSkillRegistrations(registry).add(
    each(text => registration(idOf('r', text), {})),
    [],
  );
};

/** As many and as long as one connection may have: 16,044 bytes. */
const longest = Array.from({ length: 21 }, (_, at) => `${at}`.padStart(2, '0') + '€'.repeat(254));

/** What runs test, with as many system_ids as a connection may have. */
const tested = [consumer.id, 'cproducer2222'].map(connection_id => ({
  connection_id,
  system_ids: longest,
}));

const fillWork = async ({ ledger, activity }: Tables) => {
  const replays = awsReplays(ledger);
  const runs = awsCheckRuns(ledger);
  const ids = { random: (bytes: number) => randomBytes(bytes) };
  const changes = awsChanges(activity, ids);
  const recorder = awsRecorder(activity, {
    ids,
    archiveDays: 30,
    lost: (_kind, error) => errors.push(error),
  });
  const ended = { status: 'finished', sent: 0, next: 1, waiting: [] } as const;
  const replay = {
    ...ended,
    connection: consumer.id,
    workspace,
    from: now - 1000,
    to: now,
    reached: now,
  };
  const run = {
    ...{ kind: 'executor', workspace, connections: tested, options: {} },
    ...{ busVersion: '1', status: 'finished' },
    state: { instances: {}, registrations: {}, labels: [], cases: [], receives: [], notes: [] },
  };
  const publish = (text: string, at: number, story: string) =>
    entryItem(
      entry(text, { workspace, correlationId: story, number: at + 1, acceptedAt: now - many + at }),
      30,
    );
  await batchPut(ledger, [
    ...each((text, at) => publish(text, at, correlation(1))),
    ...each((text, at) => publish(`${text}-own`, 0, correlation(at + 2))),
    {
      ...headKey({ workspace, correlationId: correlation(1) }),
      last: many,
      published: many,
      last_accepted_at: now,
    },
  ]);
  await Promise.all([
    ...each((text, at) =>
      replays.add({ ...replay, id: idOf('y', text), createdAt: now - at } satisfies Replay, []),
    ),
    ...each((text, at) =>
      runs.add({ ...run, id: idOf('t', text), createdAt: now - at } as unknown as Run, []),
    ),
    ...each((_, at) => {
      const facts = { text: 'x'.repeat(8_000) };
      return changes.note({
        organisation: house,
        at: now - at,
        by: person,
        what: 'skill.register',
        facts,
      });
    }),
    ...each((text, at) => {
      const message = { messageId: text, messageType: 'link.committed', correlationId: text };
      const taken = { pull: 'p', acceptedAt: now, takenAt: now, receiveCount: 1, visibleAt: now };
      const pull = {
        connection: consumer.id,
        workspace,
        at: now - at,
        receives: [{ ...message, ...taken }],
      };
      return recorder.record({ kind: 'received', ...pull });
    }),
  ]);
};

const none = { systemIds: [], grants: [], receives: [], sources: [] };
const allowed = {
  producer: { ...none, systemIds: longest },
  consumer: { ...none, sources: longest },
};

const [fullHouse, full] = ['ofull22222222', 'wfull22222222'];
const fullConsumer = `c4444${textOf(0)}`;
/** 8,192 bytes with its configuration. */
const instance = (text: string) =>
  registration(`r4444${text}`, { connection: fullConsumer, values: { text: 'x'.repeat(8_100) } });

/** A workspace in which every bound is reached with the largest things that are allowed. */
const fillUp = async ({ registry }: Tables) => {
  const inside = { ...active, organisation: fullHouse };
  const connections = some(850, (text, at) => {
    const kind = at < 300 ? 'consumer' : 'producer';
    const one = { ...connectionOf(`c4444${text}`, kind, full), ...allowed[kind] };
    const status = at < 600 ? one.status : 'revoked';
    return { ...one, organisation: fullHouse, app: `a4444${text}`, status };
  });
  await batchPut(registry, [
    partyItem(organisation(fullHouse, 'Full')),
    partyItem({ ...inside, kind: 'workspace', id: full, name: 'Full' }),
    ...connections
      .slice(0, 600)
      .map(({ app }) => partyItem({ ...inside, kind: 'app', id: app, name: app })),
    ...connections.flatMap(one => [connectionItem(one), credentialItem(one.id, { version: 1 })]),
  ]);
  const member = { ...person, organisation: fullHouse, role: 'owner', since: createdAt } as const;
  await awsMembers(registry).put(member);
  await awsSkillRegistrations(registry).add(some(2_000, instance), []);
};

let portal: PortalService;
beforeAll(async () => {
  portal = await startPortal();
  await fillRegistry(portal.tables);
  await fillWork(portal.tables);
  await fillUp(portal.tables);
});
afterAll(() => portal.close());

const subject = { o: house, w: workspace, c: consumer.id };

const call = (id: PortalCallId, query: Readonly<Record<string, string>>) =>
  portal.call(id, { person, subject, query });

/** Pages of tables that the last call read. */
const reads = (): number =>
  Object.values(portal.tables).reduce((sum, { name }) => sum + (portal.asked.get(name) ?? 0), 0);

const paged = portalCallIds.filter(id => 'page' in portalCalls[id]);
const first: Readonly<Record<string, string>> = { correlation: correlation(1) };

const pageOf = (id: PortalCallId): 'after' | 'before' => {
  const { page = 'after' }: PortalCall = portalCalls[id];
  return page;
};

/** What a list is asked about. */
const aboutList = (id: PortalCallId): Readonly<Record<string, string>> => {
  if (id === 'workspace.story') return first;
  return id === 'workspace.search' ? { q: 'c' } : {};
};

/** The objects of all lists in a response. */
const entriesIn = (body: Record<string, unknown>): readonly object[] =>
  Object.entries(body).flatMap(([name, value]) =>
    // Of a person's own: they come with each page.
    Array.isArray(value) && !['makers', 'issuers'].includes(name) ? value : [],
  );

describe('every list has a bound and a page', () => {
  it.each(paged)('%s', async id => {
    const { page = 'after' }: PortalCall = portalCalls[id];
    const about = aboutList(id);
    const seen: string[] = [];
    let next: unknown;
    let pages = 0;
    do {
      const response = await call(id, {
        ...about,
        ...(next === undefined ? {} : { [page]: String(next) }),
      });
      expect([id, response.status]).toEqual([id, 200]);
      expect(entriesIn(response.body).length).toBeLessThanOrEqual(200);
      expect(response.bytes).toBeLessThanOrEqual(256 * 1024);
      expect(reads()).toBeLessThanOrEqual(20);
      seen.push(...entriesIn(response.body).map(one => JSON.stringify(one)));
      next = response.body['next'];
      pages += 1;
      // A sealed text, whatever the list calls its positions.
      expect(next === undefined || /^[\w-]{43,1024}$/.test(String(next))).toBe(true);
    } while (next !== undefined && pages < 50);
    expect(next).toBeUndefined();
    expect([...errors, ...portal.errors]).toEqual([]);
    expect(seen.length).toBeGreaterThanOrEqual(many);
    // A story that goes on is on several pages.
    if (id !== 'workspace.stories') expect(new Set(seen).size).toBe(seen.length);
  });
});

test('a search that finds many connections has a bound and a page', async () => {
  const found: string[] = [];
  let next: unknown;
  do {
    const after = next === undefined ? {} : { after: `${next}` };
    const response = await call('workspace.search', { q: 'c', ...after });
    const entries = entriesIn(response.body);
    expect([response.status, entries.length <= 200, reads() <= 20]).toEqual([200, true, true]);
    found.push(...entries.map(one => JSON.stringify(one)));
    next = response.body['next'];
  } while (next !== undefined);
  expect(found.filter(one => one.includes('"connection"'))).toHaveLength(many);
});

test('a connection is found on whichever page of the list it stands', async () => {
  const idsOf = ({ body }: Awaited<ReturnType<typeof call>>) =>
    (body['connections'] as { connection_id: string }[]).map(one => one.connection_id);
  const first = await call('connection.list', {});
  expect(first.body['next']).toBeDefined();
  const shown = new Set(idsOf(first));
  const [later = ''] = each(text => idOf('c', text)).filter(id => !shown.has(id));
  const found = await call('connection.list', { find: ` ${later.toUpperCase()} ` });
  expect([idsOf(found), found.body['next']]).toEqual([[later], undefined]);
  expect(idsOf(await call('connection.list', { find: 'no such connection' }))).toEqual([]);
});

test('the activity was searched at least as far back as the last line that it shows', async () => {
  const { body } = await call('workspace.activity', {});
  const lines = body['activity'] as { at: string }[];
  expect(lines).toHaveLength(50);
  expect(Date.parse(String(body['searched_to']))).toBeLessThanOrEqual(
    Date.parse(lines.at(-1)?.at ?? ''),
  );
});

test.each(paged)('%s: a position that no page gave is no error of ours', async id => {
  const { page = 'after' }: PortalCall = portalCalls[id];
  for (const forged of [
    '',
    '~',
    '\u{10ffff}',
    '€'.repeat(300),
    'x'.repeat(1_024),
    '~,~,~',
    '-1',
    ' ',
  ]) {
    const { status } = await call(id, { ...aboutList(id), [page]: forged });
    expect([forged, status]).toEqual([forged, 400]);
  }
  expect(portal.errors).toEqual([]);
});

test('a position is taken by the list that gave it, in the same place, and unchanged', async () => {
  const { body } = await call('workspace.stories', {});
  const next = String(body['next']);
  const statusOf = async (id: PortalCallId, position: string) =>
    (await call(id, { ...aboutList(id), [pageOf(id)]: position })).status;
  expect(await statusOf('workspace.stories', next)).toBe(200);
  expect(await statusOf('workspace.activity', next)).toBe(400);
  const elsewhere = { person, subject: { ...subject, w: full }, query: { before: next } };
  expect((await portal.call('workspace.stories', elsewhere)).status).toBe(400);
  const changed = [...next].map(
    (character, at) => next.slice(0, at) + (character === 'x' ? 'y' : 'x') + next.slice(at + 1),
  );
  const statuses = await Promise.all(changed.map(one => statusOf('workspace.stories', one)));
  expect(statuses.filter(status => status !== 400)).toEqual([]);
  expect(statuses.length).toBeGreaterThan(60);
});

test('a caller who leaves is heard between two reads', async () => {
  const query = { type: 'nothing-like-it' };
  await call('workspace.activity', query);
  const whole = reads();
  const client = new AbortController();
  const onAsked = () => setImmediate(() => client.abort());
  const { status } = await portal.call('workspace.activity', {
    ...{ person, subject, query, onAsked },
    gone: client.signal,
  });
  expect([status, reads() < whole]).toEqual([503, true]);
});

describe('what cannot be is refused, in a sentence', () => {
  const long = 'x'.repeat(3_000);
  it.each<[PortalCallId, Record<string, string>]>([
    ['workspace.stories', { before: '2026-13-45T00:00:00.000Z' }],
    ['workspace.stories', { before: '2026-02-30T00:00:00.000Z' }],
    ['workspace.activity', { after: '+275761-01-01T00:00:00.000Z' }],
    ['workspace.activity', { correlation: long }],
    ['workspace.story', { correlation: long }],
    ['workspace.story', { correlation: '€'.repeat(1_000) }],
    ['workspace.story', { around: '€'.repeat(1_000) }],
    ['workspace.story', { correlation: correlation(1), after: '01' }],
    ['organisation.changes', { before: 'x' }],
    ['queue.replays', { after: long }],
  ])('%s: %.60j', async (id, query) => {
    const { status, body } = await call(id, query);
    expect([status, body['code']]).toEqual([400, 'request.invalid']);
  });
});

test('an id in a URL that is longer than any that exists is refused', async () => {
  const long = { person, subject: { ...subject, w: 'x'.repeat(3_000) } };
  expect(await portal.call('workspace.stories', long)).toMatchObject({ status: 400 });
});

it.each<[PortalCallId, string]>([
  ['organisation.setRole', 'member_id'],
  ['alert.make', 'connection_id'],
])(
  '%s: an over-long %s in a body is refused by its name, before anything is read',
  async (id, name) => {
    const wrong = {
      person,
      subject,
      body: { seen_role: 'viewer', role: 'editor', [name]: 'x'.repeat(3_000) },
    };
    const { status, body } = await portal.call(id, wrong);
    const message = `"${name}" has to be a text of at most 256 characters.`;
    expect([status, body]).toEqual([400, { code: 'request.invalid', message }]);
  },
);

test('the attack: a listing from the end of the calendar reads no more than one from now', async () => {
  const { status } = await call('workspace.stories', { before: '9999-12-31T23:59:59.999Z' });
  expect([status, reads() <= 20]).toEqual([200, true]);
});

describe('in a full workspace of the largest connections and instances', () => {
  const about = {
    o: fullHouse,
    w: full,
    c: fullConsumer,
    r: `r4444${textOf(1_999)}`,
    m: 'maaaaaaaaaaaa',
  };
  const reading = portalCallIds.filter(
    id => portalCalls[id].method === 'GET' && !id.startsWith('sign.'),
  );
  const ask = (id: PortalCallId, more: object = {}) =>
    portal.call(id, { person, subject: about, ...more });

  it.each(reading)('%s reads at most 20 pages of a table', async id => {
    const { status } = await ask(id, { query: { q: 'c4444aaaa' } });
    expect([200, 400, 404, 409]).toContain(status);
    const most = Math.max(
      ...Object.values(portal.tables).map(({ name }) => portal.asked.get(name) ?? 0),
    );
    expect(most).toBeLessThanOrEqual(20);
    expect(portal.errors).toEqual([]);
  });

  it.each(['workspace.overview', 'workspace.search'] as const)('%s is among them', async id => {
    expect((await ask(id, { query: { q: 'harbour' } })).status).toBe(200);
  });

  it.each(['skill.show', 'skill.pause', 'skill.resume', 'skill.end'] as const)(
    '%s reads no other instance',
    async id => {
      expect((await ask(id, id === 'skill.show' ? {} : { body: {} })).status).toBe(200);
      expect(portal.asked.get(portal.tables.registry.name) ?? 0).toBeLessThan(6);
    },
  );

  it('nothing larger is allowed', () => {
    expect(problemWithPermissions({ kind: 'producer', ...allowed.producer })).toBeUndefined();
    const systemIds = [...longest, ...longest.slice(0, 1)];
    expect(problemWithPermissions({ ...none, kind: 'producer', systemIds })).toContain(
      'bytes together',
    );
  });

  it('the overview asks no further queue when its caller is gone', async () => {
    const hangUp = new AbortController();
    const onAsked = (what: string) => what === 'queues' && hangUp.abort();
    const { status } = await ask('workspace.overview', { gone: hangUp.signal, onAsked });
    expect([status, portal.asked.get('queues')]).toEqual([503, 1]);
  });
});
