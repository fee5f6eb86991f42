import { AwsError } from '../../../../lib/local/engines/aws-json/input.ts';
import { openDynamoDb } from '../../../../lib/local/engines/dynamodb/engine.ts';
import { dynamoDbOperations } from '../../../../lib/local/engines/dynamodb/operations.ts';
import { openStore } from '../../../../lib/local/engines/store.ts';
import { isJsonObject, type JsonObject } from '../../../../lib/platform/json/value.ts';

export const TableName = 'things';

export const creation = {
  TableName,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
    { AttributeName: 'g', AttributeType: 'S' },
    { AttributeName: 'n', AttributeType: 'N' },
  ],
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'keys',
      KeySchema: [
        { AttributeName: 'g', KeyType: 'HASH' },
        { AttributeName: 'n', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
  ],
};

export const itemKey = (pk: string, sk: string) => ({ pk: { S: pk }, sk: { S: sk } });

/** The engine in memory, with one table. */
export const localTable = () => {
  const store = openStore();
  const time = { now: 1_700_000_000_000 };
  const dynamoDb = openDynamoDb(store, { now: () => time.now });
  const operations = dynamoDbOperations(dynamoDb);
  const call = (operation: string, input: JsonObject = {}): JsonObject => {
    const run = operations.get(operation);
    if (run === undefined) throw new Error(`The engine has no ${operation}.`);
    return run({ TableName, ...input });
  };
  /** A call that is not about one table. */
  const callAll = (operation: string, input: JsonObject): JsonObject =>
    operations.get(operation)?.(input) ?? {};
  call('CreateTable', creation);
  return {
    dynamoDb,
    store,
    time,
    operations,
    call,
    callAll,
    put: (item: JsonObject) => call('PutItem', { Item: item }),
    get: (pk: string, sk: string) => call('GetItem', { Key: itemKey(pk, sk) })['Item'],
    transact: (TransactItems: readonly JsonObject[], more: JsonObject = {}) =>
      callAll('TransactWriteItems', { TransactItems, ...more }),
  };
};

/** The error that work throws. */
export const refusalOf = (work: () => unknown): AwsError => {
  try {
    work();
  } catch (error) {
    if (error instanceof AwsError) return error;
    throw error;
  }
  throw new Error('Nothing was refused.');
};

/** The items of a response. */
export const itemsOf = (response: JsonObject): readonly JsonObject[] => {
  const items = response['Items'];
  return Array.isArray(items) ? items.filter(isJsonObject) : [];
};
