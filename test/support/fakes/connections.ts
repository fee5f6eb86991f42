import { isDeepStrictEqual } from 'node:util';
import { limits } from '../../../lib/contract/limits.ts';
import {
  type Connection,
  type Connections,
  type Credential,
  isRegistered,
  type PermissionLists,
  type SecretUse,
} from '../../../lib/registry/connection.ts';

export interface ConnectionEntry {
  readonly connection: Connection;
  readonly credential: Credential;
}

const listsOf = ({ systemIds, grants, receives, sources }: PermissionLists) => ({
  systemIds,
  grants,
  receives,
  sources,
});

const noted = (credential: Credential, { slot, hash, at }: SecretUse): Credential => {
  const secret = credential[slot];
  const before = Date.parse(secret?.lastUsedAt ?? '1970-01-01T00:00:00Z');
  if (secret?.hash !== hash || at - before < limits.secretUseSeconds * 1000) return credential;
  return { ...credential, [slot]: { ...secret, lastUsedAt: new Date(at).toISOString() } };
};

/** Connections in memory. `entries` is what is kept: a test may look at it, and change it. */
export const connectionsInMemory = (...first: readonly ConnectionEntry[]) => {
  const entries = new Map(first.map(entry => [entry.connection.id, entry]));
  const owners = new Map<string, string>();

  const change = (id: string, next: Partial<Connection>): boolean => {
    const entry = entries.get(id);
    if (entry) entries.set(id, { ...entry, connection: { ...entry.connection, ...next } });
    return entry !== undefined;
  };

  /** The first of the system_ids that another app owns; otherwise all belong to this one from now on. */
  const claim = ({ workspace, app }: Connection, systemIds: readonly string[]): string | undefined => {
    const keyOf = (systemId: string) => `${workspace} ${systemId}`;
    const owned = systemIds.find(systemId => (owners.get(keyOf(systemId)) ?? app) !== app);
    if (owned === undefined) for (const systemId of systemIds) owners.set(keyOf(systemId), app);
    return owned;
  };

  const all = (): readonly Connection[] => [...entries.values()].map(({ connection }) => connection);
  const registered = (id: string): boolean => isRegistered(entries.get(id)?.connection);

  const port: Connections = {
    find: async id => entries.get(id),
    async noteUse(id, use) {
      const entry = entries.get(id);
      if (entry) entries.set(id, { ...entry, credential: noted(entry.credential, use) });
    },
    async add(connection, credential) {
      const owned = claim(connection, connection.systemIds);
      if (owned !== undefined) return { owned };
      if (entries.has(connection.id)) throw new Error(`There is a connection ${connection.id} already.`);
      entries.set(connection.id, { connection, credential });
      return undefined;
    },
    ofWorkspace: async id => all().filter(({ workspace }) => workspace === id),
    credentialsOf: async ids =>
      new Map([...entries].flatMap(([id, { credential }]) => (ids.includes(id) ? [[id, credential]] : []))),
    ofApp: async id => all().filter(({ app }) => app === id),
    async setPermissions(connection, wanted, seen) {
      const now = entries.get(connection.id)?.connection;
      if (seen && !isDeepStrictEqual(listsOf(seen), now && listsOf(now))) return 'gone';
      const owned = claim(connection, wanted.systemIds ?? []);
      if (owned !== undefined) return { owned };
      return registered(connection.id) && change(connection.id, wanted) ? 'set' : 'gone';
    },
    ownerOf: async (workspace, systemId) => owners.get(`${workspace} ${systemId}`),
    async release(workspace, systemId, app) {
      const key = `${workspace} ${systemId}`;
      if (owners.get(key) === app) owners.delete(key);
    },
    async setSkips(id, { skips, before }) {
      const known = entries.get(id)?.connection.skips ?? [];
      return registered(id) && isDeepStrictEqual(known, before) && change(id, { skips });
    },
    revoke: async id => change(id, { status: 'revoked' }),
    setPaused: async (id, paused) =>
      registered(id) && change(id, { status: paused ? 'paused' : 'active' }) ? 'set' : 'gone',
    async setSuspended(id, _organisation, isSuspended) {
      const entry = entries.get(id);
      if (!entry) return;
      const { isSuspended: _, ...connection } = entry.connection;
      entries.set(id, { ...entry, connection: isSuspended ? { ...connection, isSuspended } : connection });
    },
    async replaceCredential(id, credential) {
      const entry = entries.get(id);
      if (entry?.credential.version !== credential.version - 1) return false;
      const connection = { ...entry.connection, credentialVersion: credential.version };
      entries.set(id, { connection, credential });
      return true;
    },
    async setQuota(id, allotment) {
      const entry = entries.get(id);
      if (!entry) return false;
      const { quota: _, ...rest } = entry.connection;
      entries.set(id, { ...entry, connection: { ...rest, ...allotment } });
      return true;
    },
  };
  return { port, entries, change };
};
