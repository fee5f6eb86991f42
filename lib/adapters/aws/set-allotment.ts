import type { Allotment } from '../../ports/operator/allotment.ts';
import { holds } from './holds.ts';
import { updateItem } from './item-calls.ts';
import type { Table } from './table.ts';

/** Writes the tier, and the numbers or their absence, of an item that exists; false when it does not. */
export const setAllotment = (
  table: Table,
  Key: { readonly pk: string; readonly sk: string },
  { tier, quota }: Allotment,
): Promise<boolean> =>
  holds(
    updateItem(table, {
      Key,
      UpdateExpression: quota ? 'SET tier = :tier, quota = :quota' : 'SET tier = :tier REMOVE quota',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':tier': tier, ...(quota ? { ':quota': quota } : {}) },
    }),
  );
