import { dynamoDbProtocol } from '../../../../lib/local/engines/dynamodb/operations.ts';
import {
  checkBatch,
  checkDistinct,
  choice,
  dynamoDbError,
  invalid,
  unsupported,
} from '../../../../lib/local/engines/dynamodb/requests.ts';
import { localTable, refusalOf } from './local-table.ts';

const conditional = [
  'TableName',
  'ConditionExpression',
  'ExpressionAttributeNames',
  'ExpressionAttributeValues',
  'ReturnValuesOnConditionCheckFailure',
  'ReturnConsumedCapacity',
];
const read = ['TableName', 'ConsistentRead', 'ReturnConsumedCapacity'];
const paged = [...read, 'IndexName', 'ExclusiveStartKey', 'Limit', 'Select'];

/** What each operation takes, by the names of the API reference. */
const parameters: Readonly<Record<string, readonly string[]>> = {
  CreateTable: [
    'TableName',
    'AttributeDefinitions',
    'KeySchema',
    'BillingMode',
    'GlobalSecondaryIndexes',
  ],
  DescribeTable: ['TableName'],
  DeleteTable: ['TableName'],
  UpdateTimeToLive: ['TableName', 'TimeToLiveSpecification'],
  GetItem: [...read, 'Key'],
  PutItem: [...conditional, 'Item'],
  UpdateItem: [...conditional, 'Key', 'UpdateExpression', 'ReturnValues'],
  DeleteItem: [...conditional, 'Key'],
  Query: [
    ...paged,
    'KeyConditionExpression',
    'ExpressionAttributeNames',
    'ExpressionAttributeValues',
    'ScanIndexForward',
  ],
  Scan: paged,
  BatchGetItem: ['RequestItems', 'ReturnConsumedCapacity'],
  BatchWriteItem: ['RequestItems', 'ReturnConsumedCapacity'],
  TransactWriteItems: ['TransactItems', 'ClientRequestToken', 'ReturnConsumedCapacity'],
};

test('there are the operations that the bus uses', () => {
  expect([...localTable().operations.keys()].sort()).toEqual(Object.keys(parameters).sort());
});

test.each(Object.entries(parameters))('%s takes %j, and nothing else', (operation, known) => {
  const { operations } = localTable();
  // The first that is not known is named: all before it are.
  const input = Object.fromEntries([...known, 'Unheard'].map(name => [name, 'x']));
  expect(refusalOf(() => operations.get(operation)?.(input)).message).toBe(
    `The local DynamoDB engine does not support the parameter Unheard of ${operation}.`,
  );
});

test('requests name the protocol, and have up to 24 MB', () => {
  expect(dynamoDbProtocol).toEqual({
    target: 'DynamoDB_20120810',
    version: '1.0',
    maxRequestBytes: 25_165_824,
  });
});

test.each([
  ['validation', 'com.amazon.coral.validate#ValidationException'],
  ['conditionalCheckFailed', 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException'],
  ['transactionCanceled', 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException'],
  ['resourceNotFound', 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException'],
  ['resourceInUse', 'com.amazonaws.dynamodb.v20120810#ResourceInUseException'],
] as const)('the refusal %s is %s, with status 400', (name, type) => {
  const error = dynamoDbError(name, 'why', { Item: {} });
  expect(error.shape).toEqual({ type, status: 400 });
  expect(error).toMatchObject({ message: 'why', members: { Item: {} } });
});

test('what is not valid and what is not supported are refused as DynamoDB does', () => {
  expect(invalid('why')).toMatchObject({ name: 'ValidationException', message: 'why' });
  expect(unsupported('that')).toMatchObject({
    name: 'ValidationException',
    message: 'The local DynamoDB engine does not support that',
  });
});

test('a parameter with choices has the first one unless a request says otherwise', () => {
  expect(choice({}, 'Mode', ['one', 'two'])).toBe('one');
  expect(choice({ Mode: 'two' }, 'Mode', ['one', 'two'])).toBe('two');
  expect(refusalOf(() => choice({ Mode: 'three' }, 'Mode', ['one', 'two'])).message).toBe(
    'The local DynamoDB engine does not support three as Mode',
  );
});

test('a batch has a maximum, and nothing twice', () => {
  expect(() => checkBatch('Some', 25, 25)).not.toThrow();
  expect(refusalOf(() => checkBatch('Some', 26, 25)).message).toBe(
    'Too many items requested for the Some call',
  );
  expect(() => checkDistinct(['a', 'b'], 'twice')).not.toThrow();
  expect(refusalOf(() => checkDistinct(['a', 'b', 'a'], 'twice')).message).toBe('twice');
});
