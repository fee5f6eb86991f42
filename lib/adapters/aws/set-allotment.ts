import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Allotment } from '../../ports/operator/allotment.ts';
import { holds } from './holds.ts';
import type { Table } from './table.ts';

/** Writes the tier, and the numbers or their absence, of an item that exists; false when it does not. */
export const setAllotment = (
  { client, name }: Table,
  Key: { readonly pk: string; readonly sk: string },
  { tier, quota }: Allotment,
): Promise<boolean> =>
  holds(
    client.send(
      new UpdateCommand({
        TableName: name,
        Key,
        UpdateExpression: quota ? 'SET tier = :tier, quota = :quota' : 'SET tier = :tier REMOVE quota',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':tier': tier, ...(quota ? { ':quota': quota } : {}) },
      }),
    ),
  );
