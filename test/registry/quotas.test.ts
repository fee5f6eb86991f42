import type { UsagePlans } from '../../lib/registry/quotas.ts';
import { setConnectionQuota, setOrganisationQuota } from '../../lib/registry/quotas.ts';
import { connectionOf, producer } from '../corpus/connections.ts';
import { connectionsInMemory } from '../support/fakes/connections.ts';
import { directoryInMemory } from '../support/fakes/directory.ts';
import { registryPortsWith } from '../support/fakes/registry-ports.ts';
import { usagePlansInMemory } from '../support/fakes/usage-plans.ts';

const organisation = 'oaaaaaaaaaaaa';
const createdAt = '2026-05-04T09:00:00.000Z';
const ids = ['c1', 'c2', 'c3', 'c4'];

/** An organisation with four connections, over these usage plans. */
const organisationOver = (usagePlans: UsagePlans) =>
  registryPortsWith({
    usagePlans,
    directory: directoryInMemory(
      {
        kind: 'organisation',
        id: organisation,
        name: 'House',
        type: 'house',
        status: 'active',
        tier: 'minimal',
        createdAt,
      },
      { kind: 'app', id: 'aaaaaaaaaaaaa', name: 'ncs', status: 'active', organisation, createdAt },
    ).port,
    connections: connectionsInMemory(
      ...ids.map(id => ({
        connection: producer({ id, app: 'aaaaaaaaaaaaa', tier: 'minimal' }),
        credential: { version: 1 },
      })),
    ).port,
  });

describe('the quota of an organisation', () => {
  test('is changed for one connection after the other', async () => {
    let changing = 0;
    let most = 0;
    const ports = organisationOver({
      async assign() {
        changing += 1;
        most = Math.max(most, changing);
        await new Promise(resolve => setImmediate(resolve));
        changing -= 1;
      },
      usedToday: async () => undefined,
      remove: async () => undefined,
    });
    await setOrganisationQuota(ports, organisation, { tier: 'high' });
    expect(most).toBe(1);
  });

  test('is changed for all connections but the one that fails, which a repetition changes', async () => {
    let broken = true;
    const ports = organisationOver({
      async assign(id) {
        if (id === 'c2' && broken) throw new Error('Too many changes.');
      },
      usedToday: async () => undefined,
      remove: async () => undefined,
    });
    const tierOf = async (id: string) => (await ports.connections.find(id))?.connection.tier;
    expect(await setOrganisationQuota(ports, organisation, { tier: 'high' })).toMatchObject({
      changed: [{ id: 'c1' }, { id: 'c3' }, { id: 'c4' }],
      failed: [{ id: 'c2', error: { message: 'Too many changes.' } }],
    });
    expect(await Promise.all(ids.map(tierOf))).toEqual(['high', 'minimal', 'high', 'high']);
    broken = false;
    expect(await setOrganisationQuota(ports, organisation, { tier: 'high' })).toMatchObject({ failed: [] });
    expect(await Promise.all(ids.map(tierOf))).toEqual(['high', 'high', 'high', 'high']);
  });
});

const facts = { organisation: 'o222222222222', status: 'active', createdAt: '2026-05-04T09:00:00Z' } as const;
const quota = { perSecond: 7, burst: 14, perDay: 700 };
const credential = { version: 1 };

/** An organisation with two connections of one app, one of them revoked. */
const ports = () => {
  const active = connectionOf('caaaaaaaaaaaa', 'producer', 'waaaaaaaaaaaa');
  const gone = { ...connectionOf('cbbbbbbbbbbbb', 'producer', 'waaaaaaaaaaaa'), status: 'revoked' } as const;
  const connections = connectionsInMemory(
    { connection: { ...active, quota: { perSecond: 1, burst: 1, perDay: 1 } }, credential },
    { connection: gone, credential },
  );
  const directory = directoryInMemory(
    {
      ...facts,
      kind: 'organisation',
      id: facts.organisation,
      name: 'house',
      type: 'house',
      tier: 'standard',
    },
    { ...facts, kind: 'app', id: active.app, name: 'archive' },
  );
  const usagePlans = usagePlansInMemory();
  return {
    entries: connections.entries,
    plans: usagePlans.plans,
    ports: { connections: connections.port, directory: directory.port, usagePlans: usagePlans.port },
    active: active.id,
    gone: gone.id,
  };
};

test.each([
  [{ tier: 'high' } as const, 'high'],
  [{ tier: 'high', quota } as const, quota],
])('a connection gets %j in the registry and in its usage plan', async (allotment, plan) => {
  const { ports: given, entries, plans, active } = ports();
  const changed = await setConnectionQuota(given, active, allotment);
  expect(changed).toMatchObject({ id: active, ...allotment });
  expect('quota' in changed).toBe('quota' in allotment);
  expect(entries.get(active)?.connection).toEqual(changed);
  expect([...plans]).toEqual([[active, plan]]);
});

test.each(['gone', 'unknown'] as const)('a connection that is %s gets none', async which => {
  const { ports: given, plans, gone } = ports();
  const id = which === 'gone' ? gone : 'cccccccccccccc';
  expect(await setConnectionQuota(given, id, { tier: 'high' })).toMatchObject({ kind: 'declined' });
  expect([...plans]).toEqual([]);
});

test('an organisation gives its quota to all connections that are not revoked', async () => {
  const { ports: given, plans, active } = ports();
  const changed = await setOrganisationQuota(given, facts.organisation, { tier: 'high' });
  expect(changed).toMatchObject({ changed: [{ id: active, tier: 'high' }], failed: [] });
  expect(await given.directory.find('organisation', facts.organisation)).toMatchObject({ tier: 'high' });
  expect([...plans]).toEqual([[active, 'high']]);
  expect(await setOrganisationQuota(given, 'onone', { tier: 'high' })).toMatchObject({ kind: 'declined' });
});
