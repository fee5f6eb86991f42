import {
  type AttributeDefinition,
  CreateTableCommand,
  type CreateTableCommandInput,
  DynamoDBClient,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import {
  CreateAliasCommand,
  CreateKeyCommand,
  DescribeKeyCommand,
  KMSClient,
} from '@aws-sdk/client-kms';
import {
  type KeyDefinition,
  type TableDefinition,
  type TableName,
  tableNames,
  tables,
} from '../contract/tables.ts';
import { clientConfig, clientOf } from '../platform/aws/clients.ts';
import { isAwsError } from '../platform/aws/table.ts';
import { type LocalEnv, localTables, signingKeyAlias } from './env.ts';

const keySchema = ({ partition, sort }: KeyDefinition): CreateTableCommandInput['KeySchema'] => [
  { AttributeName: partition, KeyType: 'HASH' },
  { AttributeName: sort, KeyType: 'RANGE' },
];

const attributes = (indexes: readonly KeyDefinition[]): AttributeDefinition[] => {
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

const creation = (
  TableName: string,
  { key, indexes }: TableDefinition,
): CreateTableCommandInput => {
  const GlobalSecondaryIndexes = Object.entries(indexes).map(([IndexName, index]) => ({
    IndexName,
    KeySchema: keySchema(index),
    Projection: { ProjectionType: index.projection },
  }));
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: keySchema(key),
    AttributeDefinitions: attributes([key, ...Object.values(indexes)]),
    // An empty list is refused.
    ...(GlobalSecondaryIndexes.length > 0 && { GlobalSecondaryIndexes }),
  };
};

export const createTables = async (
  env: LocalEnv,
  names: Readonly<Record<TableName, string>>,
): Promise<void> => {
  const client = clientOf(env, 'DYNAMODB', new DynamoDBClient(clientConfig(env, 'DYNAMODB')));
  for (const table of tableNames) {
    try {
      await client.send(new CreateTableCommand(creation(names[table], tables[table])));
    } catch (error) {
      if (!isAwsError(error, 'ResourceInUseException')) throw error;
    }
  }
  client.destroy();
};

const enableExpiry = async (env: LocalEnv): Promise<void> => {
  const client = clientOf(env, 'DYNAMODB', new DynamoDBClient(clientConfig(env, 'DYNAMODB')));
  for (const table of tableNames) {
    const TimeToLiveSpecification = { AttributeName: tables[table].expiry, Enabled: true };
    const enabling = new UpdateTimeToLiveCommand({
      TableName: localTables[table],
      TimeToLiveSpecification,
    });
    try {
      await client.send(enabling);
    } catch (error) {
      // It was enabled in an earlier start.
      if (!isAwsError(error, 'ValidationException')) throw error;
    }
  }
  client.destroy();
};

const createSigningKey = async (client: KMSClient): Promise<void> => {
  const { KeyMetadata } = await client.send(
    new CreateKeyCommand({ KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' }),
  );
  await client.send(
    new CreateAliasCommand({ AliasName: signingKeyAlias, TargetKeyId: KeyMetadata?.KeyId }),
  );
};

/** Creates the missing tables and signing key, as the deployment does on AWS. */
export const provision = async (env: LocalEnv): Promise<void> => {
  const client = clientOf(env, 'KMS', new KMSClient(clientConfig(env, 'KMS')));
  await createTables(env, localTables);
  await enableExpiry(env);
  try {
    await client.send(new DescribeKeyCommand({ KeyId: signingKeyAlias }));
  } catch (error) {
    if (!isAwsError(error, 'NotFoundException')) throw error;
    await createSigningKey(client);
  }
  client.destroy();
};
