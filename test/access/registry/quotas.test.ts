import type { UsagePlans } from '../../../lib/access/registry/ports.ts';
import { setConnectionQuota, setOrganisationQuota } from '../../../lib/access/registry/quotas.ts';
import { producer } from '../../corpus/connections.ts';
import { usagePlansInMemory } from '../../support/fakes/usage-plans.ts';
import { registryHere } from '../../support/registry-here.ts';

const here = registryHere();
const organisation = 'oaaaaaaaaaaaa';
const app = 'aaaaaaaaaaaaa';
const ids = ['c1', 'c2', 'c3', 'c4'];
const tierOf = async (id: string) => (await here.ports().connections.find(id))?.connection.tier;
const portsWith = (usagePlans: UsagePlans) => ({ ...here.ports(), usagePlans });

beforeAll(async () => {
  const { directory, connections } = here.ports();
  const facts = { status: 'active', createdAt: '2026-05-04T09:00:00.000Z' } as const;
  const house = {
    ...facts,
    kind: 'organisation',
    id: organisation,
    name: 'House',
    type: 'house',
  } as const;
  await directory.add({ ...house, tier: 'minimal' });
  await directory.add({ ...facts, kind: 'app', id: app, name: 'ncs', organisation });
  for (const id of [...ids, 'gone']) await connections.add(producer({ id, app }), { version: 1 });
  await connections.revoke('gone');
});

beforeEach(async () => {
  for (const id of ids) await here.ports().connections.setQuota(id, { tier: 'minimal' });
});

describe('the quota of an organisation', () => {
  test('is given to all connections that are not revoked, and to those of later', async () => {
    const { port, plans } = usagePlansInMemory();
    const changed = await setOrganisationQuota(portsWith(port), organisation, { tier: 'high' });
    expect(changed).toMatchObject({ changed: ids.map(id => ({ id, tier: 'high' })), failed: [] });
    expect(await here.ports().directory.find('organisation', organisation)).toMatchObject({
      tier: 'high',
    });
    expect([...plans]).toEqual(ids.map(id => [id, 'high']));
    const unknown = await setOrganisationQuota(here.ports(), 'onone', { tier: 'high' });
    expect(unknown).toMatchObject({ kind: 'declined' });
  });

  test('is changed for one connection after the other, but the one that fails, which a repetition changes', async () => {
    let broken = true;
    let changing = 0;
    const assign = async (id: string) => {
      changing += 1;
      await new Promise(resolve => setImmediate(resolve));
      expect(changing).toBe(1);
      changing -= 1;
      if (id === 'c2' && broken) throw new Error('Too many changes.');
    };
    const ports = portsWith({ ...usagePlansInMemory().port, assign });
    expect(await setOrganisationQuota(ports, organisation, { tier: 'high' })).toMatchObject({
      changed: [{ id: 'c1' }, { id: 'c3' }, { id: 'c4' }],
      failed: [{ id: 'c2', error: { message: 'Too many changes.' } }],
    });
    expect(await Promise.all(ids.map(tierOf))).toEqual(['high', 'minimal', 'high', 'high']);
    broken = false;
    expect(await setOrganisationQuota(ports, organisation, { tier: 'high' })).toMatchObject({
      failed: [],
    });
    expect(await Promise.all(ids.map(tierOf))).toEqual(['high', 'high', 'high', 'high']);
  });
});

const quota = { perSecond: 7, burst: 14, perDay: 700 };

test.each([
  [{ tier: 'high' } as const, 'high'],
  [{ tier: 'high', quota } as const, quota],
])('a connection gets %j in the registry and in its usage plan', async (allotment, plan) => {
  await here.ports().connections.setQuota('c1', { tier: 'high', quota: { ...quota, perDay: 1 } });
  const { port, plans } = usagePlansInMemory();
  const changed = await setConnectionQuota(portsWith(port), 'c1', allotment);
  expect(changed).toMatchObject({ id: 'c1', ...allotment });
  expect('quota' in changed).toBe('quota' in allotment);
  expect((await here.ports().connections.find('c1'))?.connection).toEqual(changed);
  expect([...plans]).toEqual([['c1', plan]]);
});

test.each(['gone', 'cccccccccccccc'])(
  'a connection %s that is revoked or unknown gets none',
  async id => {
    const { port, plans } = usagePlansInMemory();
    expect(await setConnectionQuota(portsWith(port), id, { tier: 'high' })).toMatchObject({
      kind: 'declined',
    });
    expect([...plans]).toEqual([]);
  },
);
