import type { JsonObject } from '../../../platform/json/value.ts';
import { type OperationRow, operationsOf } from '../aws-json/input.ts';
import { type DynamoDb, removeTable } from './engine.ts';
import { query, scan } from './queries.ts';
import { batchGetItem, getOneItem } from './reads.ts';
import { checkParameters } from './requests.ts';
import { createTable, describeTable, updateTimeToLive } from './tables.ts';
import { transactWriteItems } from './transactions.ts';
import {
  batchWriteItem,
  conditionalParameters,
  deleteOneItem,
  putOneItem,
  updateOneItem,
} from './writes.ts';

/**
 * An operation of DynamoDB: answers a request, or throws an AwsError. What it takes and gives is
 * shared with nobody.
 */
export type DynamoDbOperation = (input: JsonObject) => JsonObject;

/** `X-Amz-Target`, protocol version and size limit of DynamoDB: a batch of 16 MB, in base64. */
export const dynamoDbProtocol = {
  target: 'DynamoDB_20120810',
  version: '1.0',
  maxRequestBytes: 24 * 1024 * 1024,
} as const;

const units = 'ReturnConsumedCapacity';
const reading = ['TableName', 'ConsistentRead', units];
const paging = [...reading, 'IndexName', 'ExclusiveStartKey', 'Limit', 'Select'];
const writing = [...conditionalParameters, units];

const operations: Readonly<Record<string, OperationRow<DynamoDb, [], JsonObject>>> = {
  CreateTable: {
    run: ({ tables }, input) => createTable(tables, input),
    parameters: [
      'TableName',
      'AttributeDefinitions',
      'KeySchema',
      'BillingMode',
      'GlobalSecondaryIndexes',
    ],
  },
  DescribeTable: {
    run: ({ tables }, input) => describeTable(tables, input),
    parameters: ['TableName'],
  },
  DeleteTable: { run: removeTable, parameters: ['TableName'] },
  UpdateTimeToLive: {
    run: ({ tables }, input) => updateTimeToLive(tables, input),
    parameters: ['TableName', 'TimeToLiveSpecification'],
  },
  GetItem: { run: getOneItem, parameters: [...reading, 'Key'] },
  PutItem: { run: putOneItem, parameters: [...writing, 'Item'] },
  UpdateItem: {
    run: updateOneItem,
    parameters: [...writing, 'Key', 'UpdateExpression', 'ReturnValues'],
  },
  DeleteItem: { run: deleteOneItem, parameters: [...writing, 'Key'] },
  Query: {
    run: query,
    parameters: [
      ...paging,
      'KeyConditionExpression',
      'ExpressionAttributeNames',
      'ExpressionAttributeValues',
      'ScanIndexForward',
    ],
  },
  Scan: { run: scan, parameters: paging },
  BatchGetItem: { run: batchGetItem, parameters: ['RequestItems', units] },
  BatchWriteItem: { run: batchWriteItem, parameters: ['RequestItems', units] },
  // An SDK adds a token, which says that a second attempt is the same request; to a caller on this
  // machine no response is lost.
  TransactWriteItems: {
    run: transactWriteItems,
    parameters: ['TransactItems', 'ClientRequestToken', units],
  },
};

/**
 * DynamoDB's operations on a store, as far as the adapters use them. Input is that of the SDK's
 * commands or of the wire: binary values are bytes or base64 text. In responses they are bytes. An
 * unknown operation is not in the map.
 *
 * @see
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Operations_Amazon_DynamoDB.html
 */
export const dynamoDbOperations = (dynamoDb: DynamoDb): ReadonlyMap<string, DynamoDbOperation> =>
  operationsOf(dynamoDb, operations, checkParameters);
