import { createConnection } from '../../lib/registry/connections.ts';
import type { RegistryPorts } from '../../lib/registry/operator.ts';
import { createApp, type Party } from '../../lib/registry/organisations.ts';

const facts = { status: 'active', createdAt: '2026-05-04T09:00:00Z' } as const;
const unfit = 'ncs\u0007one';

/** A registry of one organisation, one workspace, and an app whose name is from before names were checked. */
const registry = () => {
  const added: unknown[] = [];
  const parties = [
    { ...facts, kind: 'organisation', id: 'o1', name: 'house', tier: 'standard' },
    { ...facts, kind: 'workspace', id: 'w1', organisation: 'o1', name: 'desk' },
    { ...facts, kind: 'app', id: 'a1', organisation: 'o1', name: unfit },
  ] as const satisfies readonly Party[];
  const ports = {
    clock: { now: () => 0 },
    ids: { random: (bytes: number) => new Uint8Array(bytes) },
    directory: {
      find: async (kind: string, id: string) => parties.find(one => one.kind === kind && one.id === id),
      list: async (kind: string) => parties.filter(one => one.kind === kind),
      add: async (party: unknown) => void added.push(party),
    },
    usagePlans: { assign: async () => undefined },
    connections: { add: async (connection: unknown) => void added.push(connection) },
  } as unknown as RegistryPorts;
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
    expect(added).toEqual([]);
  },
);

test('an app gets a name that it may send as', async () => {
  const { ports, added } = registry();
  expect(await createApp(ports, { name: 'two\nlines', organisation: 'o1' })).toMatchObject({
    kind: 'declined',
    reason: expect.stringContaining('printable'),
  });
  expect(await createApp(ports, { name: 'Archiv Köln', organisation: 'o1' })).toMatchObject({ kind: 'app' });
  expect(added).toMatchObject([{ name: 'Archiv Köln' }]);
});
