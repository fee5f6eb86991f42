import type { Connection } from '../../lib/domain/registry/connection.ts';

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
