import type { JsonObject } from '../../json/value.ts';
import type { DynamoDb } from './engine.ts';
import { query, scan } from './queries.ts';
import { batchGetItem, getItem } from './reads.ts';
import { createTable, deleteTable, describeTable, updateTimeToLive } from './tables.ts';
import { transactWriteItems } from './transactions.ts';
import { batchWriteItem, deleteItem, putItem, updateItem } from './writes.ts';

/** An operation of DynamoDB: answers a request, or throws an AwsError. What it takes and gives is shared with nobody. */
export type DynamoDbOperation = (input: JsonObject) => JsonObject;

const removeTable = (dynamoDb: DynamoDb, input: JsonObject): JsonObject =>
  dynamoDb.store.transaction(() => {
    dynamoDb.items.clear(deleteTable(dynamoDb.tables, input).id);
    return {};
  });

/** `X-Amz-Target`, protocol version and size limit of DynamoDB: a batch of 16 MB, in base64. */
export const dynamoDbProtocol = {
  target: 'DynamoDB_20120810',
  version: '1.0',
  maxRequestBytes: 24 * 1024 * 1024,
} as const;

/**
 * DynamoDB's operations on a store. Input is that of the SDK's commands or of the wire: binary values are bytes or base64 text.
 * In responses they are bytes. An unknown operation is not in the map.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Operations_Amazon_DynamoDB.html
 */
export const dynamoDbOperations = (dynamoDb: DynamoDb): ReadonlyMap<string, DynamoDbOperation> => {
  const { tables } = dynamoDb;
  return new Map<string, DynamoDbOperation>([
    ['CreateTable', input => createTable(tables, input)],
    ['DescribeTable', input => describeTable(tables, input)],
    ['DeleteTable', input => removeTable(dynamoDb, input)],
    ['UpdateTimeToLive', input => updateTimeToLive(tables, input)],
    ['GetItem', input => getItem(dynamoDb, input)],
    ['PutItem', input => putItem(dynamoDb, input)],
    ['UpdateItem', input => updateItem(dynamoDb, input)],
    ['DeleteItem', input => deleteItem(dynamoDb, input)],
    ['Query', input => query(dynamoDb, input)],
    ['Scan', input => scan(dynamoDb, input)],
    ['BatchGetItem', input => batchGetItem(dynamoDb, input)],
    ['BatchWriteItem', input => batchWriteItem(dynamoDb, input)],
    ['TransactWriteItems', input => transactWriteItems(dynamoDb, input)],
  ]);
};
