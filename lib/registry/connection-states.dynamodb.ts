import { releases } from '../aws/bounded.ts';
import { transactIf } from '../aws/many-items.ts';
import { getItem, type Table, type Update, updateOrFind } from '../aws/table.ts';
import { type Connections, isKept, pausers } from './connection.ts';
import { appConnectionKey, connectionKey, readConnection, revokedIn } from './items.dynamodb.ts';

/**
 * A revocation is permanent. What is revoked leaves the list that every publish reads: otherwise somebody who makes and revokes
 * connections would slow down the whole workspace.
 */
export const revoke = async (table: Table, id: string): Promise<boolean> => {
  const item = await getItem(table, { Key: connectionKey(id), ConsistentRead: true });
  if (!item) return false;
  const connection = readConnection(item);
  if (!isKept(connection)) return true;
  const Update: Update = {
    Key: connectionKey(id),
    UpdateExpression: 'SET #status = :revoked, parent = :parent REMOVE counted_in, counted_as',
    ConditionExpression: '#status <> :revoked',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':revoked': 'revoked', ':parent': revokedIn(connection.workspace) },
  };
  const edge: Update = {
    Key: appConnectionKey(connection.app, id),
    UpdateExpression: 'SET is_revoked = :true',
    ExpressionAttributeValues: { ':true': true },
  };
  // If the condition fails, somebody else has revoked it.
  await transactIf(table, [{ Update }, { Update: edge }, ...releases(item)]);
  return true;
};

export const setPaused = async (
  table: Table,
  ...[id, paused, by]: Parameters<Connections['setPaused']>
): ReturnType<Connections['setPaused']> => {
  const overruled = pausers.slice(0, pausers.indexOf(by) + 1);
  const names = overruled.map((_, at) => `:pauser${at}`);
  const found = await updateOrFind(table, {
    Key: connectionKey(id),
    UpdateExpression: paused
      ? 'SET #status = :status, paused_by = :by'
      : 'SET #status = :status REMOVE paused_by',
    ConditionExpression: `attribute_exists(pk) AND #status <> :revoked AND (attribute_not_exists(paused_by) OR paused_by IN (${names.join(', ')}))`,
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':status': paused ? 'paused' : 'active',
      ':revoked': 'revoked',
      ...(paused ? { ':by': by } : {}),
      ...Object.fromEntries(overruled.map((pauser, at) => [`:pauser${at}`, pauser])),
    },
  });
  if (!found) return 'set';
  const connection = 'pk' in found ? readConnection(found) : undefined;
  return isKept(connection) ? (connection.pausedBy ?? 'gone') : 'gone';
};
