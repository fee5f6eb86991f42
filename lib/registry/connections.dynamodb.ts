import { countedIn, endCounted, tryWithin } from '../aws/bounded.ts';
import { batchGet, holds, transactIf } from '../aws/many-items.ts';
import {
  getItem,
  itemReader,
  itemsUnder,
  queryAll,
  queryChildren,
  type Table,
  type Update,
  updateItem,
} from '../aws/table.ts';
import { limits } from '../contract/limits.ts';
import type {
  Connection,
  Connections,
  Credential,
  Credentials,
  PermissionChange,
  SecretUse,
} from './connection.ts';
import { revoke, setPaused } from './connection-states.dynamodb.ts';
import {
  appConnectionKey,
  childrenIndex,
  connectionItem,
  connectionKey,
  connectionPrefix,
  credentialItem,
  credentialKey,
  digest,
  partyKey,
  permissionAttributes,
  readConnection,
  readCredential,
  revokedIn,
  setAllotment,
  skipMaps,
  systemKey,
} from './items.dynamodb.ts';
import { limitReached } from './operator.ts';
import { connectionSlots, systemSlot } from './slots.ts';

/** If several callers record a use at the same time, one of them writes. */
const note = (table: Table, id: string, { slot, hash, at }: SecretUse): Promise<unknown> =>
  updateItem(table, {
    Key: credentialKey(id),
    UpdateExpression: `SET ${slot}_used_at = :at`,
    ConditionExpression: `${slot}_hash = :hash AND (attribute_not_exists(${slot}_used_at) OR ${slot}_used_at <= :due)`,
    ExpressionAttributeValues: {
      ':hash': hash,
      ':at': new Date(at).toISOString(),
      ':due': new Date(at - limits.secretUseSeconds * 1000).toISOString(),
    },
  });

export const awsCredentials = (table: Table): Credentials => ({
  async find(id) {
    const items = await queryAll(table, {
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': connectionKey(id).pk },
    });
    const [connection, credential] = ['CONNECTION', 'CREDENTIAL'].map(sk =>
      items.find(item => item['sk'] === sk),
    );
    return connection && credential
      ? { connection: readConnection(connection), credential: readCredential(credential) }
      : undefined;
  },
  async noteUse(id, use) {
    await holds(note(table, id, use));
  },
});

const permissionNames = ['systemIds', 'grants', 'receives', 'sources'] as const;

/** The writes that claim system_ids, and where those are counted that belong to no app yet. One that does must still do so: it is not counted again. */
const claimsOf = async (table: Table, connection: Connection) => {
  const { workspace, app, systemIds } = connection;
  const keys = systemIds.map(systemId => systemKey(workspace, systemId));
  const known = new Set((await batchGet(table, keys)).map(({ sk }) => sk));
  const slot = systemSlot(connection);
  const claims = systemIds.map(systemId => {
    const [key, holder] = [systemKey(workspace, systemId), digest(systemId)];
    const isFresh = !known.has(key.sk);
    const Put = {
      Item: { ...key, app, ...countedIn({ slots: [slot], holders: [holder] }) },
      ConditionExpression: `${isFresh ? 'attribute_not_exists(pk) OR ' : ''}app = :app`,
      ExpressionAttributeValues: { ':app': app },
    };
    return { Put, holder, isFresh };
  });
  const fresh = claims.filter(({ isFresh }) => isFresh).map(({ holder }) => holder);
  return {
    claims: claims.map(({ Put }) => ({ Put })),
    slots: fresh.length === 0 ? [] : [{ ...slot, as: fresh }],
  };
};

const listsOf = (lists: PermissionChange) =>
  permissionNames.flatMap(name => {
    const value = lists[name];
    return value ? [[permissionAttributes[name], value] as const] : [];
  });

const permissionsUpdate = (id: string, change: PermissionChange, seen: PermissionChange): Update => {
  const [lists, before] = [listsOf(change), listsOf(seen)];
  const unchanged = before.map(([list]) => ` AND #${list} = :seen_${list}`).join('');
  return {
    Key: connectionKey(id),
    UpdateExpression: `SET ${lists.map(([list]) => `#${list} = :${list}`).join(', ')}`,
    ConditionExpression: `attribute_exists(pk) AND #status <> :revoked${unchanged}`,
    ExpressionAttributeNames: {
      '#status': 'status',
      ...Object.fromEntries([...lists, ...before].map(([list]) => [`#${list}`, list])),
    },
    ExpressionAttributeValues: {
      ':revoked': 'revoked',
      ...Object.fromEntries(lists.map(([list, value]) => [`:${list}`, value])),
      ...Object.fromEntries(before.map(([list, value]) => [`:seen_${list}`, value])),
    },
  };
};

/** Revoked connections that a list of connections has: there is no end to them. */
const revokedListed = 200;

const appConnections = async (table: Table, app: string): Promise<readonly Connection[]> => {
  const edges = await itemsUnder(table, partyKey('app', app).pk, connectionPrefix);
  const kept = edges.filter(edge => edge['is_revoked'] !== true);
  const revoked = edges.filter(edge => edge['is_revoked'] === true).slice(0, revokedListed);
  const reads = [...kept, ...revoked].map(({ id }) =>
    getItem(table, { Key: connectionKey(String(id)), ConsistentRead: true }),
  );
  return (await Promise.all(reads)).flatMap(item => (item ? [readConnection(item)] : []));
};

/** Writes the new secret and the version that tokens are compared with in one write. */
const replaceCredential = (table: Table, id: string, credential: Credential): Promise<boolean> => {
  const values = { ':version': credential.version, ':before': credential.version - 1 };
  return transactIf(table, [
    {
      Put: {
        Item: credentialItem(id, credential),
        ConditionExpression: 'version = :before',
        ExpressionAttributeValues: { ':before': values[':before'] },
      },
    },
    {
      Update: {
        Key: connectionKey(id),
        UpdateExpression: 'SET credential_version = :version',
        ConditionExpression: 'credential_version = :before',
        ExpressionAttributeValues: values,
      },
    },
  ]);
};

const setSkips = (
  table: Table,
  id: string,
  { skips, before }: Parameters<Connections['setSkips']>[1],
): Promise<void> =>
  updateItem(table, {
    Key: connectionKey(id),
    UpdateExpression: 'SET skips = :skips',
    ConditionExpression: `attribute_exists(pk) AND #status <> :revoked AND ${before.length === 0 ? '(attribute_not_exists(skips) OR skips = :before)' : 'skips = :before'}`,
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':skips': skipMaps(skips),
      ':before': skipMaps(before),
      ':revoked': 'revoked',
    },
  });

const addConnection = async (
  table: Table,
  connection: Connection,
  credential: Credential,
): ReturnType<Connections['add']> => {
  const { id, app, systemIds } = connection;
  const holding = { slots: connectionSlots(connection), holders: [id] };
  const puts = [
    { ...connectionItem(connection), ...countedIn(holding) },
    credentialItem(id, credential),
    { ...appConnectionKey(app, id), id },
  ];
  const items = puts.map(Item => ({
    Put: { Item, ConditionExpression: 'attribute_not_exists(pk)' },
  }));
  // The claims come first, so the index of a failed claim is that of its system_id.
  const { claims, slots: systems } = await claimsOf(table, connection);
  const slots = [...holding.slots, ...systems];
  const result = await tryWithin(table, [...claims, ...items], { ...holding, slots });
  if (typeof result !== 'number') return result && limitReached(result);
  const owned = systemIds[result];
  if (owned === undefined) throw new Error(`There is a connection ${id} already.`);
  return { owned };
};

const setPermissions = async (
  table: Table,
  ...[connection, change, seen]: Parameters<Connections['setPermissions']>
): ReturnType<Connections['setPermissions']> => {
  const claimed = { ...connection, systemIds: change.systemIds ?? [] };
  const update = permissionsUpdate(connection.id, change, seen ?? {});
  const { claims, slots } = await claimsOf(table, claimed);
  const result = await tryWithin(table, [...claims, { Update: update }], { slots, holders: [] });
  if (typeof result !== 'number') return result ? limitReached(result) : 'set';
  const owned = claimed.systemIds[result];
  return owned === undefined ? 'gone' : { owned };
};

export const awsConnections = (table: Table): Connections => ({
  ...awsCredentials(table),

  add: (connection, credential) => addConnection(table, connection, credential),

  setPermissions: (...call) => setPermissions(table, ...call),

  async ownerOf(workspace, systemId) {
    const item = await getItem(table, { Key: systemKey(workspace, systemId), ConsistentRead: true });
    return item && itemReader(item).text('app');
  },

  async release(workspace, systemId, app) {
    await endCounted(table, {
      Delete: {
        Key: systemKey(workspace, systemId),
        ConditionExpression: 'app = :app',
        ExpressionAttributeValues: { ':app': app },
      },
    });
  },

  setQuota: (id, allotment) => setAllotment(table, connectionKey(id), allotment),

  async ofWorkspace(parent) {
    const [kept, revoked] = await Promise.all([
      queryChildren(table, childrenIndex, { parent, prefix: connectionPrefix }),
      queryChildren(table, childrenIndex, {
        parent: revokedIn(parent),
        prefix: connectionPrefix,
        max: revokedListed,
      }),
    ]);
    return [...kept, ...revoked].map(readConnection);
  },

  async credentialsOf(ids) {
    const items = await batchGet(table, ids.map(credentialKey));
    return new Map(
      items.map(item => [String(item['pk']).slice(connectionPrefix.length), readCredential(item)]),
    );
  },

  ofApp: id => appConnections(table, id),

  setSkips: (id, change) => holds(setSkips(table, id, change)),

  revoke: id => revoke(table, id),

  setPaused: (...call) => setPaused(table, ...call),

  async setSuspended(id, organisation, isSuspended) {
    const change = updateItem(table, {
      Key: connectionKey(id),
      UpdateExpression: `${isSuspended ? 'ADD' : 'DELETE'} suspended_by :organisation`,
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':organisation': new Set([organisation]) },
    });
    await holds(change);
  },

  replaceCredential: (id, credential) => replaceCredential(table, id, credential),
});
