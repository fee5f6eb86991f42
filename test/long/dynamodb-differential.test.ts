import { compareEngines } from '../local/engines/dynamodb/differential/compare.ts';
import { dynamoDbLocalLacks } from '../support/dynamodb-local.ts';
import { testUnless } from '../support/where.ts';

testUnless(
  dynamoDbLocalLacks(),
  'a generated history has the same responses on DynamoDB Local',
  async () => {
    const { calls, succeeded, shortest } = await compareEngines(300, 1);
    expect(shortest).toBeUndefined();
    expect(calls).toBeGreaterThanOrEqual(300);
    expect(succeeded).toBeGreaterThan(calls / 3);
  },
);
