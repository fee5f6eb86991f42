import { createConnection } from '../../lib/registry/connections.ts';
import type { RegistryPorts } from '../../lib/registry/operator.ts';

const facts = { status: 'active', createdAt: '2026-05-04T09:00:00Z' } as const;

test('a connection that is declined for its system_id leaves no API key', async () => {
  const left = new Set<string>();
  const parties = [
    { ...facts, kind: 'organisation', id: 'o1', name: 'house', tier: 'standard' },
    { ...facts, kind: 'workspace', id: 'w1', organisation: 'o1', name: 'desk' },
    { ...facts, kind: 'app', id: 'a1', organisation: 'o1', name: 'archive' },
  ] as const;
  const made: string[] = [];
  const ports = {
    clock: { now: () => 0 },
    ids: { random: (bytes: number) => new Uint8Array(bytes) },
    directory: {
      find: async (kind: string, id: string) => parties.find(one => one.kind === kind && one.id === id),
      list: async (kind: string) => parties.filter(one => one.kind === kind),
    },
    usagePlans: {
      assign: async (id: string) => void left.add(id),
      remove: async (id: string) => void left.delete(id),
    },
    connections: {
      add: async ({ systemIds: [owned] }: { readonly systemIds: readonly string[] }) => {
        made.push(...left);
        return { owned };
      },
    },
  } as unknown as RegistryPorts;
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
  expect([...left]).toEqual([]);
});
