import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Party, PartyKind } from '../../domain/registry/organisation.ts';
import type { Directory } from '../../ports/operator/directory.ts';
import { holds } from './holds.ts';
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
      await table.client.send(
        new PutCommand({
          TableName: table.name,
          Item: partyItem(party),
          ConditionExpression: 'attribute_not_exists(pk)',
        }),
      );
    },
    async find(kind, id) {
      const get = new GetCommand({ TableName: table.name, Key: partyKey(kind, id), ConsistentRead: true });
      const { Item } = await table.client.send(get);
      return Item ? readParty(Item) : undefined;
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
        table.client.send(
          new UpdateCommand({
            TableName: table.name,
            Key: partyKey(kind, id),
            UpdateExpression: 'SET #status = :revoked',
            ConditionExpression: 'attribute_exists(pk)',
            ExpressionAttributeNames: { '#status': 'status' },
            ExpressionAttributeValues: { ':revoked': 'revoked' },
          }),
        ),
      ),
  };
};
