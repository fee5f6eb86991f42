import { createConnection } from '../../lib/registry/connections.ts';
import { connectionsInMemory } from '../support/fakes/connections.ts';
import { directoryInMemory } from '../support/fakes/directory.ts';
import { registryPortsWith } from '../support/fakes/registry-ports.ts';
import { usagePlansInMemory } from '../support/fakes/usage-plans.ts';

const facts = { status: 'active', createdAt: '2026-05-04T09:00:00Z' } as const;

test('a connection that is declined for its system_id leaves no API key', async () => {
  const parties = [
    { ...facts, kind: 'organisation', id: 'o1', name: 'house', tier: 'standard', type: 'house' },
    { ...facts, kind: 'workspace', id: 'w1', organisation: 'o1', name: 'desk' },
    { ...facts, kind: 'app', id: 'a1', organisation: 'o1', name: 'archive' },
  ] as const;
  const { port: usagePlans, plans } = usagePlansInMemory();
  const made: string[] = [];
  const ports = registryPortsWith({
    directory: directoryInMemory(...parties).port,
    usagePlans,
    connections: {
      ...connectionsInMemory().port,
      add: async ({ systemIds: [owned = ''] }) => {
        made.push(...plans.keys());
        return { owned };
      },
    },
  });
  const request = {
    kind: 'producer',
    workspace: 'w1',
    app: 'archive',
    systemIds: ['demo-ncs'],
    grants: ['*'],
    receives: [],
    sources: [],
  } as const;
  expect(await createConnection(ports, request)).toMatchObject({
    kind: 'declined',
    reason: expect.stringContaining('"demo-ncs"'),
  });
  expect(made).toHaveLength(1);
  expect([...plans]).toEqual([]);
});
