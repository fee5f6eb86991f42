import type { UsagePlans } from '../../lib/registry/quotas.ts';
import { setOrganisationQuota } from '../../lib/registry/quotas.ts';
import { producer } from '../corpus/connections.ts';
import { connectionsInMemory } from '../support/fakes/connections.ts';
import { directoryInMemory } from '../support/fakes/directory.ts';
import { registryPortsWith } from '../support/fakes/registry-ports.ts';

const organisation = 'oaaaaaaaaaaaa';
const createdAt = '2026-05-04T09:00:00.000Z';
const ids = ['c1', 'c2', 'c3', 'c4'];

/** An organisation with four connections, over these usage plans. */
const organisationOver = (usagePlans: UsagePlans) =>
  registryPortsWith({
    usagePlans,
    directory: directoryInMemory(
      { kind: 'organisation', id: organisation, name: 'House', status: 'active', tier: 'minimal', createdAt },
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
      remove: async () => undefined,
    });
    const tierOf = async (id: string) => (await ports.connections.find(id))?.connection.tier;
    expect(await setOrganisationQuota(ports, organisation, { tier: 'high' })).toMatchObject({
      changed: [{ id: 'c1' }, { id: 'c3' }, { id: 'c4' }],
      failed: [{ id: 'c2', fault: { message: 'Too many changes.' } }],
    });
    expect(await Promise.all(ids.map(tierOf))).toEqual(['high', 'minimal', 'high', 'high']);
    broken = false;
    expect(await setOrganisationQuota(ports, organisation, { tier: 'high' })).toMatchObject({ failed: [] });
    expect(await Promise.all(ids.map(tierOf))).toEqual(['high', 'high', 'high', 'high']);
  });
});
