import type { IndexName } from '../../contract/tables.ts';
import { type Item, type Query, queryPage } from './item-calls.ts';
import type { Table } from './table.ts';

/** Every item of a query, page after page, or the first `most`. */
export const queryAll = async (
  table: Table,
  query: Query,
  most: number = Number.POSITIVE_INFINITY,
): Promise<readonly Item[]> => {
  const items: Item[] = [];
  let from: Item | undefined;
  do {
    const page = await queryPage(table, { ...query, ...(from ? { ExclusiveStartKey: from } : {}) });
    items.push(...page.items);
    from = page.next;
  } while (from && items.length < most);
  return items.slice(0, most);
};

/** The items whose `parent` is given and whose partition key starts with a prefix. */
export const queryChildren = (
  table: Table,
  index: IndexName,
  { parent, prefix }: { readonly parent: string; readonly prefix: string },
): Promise<readonly Item[]> =>
  queryAll(table, {
    IndexName: index,
    KeyConditionExpression: 'parent = :parent AND begins_with(pk, :prefix)',
    ExpressionAttributeValues: { ':parent': parent, ':prefix': prefix },
  });
