import { holds, type Table, updateItem } from '../aws/table.ts';
import { connectionKey } from './items.dynamodb.ts';
import type { TestMarks } from './test-runs.ts';

/** The marks of connections under test, on the connections' own items: they are read anyway. */
export const awsTestMarks = (table: Table): TestMarks => ({
  mark: (connection, run, before = run) =>
    holds(
      updateItem(table, {
        Key: connectionKey(connection),
        UpdateExpression: 'SET under_test = :run',
        ConditionExpression:
          '#status <> :revoked AND (attribute_not_exists(under_test) OR under_test = :before)',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':run': run, ':before': before, ':revoked': 'revoked' },
      }),
    ),

  async unmark(connection, run, lately) {
    const isLate = lately !== undefined;
    await holds(
      updateItem(table, {
        Key: connectionKey(connection),
        UpdateExpression: `REMOVE under_test${isLate ? ' SET tested_in = :run, tested_until = :until' : ''}`,
        ConditionExpression: 'under_test = :run',
        ExpressionAttributeValues: { ':run': run, ...(isLate ? { ':until': lately } : {}) },
      }),
    );
  },
});
