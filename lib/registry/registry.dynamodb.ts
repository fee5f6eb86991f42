import { getItem, itemsUnder, queryChildren, type Table } from '../aws/table.ts';
import { limits } from '../contract/limits.ts';
import type { Clock } from '../contract/outside.ts';
import { type Connection, isRegistered } from './connection.ts';
import {
  clientKey,
  principals,
  providerKey,
  readBinding,
  readPrincipal,
  readProvider,
} from './identities.dynamodb.ts';
import {
  childrenIndex,
  connectionKey,
  connectionPrefix,
  readConnection,
  scopeKey,
} from './items.dynamodb.ts';
import { type Principal, type Role, roleKey, type Scope } from './principals.ts';
import type { IdentityProvider, Registry } from './registry.ts';

const cacheMilliseconds = limits.registryCacheSeconds * 1000;
/** Connections, and workspaces, that one process remembers. */
const maxCached = 10_000;

const readConsumers = async (table: Table, workspace: string): Promise<readonly Connection[]> => {
  const items = await queryChildren(table, childrenIndex, { parent: workspace, prefix: connectionPrefix });
  return items.map(readConnection).filter(one => one.kind === 'consumer' && isRegistered(one));
};

const providerOf = async (
  table: Table,
  scope: Scope,
  issuer: string,
): Promise<IdentityProvider | undefined> => {
  const item = await getItem(table, { Key: providerKey(scope, issuer), ConsistentRead: true });
  return item && readProvider(item);
};

const boundConnection = async (
  table: Table,
  { scope, issuer }: IdentityProvider,
  client: string,
): Promise<string | undefined> => {
  const item = await getItem(table, { Key: clientKey(scope, issuer, client), ConsistentRead: true });
  return item && readBinding(item).connection;
};

const principalsOf = async (table: Table, scope: Scope, role: Role): Promise<readonly Principal[]> =>
  (await itemsUnder(table, scopeKey(scope), `${principals}${roleKey(role)}#`)).map(readPrincipal);

type ReadOf<T> = (key: string) => Promise<T>;

/** Reads of one key share a response for a moment: a busy process does not read on every publish. */
const memoize = <T>(clock: Clock, read: ReadOf<T>): ReadOf<T> => {
  const shared = new Map<string, { readonly response: Promise<T>; readonly until: number }>();
  return function readShared(key) {
    const known = shared.get(key);
    if (known && clock.now() < known.until) return known.response;
    const response = read(key);
    if (shared.size >= maxCached) shared.clear();
    shared.set(key, { response, until: clock.now() + limits.consumersCacheMilliseconds });
    response.catch(() => {
      if (shared.get(key)?.response === response) shared.delete(key);
    });
    return response;
  };
};

/** The registry in DynamoDB. A found connection is remembered for `limits.registryCacheSeconds`, a missing one never. */
export const awsRegistry = (table: Table, clock: Clock): Registry => {
  const cache = new Map<string, { readonly connection: Connection; readonly until: number }>();

  const read = async (id: string): Promise<Connection | undefined> => {
    const item = await getItem(table, { Key: connectionKey(id), ConsistentRead: false });
    if (!item) return undefined;
    const connection = readConnection(item);
    if (cache.size >= maxCached) cache.clear();
    cache.set(id, { connection, until: clock.now() + cacheMilliseconds });
    return connection;
  };

  return {
    async connection(id) {
      const known = cache.get(id);
      return known && clock.now() < known.until ? known.connection : read(id);
    },
    principalsOf: (scope, role) => principalsOf(table, scope, role),
    provider: (scope, issuer) => providerOf(table, scope, issuer),
    boundConnection: (provider, client) => boundConnection(table, provider, client),
    isRegistered: async id => {
      const item = await getItem(table, { Key: connectionKey(id), ConsistentRead: true });
      const registered = item !== undefined && isRegistered(readConnection(item));
      if (!registered) cache.delete(id);
      return registered;
    },
    consumersOf: memoize(clock, workspace => readConsumers(table, workspace)),
  };
};
