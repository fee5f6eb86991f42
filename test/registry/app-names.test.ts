import { createConnection } from '../../lib/registry/connections.ts';
import { createApp, type Party } from '../../lib/registry/organisations.ts';
import { connectionsInMemory } from '../support/fakes/connections.ts';
import { directoryInMemory } from '../support/fakes/directory.ts';
import { registryPortsWith } from '../support/fakes/registry-ports.ts';

const facts = { status: 'active', createdAt: '2026-05-04T09:00:00Z' } as const;
const unfit = 'ncs\u0007one';

/** A registry of one organisation, one workspace, and an app whose name is from before names were checked. */
const registry = () => {
  const parties = [
    { ...facts, kind: 'organisation', id: 'o1', name: 'house', tier: 'standard', type: 'house' },
    { ...facts, kind: 'workspace', id: 'w1', organisation: 'o1', name: 'desk' },
    { ...facts, kind: 'app', id: 'a1', organisation: 'o1', name: unfit },
  ] as const satisfies readonly Party[];
  const directory = directoryInMemory(...parties);
  const connections = connectionsInMemory();
  const ports = registryPortsWith({ directory: directory.port, connections: connections.port });
  const added = () => [...directory.all().slice(parties.length), ...connections.entries.values()];
  return { ports, added };
};

const producer = { kind: 'producer', workspace: 'w1', systemIds: [], receives: [], sources: [] } as const;

test.each([unfit, 'a1'])(
  'a producer that would send as a name that no queue takes is declined: app %j',
  async app => {
    const { ports, added } = registry();
    expect(await createConnection(ports, { ...producer, app, grants: ['*'] })).toMatchObject({
      kind: 'declined',
      reason: expect.stringContaining('printable'),
    });
    expect(added()).toEqual([]);
  },
);

test('an app gets a name that it can send as', async () => {
  const { ports, added } = registry();
  expect(await createApp(ports, { name: 'two\nlines', organisation: 'o1' })).toMatchObject({
    kind: 'declined',
    reason: expect.stringContaining('printable'),
  });
  expect(await createApp(ports, { name: 'Archiv Köln', organisation: 'o1' })).toMatchObject({ kind: 'app' });
  expect(added()).toMatchObject([{ name: 'Archiv Köln' }]);
});
