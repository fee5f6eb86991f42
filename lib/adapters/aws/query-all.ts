import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Table } from './table.ts';

/** Every item of a query, page after page, or the first `most`. */
export const queryAll = async (
  { client, name }: Table,
  query: Omit<QueryCommandInput, 'TableName'>,
  most: number = Number.POSITIVE_INFINITY,
): Promise<readonly Record<string, unknown>[]> => {
  const items: Record<string, unknown>[] = [];
  let from: Record<string, unknown> | undefined;
  do {
    const page = await client.send(
      new QueryCommand({ TableName: name, ...query, ...(from ? { ExclusiveStartKey: from } : {}) }),
    );
    items.push(...(page.Items ?? []));
    from = page.LastEvaluatedKey;
  } while (from && items.length < most);
  return items.slice(0, most);
};

/** The items whose `parent` is given and whose partition key starts with a prefix. */
export const queryChildren = (
  table: Table,
  index: string,
  { parent, prefix }: { readonly parent: string; readonly prefix: string },
): Promise<readonly Record<string, unknown>[]> =>
  queryAll(table, {
    IndexName: index,
    KeyConditionExpression: 'parent = :parent AND begins_with(pk, :prefix)',
    ExpressionAttributeValues: { ':parent': parent, ':prefix': prefix },
  });
