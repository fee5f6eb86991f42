import { batchPut } from '../../lib/aws/many-items.ts';
import { portalCallIds, portalCalls } from '../../lib/contract/portal.ts';
import { partyItem } from '../../lib/registry/directory.dynamodb.ts';
import { connectionItem, credentialItem } from '../../lib/registry/items.dynamodb.ts';
import { awsMembers } from '../../lib/registry/members.dynamodb.ts';
import { problemWithPermissions } from '../../lib/registry/permissions.ts';
import { awsSkillRegistrations } from '../../lib/skills/registrations.dynamodb.ts';
import type { SkillRegistration } from '../../lib/skills/registrations.ts';
import { connectionOf } from '../corpus/connections.ts';
import { type PortalService, startPortal } from './portal-service.ts';

// A workspace in which every bound is reached with the largest things that are allowed.

const [house, workspace] = ['ohouse2222222', 'wspace2222222'];
const createdAt = new Date().toISOString();
const person = { issuer: 'local', subject: 'owner', name: 'Owner' };
const idOf = (letter: string, at: number): string =>
  letter +
  at
    .toString(2)
    .padStart(12, '0')
    .replace(/./g, bit => 'ab'[Number(bit)] ?? '');

/** As many and as long as one connection may have: 16,044 bytes. */
const longest = Array.from({ length: 21 }, (_, at) => `${at}`.padStart(2, '0') + '€'.repeat(254));

const allowed = { producer: { systemIds: longest }, consumer: { sources: longest } } as const;
const none = { systemIds: [], grants: [], receives: [], sources: [] };

const connection = (kind: 'producer' | 'consumer', at: number) => ({
  ...connectionOf(idOf('c', at), kind, workspace),
  ...none,
  ...allowed[kind],
  organisation: house,
  app: idOf('a', at),
});

const consumer = connection('consumer', 0);

/** 8,192 bytes with its configuration. */
const instance = (at: number): SkillRegistration => ({
  id: idOf('r', at),
  connection: consumer.id,
  skill_id: 's',
  skill_version: '1',
  instance_label: `${at}`,
  values: { text: 'x'.repeat(8_100) },
  paused: false,
  createdAt,
});

let portal: PortalService;

const fill = async ({ registry }: PortalService['tables']) => {
  const party = (kind: 'workspace' | 'app', id: string) =>
    partyItem({ kind, id, name: id, status: 'active', organisation: house, createdAt });
  const kept = [
    ...Array.from({ length: 300 }, (_, at) => connection('consumer', at)),
    ...Array.from({ length: 300 }, (_, at) => connection('producer', 300 + at)),
  ];
  const revoked = Array.from({ length: 250 }, (_, at) => ({
    ...connection('producer', 600 + at),
    status: 'revoked' as const,
  }));
  await batchPut(registry, [
    partyItem({
      ...{ kind: 'organisation', id: house, name: 'House', status: 'active', createdAt },
      ...{ type: 'house', tier: 'standard' },
    }),
    party('workspace', workspace),
    ...kept.map(({ app }) => party('app', app)),
    ...[...kept, ...revoked].flatMap(one => [connectionItem(one), credentialItem(one.id, { version: 1 })]),
  ]);
  const members = awsMembers(registry);
  await members.put({ ...person, organisation: house, role: 'owner', since: createdAt });
  await members.setOperator(person, true);
  const instances = Array.from({ length: 2_000 }, (_, at) => instance(at));
  await awsSkillRegistrations(registry).add(instances, []);
};

beforeAll(async () => {
  portal = await startPortal();
  await fill(portal.tables);
});
afterAll(() => portal.close());

const subject = { o: house, w: workspace, c: consumer.id, r: idOf('r', 1_999), m: idOf('m', 1) };
const reading = portalCallIds.filter(id => portalCalls[id].method === 'GET' && !id.startsWith('sign.'));

describe('in a full workspace of the largest connections and instances', () => {
  it.each(reading)('%s reads at most 20 pages of a table', async id => {
    const { status } = await portal.call(id, { person, subject, query: { q: idOf('c', 1) } });
    expect([200, 400, 404, 409]).toContain(status);
    const most = Math.max(...Object.values(portal.tables).map(({ name }) => portal.asked.get(name) ?? 0));
    expect(most).toBeLessThanOrEqual(20);
    expect(portal.errors).toEqual([]);
  });

  it('the overview, the search and the skill instances are among them', async () => {
    for (const id of ['workspace.overview', 'workspace.search', 'skill.show'] as const) {
      const { status } = await portal.call(id, { person, subject, query: { q: 'harbour' } });
      expect([id, status]).toEqual([id, 200]);
    }
  });

  it.each(['skill.show', 'skill.pause', 'skill.resume', 'skill.end'] as const)(
    '%s reads no other instance',
    async id => {
      const { status } = await portal.call(id, {
        person,
        subject,
        ...(id === 'skill.show' ? {} : { body: {} }),
      });
      expect(status).toBe(200);
      expect(portal.asked.get(portal.tables.registry.name) ?? 0).toBeLessThan(6);
    },
  );

  it('nothing larger is allowed', () => {
    expect(problemWithPermissions({ kind: 'producer', ...none, ...allowed.producer })).toBeUndefined();
    const systemIds = [...longest, ...longest.slice(0, 1)];
    expect(problemWithPermissions({ kind: 'producer', ...none, systemIds })).toContain('bytes together');
  });

  it('the overview asks no further queue when its caller is gone', async () => {
    const hangUp = new AbortController();
    const onAsked = (what: string) => what === 'queues' && hangUp.abort();
    const gone = hangUp.signal;
    const { status } = await portal.call('workspace.overview', { person, subject, gone, onAsked });
    expect([status, portal.asked.get('queues')]).toEqual([503, 1]);
  });
});
