import {
  type AttributeDefinition,
  CreateTableCommand,
  type CreateTableCommandInput,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { clientConfig } from '../adapters/aws/client-config.ts';
import { isFault } from '../adapters/aws/table.ts';
import {
  type IndexDefinition,
  type TableDefinition,
  type TableName,
  tableNames,
  tables,
} from '../contract/tables.ts';
import type { LocalEnv } from './local-env.ts';

const keySchema = ({ partition, sort }: IndexDefinition): CreateTableCommandInput['KeySchema'] => [
  { AttributeName: partition, KeyType: 'HASH' },
  { AttributeName: sort, KeyType: 'RANGE' },
];

const attributes = (indexes: readonly IndexDefinition[]): AttributeDefinition[] => {
  const types = new Map(
    indexes.flatMap(
      ({ partition, sort, sortType }) =>
        [
          [partition, 'S'],
          [sort, sortType],
        ] as const,
    ),
  );
  return [...types].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }));
};

/** The request that makes a table from its definition. */
const creation = (TableName: string, { key, indexes }: TableDefinition): CreateTableCommandInput => ({
  TableName,
  BillingMode: 'PAY_PER_REQUEST',
  KeySchema: keySchema(key),
  AttributeDefinitions: attributes([key, ...Object.values(indexes)]),
  GlobalSecondaryIndexes: Object.entries(indexes).map(([IndexName, index]) => ({
    IndexName,
    KeySchema: keySchema(index),
    Projection: { ProjectionType: index.projection },
  })),
});

/** Makes the tables that the data folder does not have yet. */
export const createTables = async (
  env: LocalEnv,
  names: Readonly<Record<TableName, string>>,
): Promise<void> => {
  const client = new DynamoDBClient(clientConfig(env, 'DYNAMODB'));
  for (const table of tableNames) {
    try {
      await client.send(new CreateTableCommand(creation(names[table], tables[table])));
    } catch (fault) {
      if (!isFault(fault, 'ResourceInUseException')) throw fault;
    }
  }
  client.destroy();
};
