import { startAwsJsonServer } from '../../lib/engines/aws-json/server.ts';
import { dynamoDbOperations } from '../../lib/engines/dynamodb/operations.ts';
import type { EngineClock } from '../../lib/engines/machine.ts';
import { openStore } from '../../lib/engines/store/store.ts';

/** The DynamoDB engine in memory, on loopback. */
export const startDynamoDbEngine = async (clock: Pick<EngineClock, 'now'>) => {
  const store = openStore();
  const server = await startAwsJsonServer(
    {
      target: 'DynamoDB_20120810',
      version: '1.0',
      operations: dynamoDbOperations(store, { clock }),
      maxRequestBytes: 17 * 1024 * 1024,
    },
    { port: 0 },
  );
  return {
    endpoint: server.endpoint,
    async close() {
      await server.close();
      await store.close();
    },
  };
};
