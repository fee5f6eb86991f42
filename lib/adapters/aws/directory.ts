import type { Party, PartyKind } from '../../domain/registry/organisation.ts';
import type { Directory } from '../../ports/operator/directory.ts';
import { holds } from './holds.ts';
import { getItem, putItem, updateItem } from './item-calls.ts';
import { queryChildren } from './query-all.ts';
import { childrenIndex, partyItem, partyKey, partyPrefix, readParty, root } from './registry-items.ts';
import { setAllotment } from './set-allotment.ts';
import type { Table } from './table.ts';

const byAge = (a: Party, b: Party): number =>
  a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id);

/** Organisations, workspaces and apps in DynamoDB. */
export const awsDirectory = (table: Table): Directory => {
  const children = async (kind: PartyKind, parent: string): Promise<readonly Party[]> =>
    (await queryChildren(table, childrenIndex, { parent, prefix: partyPrefix(kind) }))
      .map(readParty)
      .sort(byAge);

  return {
    async add(party) {
      await putItem(table, { Item: partyItem(party), ConditionExpression: 'attribute_not_exists(pk)' });
    },
    async find(kind, id) {
      const item = await getItem(table, { Key: partyKey(kind, id), ConsistentRead: true });
      return item && readParty(item);
    },
    async list(kind, parent) {
      if (kind === 'organisation') return children(kind, root);
      if (parent !== undefined) return children(kind, parent);
      const organisations = await children('organisation', root);
      return (await Promise.all(organisations.map(({ id }) => children(kind, id)))).flat();
    },
    setQuota: (organisation, allotment) =>
      setAllotment(table, partyKey('organisation', organisation), allotment),
    revoke: (kind, id) =>
      holds(
        updateItem(table, {
          Key: partyKey(kind, id),
          UpdateExpression: 'SET #status = :revoked',
          ConditionExpression: 'attribute_exists(pk)',
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: { ':revoked': 'revoked' },
        }),
      ),
  };
};
