import { limits } from '../../contract/limits.ts';
import type { Clock } from '../../contract/outside.ts';
import {
  findItem,
  getItem,
  itemsUnder,
  queryChildren,
  type Table,
} from '../../platform/aws/table.ts';
import { type CloudRole, type Principal, roleKey, type Scope } from '../trust/principals.ts';
import { type Connection, isRegistered } from './connection.ts';
import {
  childrenIndex,
  clientKey,
  connectionKey,
  connectionPrefix,
  principalPrefix,
  providerKey,
  readBinding,
  readConnection,
  readPrincipal,
  readProvider,
  scopeKey,
} from './items.dynamodb.ts';
import type { Registry } from './registry.ts';

/** Connections, and workspaces, that one process remembers. */
const maxRemembered = 10_000;

const readConsumers = async (table: Table, workspace: string): Promise<readonly Connection[]> => {
  const items = await queryChildren(table, childrenIndex, {
    parent: workspace,
    prefix: connectionPrefix,
  });
  return items.map(readConnection).filter(one => one.kind === 'consumer' && isRegistered(one));
};

const principalsOf = async (
  table: Table,
  scope: Scope,
  role: CloudRole,
): Promise<readonly Principal[]> => {
  const prefix = `${principalPrefix}${roleKey(role)}#`;
  const items = await itemsUnder(table, scopeKey(scope), prefix);
  return items.map(readPrincipal);
};

/**
 * Remembers what was read under a key for a while; reads at the same time share one response.
 * It does not remember that nothing was found, nor that a read failed.
 */
const memoize = <T>(clock: Clock, milliseconds: number, read: (key: string) => Promise<T>) => {
  const known = new Map<string, { response: Promise<T>; until: number }>();
  const forget = (key: string, response: Promise<T>): void => {
    if (known.get(key)?.response === response) known.delete(key);
  };
  return {
    find(key: string): Promise<T> {
      const last = known.get(key);
      if (last && clock.now() < last.until) return last.response;

      const response = read(key);
      if (known.size >= maxRemembered) known.clear();
      known.set(key, { response, until: clock.now() + milliseconds });
      response.then(
        found => found === undefined && forget(key, response),
        () => forget(key, response),
      );
      return response;
    },
    forget(key: string): void {
      known.delete(key);
    },
  };
};

/**
 * The registry in DynamoDB. A found connection is remembered for `limits.registryCacheSeconds`, a
 * missing one never.
 */
export const awsRegistry = (table: Table, clock: Clock): Registry => {
  const connections = memoize(clock, limits.registryCacheSeconds * 1000, async id => {
    const item = await getItem(table, { Key: connectionKey(id), ConsistentRead: false });
    return item && readConnection(item);
  });
  const consumers = memoize(clock, limits.consumersCacheMilliseconds, workspace =>
    readConsumers(table, workspace),
  );

  return {
    connection: connections.find,
    consumersOf: consumers.find,
    principalsOf: (scope, role) => principalsOf(table, scope, role),
    provider: (scope, issuer) => findItem(table, providerKey(scope, issuer), readProvider),
    boundConnection: ({ scope, issuer }, client) =>
      findItem(table, clientKey(scope, issuer, client), item => readBinding(item).connection),
    async isRegistered(id) {
      const registered = isRegistered(await findItem(table, connectionKey(id), readConnection));
      if (!registered) connections.forget(id);
      return registered;
    },
  };
};
