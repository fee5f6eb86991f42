import { limits } from '../../contract/limits.ts';
import { iso } from '../../contract/outside.ts';
import { countedIn, endCounted, releases, tryWithin } from '../../platform/aws/bounded.ts';
import {
  assignments,
  attribute,
  type Expression,
  expr,
  joined,
} from '../../platform/aws/expression.ts';
import { batchGet, holds, transactIf } from '../../platform/aws/many-items.ts';
import {
  findItem,
  getItem,
  itemReader,
  itemsUnder,
  keyDigest,
  queryAll,
  queryChildren,
  type Table,
  type Update,
  updateItem,
  updateOrFind,
} from '../../platform/aws/table.ts';
import {
  type Connection,
  type Connections,
  type Credential,
  type Credentials,
  isKept,
  type PermissionChange,
  pausers,
  type SecretUse,
} from './connection.ts';
import { limitReached } from './declined.ts';
import {
  appConnectionKey,
  childrenIndex,
  connectionItem,
  connectionKey,
  connectionPrefix,
  credentialItem,
  credentialKey,
  partyKey,
  readConnection,
  readCredential,
  revokedIn,
  setAllotment,
  skipMaps,
  systemKey,
} from './items.dynamodb.ts';
import { connectionSlots, systemSlot } from './slots.ts';

/** If several callers record a use at the same time, one of them writes. */
const note = (table: Table, id: string, { slot, hash, at }: SecretUse): Promise<unknown> => {
  const usedAt = attribute(`${slot}_used_at`);
  const isSameSecret = expr`${attribute(`${slot}_hash`)} = ${hash}`;
  const due = iso(at - limits.secretUseSeconds * 1000);
  const isDue = expr`attribute_not_exists(${usedAt}) OR ${usedAt} <= ${due}`;
  return updateItem(table, {
    Key: credentialKey(id),
    UpdateExpression: expr`SET ${usedAt} = ${iso(at)}`,
    ConditionExpression: expr`${isSameSecret} AND (${isDue})`,
  });
};

export const awsCredentials = (table: Table): Credentials => ({
  async find(id) {
    const items = await queryAll(table, {
      ConsistentRead: true,
      KeyConditionExpression: expr`pk = ${connectionKey(id).pk}`,
    });
    const [connection, credential] = ['CONNECTION', 'CREDENTIAL'].map(sk =>
      items.find(item => item['sk'] === sk),
    );
    if (connection && credential)
      return { connection: readConnection(connection), credential: readCredential(credential) };
    return undefined;
  },
  async noteUse(id, use) {
    await holds(note(table, id, use));
  },
});

/**
 * The writes that claim system_ids, in their order, and the places that they take. One that its app
 * owns already must still be its own, and is not counted again.
 */
const claimsOf = async (table: Table, connection: Connection) => {
  const { workspace, app, systemIds } = connection;
  const slot = systemSlot(connection);
  const keys = systemIds.map(systemId => systemKey(workspace, systemId));
  const stored = await batchGet(table, keys);
  const known = new Set(stored.map(({ sk }) => sk));
  const isKnown = (systemId: string) => known.has(systemKey(workspace, systemId).sk);

  const isOwn = expr`app = ${app}`;
  const isFreeOrOwn = expr`attribute_not_exists(pk) OR ${isOwn}`;
  const claims = systemIds.map(systemId => {
    const counted = countedIn({ slots: [slot], holders: [keyDigest(systemId)] });
    const Item = { ...systemKey(workspace, systemId), app, ...counted };
    return { Put: { Item, ConditionExpression: isKnown(systemId) ? isOwn : isFreeOrOwn } };
  });

  const fresh = systemIds.filter(systemId => !isKnown(systemId));
  const slots = fresh.length === 0 ? [] : [{ ...slot, as: fresh.map(keyDigest) }];
  return { claims, slots };
};

const listsOf = ({
  systemIds,
  grants,
  receives,
  sources,
}: PermissionChange): readonly Expression[] =>
  Object.entries({ system_ids: systemIds, grants, receives, sources }).flatMap(([name, list]) =>
    list ? [expr`${attribute(name)} = ${list}`] : [],
  );

const isKeptHere = expr`attribute_exists(pk) AND #status <> ${'revoked'}`;

const permissionsUpdate = (
  id: string,
  change: PermissionChange,
  seen: PermissionChange,
): Update => ({
  Key: connectionKey(id),
  UpdateExpression: expr`SET ${joined(listsOf(change), ', ')}`,
  ConditionExpression: joined([isKeptHere, ...listsOf(seen)], ' AND '),
});

/** Revoked connections that a list of connections has: there is no end to them. */
const revokedListed = 200;

const appConnections = async (table: Table, app: string): Promise<readonly Connection[]> => {
  const edges = await itemsUnder(table, partyKey('app', app).pk, connectionPrefix);
  const kept = edges.filter(edge => edge['is_revoked'] !== true);
  const revoked = edges.filter(edge => edge['is_revoked'] === true).slice(0, revokedListed);
  const reads = [...kept, ...revoked].map(({ id }) =>
    findItem(table, connectionKey(String(id)), readConnection),
  );
  return (await Promise.all(reads)).filter(found => found !== undefined);
};

const replaceCredential = (table: Table, id: string, credential: Credential): Promise<boolean> => {
  const before = credential.version - 1;
  return transactIf(table, [
    {
      Put: { Item: credentialItem(id, credential), ConditionExpression: expr`version = ${before}` },
    },
    {
      Update: {
        Key: connectionKey(id),
        UpdateExpression: expr`SET credential_version = ${credential.version}`,
        ConditionExpression: expr`credential_version = ${before}`,
      },
    },
  ]);
};

const setSkips = (
  table: Table,
  id: string,
  { skips, before }: Parameters<Connections['setSkips']>[1],
): Promise<void> => {
  const isSame = expr`skips = ${skipMaps(before)}`;
  const isFirst = expr`attribute_not_exists(skips) OR ${isSame}`;
  return updateItem(table, {
    Key: connectionKey(id),
    UpdateExpression: expr`SET skips = ${skipMaps(skips)}`,
    ConditionExpression: expr`${isKeptHere} AND (${before.length === 0 ? isFirst : isSame})`,
  });
};

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
  const { claims, slots: systems } = await claimsOf(table, connection);
  const slots = [...holding.slots, ...systems];
  const result = await tryWithin(table, [...claims, ...items], { ...holding, slots });
  if (typeof result !== 'number') return result && limitReached(result);

  // The claims come first, so the index of one that failed is that of its system_id.
  const owned = systemIds[result];
  if (owned === undefined) throw new Error(`There is a connection ${id} already.`);
  return { owned };
};

const setPermissions =
  (table: Table): Connections['setPermissions'] =>
  async (connection, change, seen) => {
    const claimed = { ...connection, systemIds: change.systemIds ?? [] };
    const update = permissionsUpdate(connection.id, change, seen ?? {});
    const { claims, slots } = await claimsOf(table, claimed);
    const writes = [...claims, { Update: update }];
    const result = await tryWithin(table, writes, { slots, holders: [] });
    if (result === undefined) return 'set';
    if (typeof result !== 'number') return limitReached(result);

    // As in `addConnection`, the claims come first.
    const owned = claimed.systemIds[result];
    if (owned === undefined) return 'gone';
    return { owned };
  };

/**
 * What is revoked leaves the list that every publish reads: otherwise whoever makes and revokes
 * connections slows the workspace down.
 */
const revoke = async (table: Table, id: string): Promise<boolean> => {
  const item = await getItem(table, { Key: connectionKey(id), ConsistentRead: true });
  if (!item) return false;
  const connection = readConnection(item);
  if (!isKept(connection)) return true;

  const changes = assignments({ status: 'revoked', parent: revokedIn(connection.workspace) });
  const Update = {
    Key: connectionKey(id),
    UpdateExpression: expr`SET ${changes} REMOVE counted_in, counted_as`,
    ConditionExpression: expr`#status <> ${'revoked'}`,
  };
  const edge = {
    Key: appConnectionKey(connection.app, id),
    UpdateExpression: expr`SET is_revoked = ${true}`,
  };
  // If the condition fails, somebody else has revoked it.
  await transactIf(table, [{ Update }, { Update: edge }, ...releases(item)]);
  return true;
};

const setPaused =
  (table: Table): Connections['setPaused'] =>
  async (id, paused, by) => {
    const upTo = pausers.indexOf(by) + 1;
    const overruledBy = pausers.slice(0, upTo).map(pauser => expr`${pauser}`);
    const overruled = joined(overruledBy, ', ');
    const mayChange = expr`attribute_not_exists(paused_by) OR paused_by IN (${overruled})`;
    const found = await updateOrFind(table, {
      Key: connectionKey(id),
      UpdateExpression: paused
        ? expr`SET #status = ${'paused'}, paused_by = ${by}`
        : expr`SET #status = ${'active'} REMOVE paused_by`,
      ConditionExpression: expr`${isKeptHere} AND (${mayChange})`,
    });
    if (!found) return 'set';

    // It may not exist at all.
    const connection = 'pk' in found ? readConnection(found) : undefined;
    if (!isKept(connection)) return 'gone';
    return connection.pausedBy ?? 'gone';
  };

export const awsConnections = (table: Table): Connections => ({
  ...awsCredentials(table),

  add: (connection, credential) => addConnection(table, connection, credential),

  setPermissions: setPermissions(table),

  ownerOf: (workspace, systemId) =>
    findItem(table, systemKey(workspace, systemId), item => itemReader(item).text('app')),

  async release(workspace, systemId, app) {
    const Key = systemKey(workspace, systemId);
    await endCounted(table, { Delete: { Key, ConditionExpression: expr`app = ${app}` } });
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

  setPaused: setPaused(table),

  async setSuspended(id, organisation, isSuspended) {
    const by = new Set([organisation]);
    const change = updateItem(table, {
      Key: connectionKey(id),
      UpdateExpression: isSuspended
        ? expr`ADD suspended_by ${by}`
        : expr`DELETE suspended_by ${by}`,
      ConditionExpression: 'attribute_exists(pk)',
    });
    await holds(change);
  },

  replaceCredential: (id, credential) => replaceCredential(table, id, credential),
});
