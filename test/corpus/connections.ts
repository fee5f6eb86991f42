import type { Connection } from '../../lib/access/registry/connection.ts';
import { queueName } from '../../lib/contract/environments.ts';

/** A producer that may send everything as desk-1. */
export const producer = (changes: Partial<Connection> = {}): Connection => ({
  id: 'caaaaaaaaaaaa',
  kind: 'producer',
  status: 'active',
  organisation: 'oaaaaaaaaaaaa',
  workspace: 'waaaaaaaaaaaa',
  app: 'aaaaaaaaaaaaa',
  credentialVersion: 1,
  tier: 'standard',
  systemIds: ['desk-1'],
  grants: ['*'],
  receives: [],
  sources: [],
  createdAt: '2026-01-01T00:00:00Z',
  ...changes,
});

/**
 * A connection that may send everything as demo-ncs, and receives everything where it is a
 * consumer.
 */
export const connectionOf = (id: string, kind: Connection['kind'], workspace: string): Connection =>
  producer({
    id,
    kind,
    organisation: 'o222222222222',
    workspace,
    app: 'a222222222222',
    systemIds: ['demo-ncs'],
    receives: ['*'],
    ...(kind === 'consumer' ? { queue: queueName(id) } : {}),
  });
