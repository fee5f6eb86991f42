import { removeTable } from '../../../../lib/local/engines/dynamodb/engine.ts';
import { Tables } from '../../../../lib/local/engines/dynamodb/tables.ts';
import type { JsonObject } from '../../../../lib/platform/json/value.ts';
import { creation, itemKey, itemsOf, localTable, refusalOf, TableName } from './local-table.ts';

const schema = {
  key: { partition: { name: 'pk', type: 'S' }, sort: { name: 'sk', type: 'S' } },
  indexes: [
    {
      name: 'keys',
      number: 0,
      key: { partition: { name: 'g', type: 'S' }, sort: { name: 'n', type: 'N' } },
      projected: 'KEYS_ONLY',
    },
  ],
};

describe('a table', () => {
  test('is remembered as it was created, and is found by its name and its number', () => {
    const { dynamoDb, store } = localTable();
    const { tables } = dynamoDb;
    const table = { id: 1, name: TableName, ...schema };
    expect(tables.find(TableName)).toEqual(table);
    expect(tables.find(TableName)).toBe(tables.find(TableName));
    expect(tables.withId(1)).toBe(tables.find(TableName));
    expect([tables.find('none'), tables.withId(2)]).toEqual([undefined, undefined]);
    expect(tables.of({ TableName })).toEqual(table);
    // After a restart.
    expect(new Tables(store).find(TableName)).toEqual(table);
  });

  test('is active as soon as it is created', () => {
    const { call } = localTable();
    expect(call('CreateTable', { ...creation, TableName: 'others' })).toEqual({});
    expect(call('DescribeTable', { TableName: 'others' })).toEqual({
      Table: {
        TableName: 'others',
        TableArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/others',
        TableStatus: 'ACTIVE',
      },
    });
    expect(refusalOf(() => call('DescribeTable', { TableName: 'none' }))).toMatchObject({
      name: 'ResourceNotFoundException',
      message: 'Requested resource not found',
    });
    expect(refusalOf(() => call('CreateTable', creation))).toMatchObject({
      name: 'ResourceInUseException',
      message: 'Table already exists: things',
    });
  });

  test('that is deleted is gone, and another keeps its items', () => {
    const { call, callAll, dynamoDb, put, store } = localTable();
    call('CreateTable', { ...creation, TableName: 'others' });
    const item = { ...itemKey('p', 'a'), g: { S: 'g' }, n: { N: '1' } };
    put(item);
    callAll('PutItem', { TableName: 'others', Item: item });
    expect(removeTable(dynamoDb, { TableName })).toEqual({});
    expect([dynamoDb.tables.find(TableName), dynamoDb.tables.withId(1)]).toEqual([
      undefined,
      undefined,
    ]);
    for (const rows of ['dynamodb_tables', 'dynamodb_items', 'dynamodb_index_entries'])
      expect(store.sql(`SELECT * FROM ${rows}`).all()).toHaveLength(1);
    expect(itemsOf(callAll('Scan', { TableName: 'others' }))).toEqual([item]);
  });

  const [index] = creation.GlobalSecondaryIndexes;
  const [partition, sort] = creation.KeySchema;
  test.each<[JsonObject, string]>([
    [{ KeySchema: [] }, 'tables and indexes without a sort key'],
    [{ KeySchema: [partition] }, 'tables and indexes without a sort key'],
    [{ KeySchema: [sort, partition] }, 'this KeySchema'],
    [{ KeySchema: [partition, partition] }, 'this KeySchema'],
    [
      { KeySchema: [partition, { AttributeName: 'undefined', KeyType: 'RANGE' }] },
      'this KeySchema',
    ],
    [{ AttributeDefinitions: [] }, 'this KeySchema'],
    [
      {
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          { AttributeName: 'sk', AttributeType: 'B' },
        ],
      },
      'this KeySchema',
    ],
    [
      { GlobalSecondaryIndexes: [{ ...index, ProvisionedThroughput: {} }] },
      'the parameter ProvisionedThroughput of a GlobalSecondaryIndex.',
    ],
    [
      { GlobalSecondaryIndexes: [{ ...index, Projection: { ProjectionType: 'INCLUDE' } }] },
      'INCLUDE as ProjectionType',
    ],
    [
      {
        GlobalSecondaryIndexes: [
          { ...index, Projection: { ProjectionType: 'ALL', NonKeyAttributes: ['x'] } },
        ],
      },
      'the parameter NonKeyAttributes of a Projection.',
    ],
    [
      { GlobalSecondaryIndexes: [{ ...index, KeySchema: [partition] }] },
      'tables and indexes without a sort key',
    ],
  ])('with %j is refused', (change, what) => {
    const { call } = localTable();
    const input = { ...creation, TableName: 'others', ...change };
    expect(refusalOf(() => call('CreateTable', input)).message).toBe(
      `The local DynamoDB engine does not support ${what}`,
    );
    expect(refusalOf(() => call('DescribeTable', { TableName: 'others' })).name).toBe(
      'ResourceNotFoundException',
    );
  });

  test('may have several indexes, each with its projection', () => {
    const { call, dynamoDb } = localTable();
    const all = { ...index, IndexName: 'all', Projection: { ProjectionType: 'ALL' } };
    const GlobalSecondaryIndexes = [index, all];
    call('CreateTable', { ...creation, TableName: 'others', GlobalSecondaryIndexes });
    const [keys] = schema.indexes;
    expect(dynamoDb.tables.find('others')?.indexes).toEqual([
      keys,
      { ...keys, name: 'all', number: 1, projected: 'ALL' },
    ]);
  });
});

describe('the time to live of a table', () => {
  const enabling = { Enabled: true, AttributeName: 'expires_at' };
  const enable = (call: ReturnType<typeof localTable>['call'], specification: JsonObject) =>
    call('UpdateTimeToLive', { TimeToLiveSpecification: specification });

  test('is enabled once, and stays over a restart', () => {
    const { call, dynamoDb, store } = localTable();
    expect(enable(call, enabling)).toEqual({ TimeToLiveSpecification: enabling });
    const table = { id: 1, name: TableName, ...schema, expiry: 'expires_at' };
    expect(dynamoDb.tables.find(TableName)).toEqual(table);
    expect(new Tables(store).find(TableName)).toEqual(table);
    expect(refusalOf(() => enable(call, enabling)).message).toBe('TimeToLive is already enabled');
  });

  test('is not disabled', () => {
    const { call, dynamoDb } = localTable();
    expect(refusalOf(() => enable(call, { ...enabling, Enabled: false })).message).toBe(
      'The local DynamoDB engine does not support tables whose time to live is disabled again',
    );
    expect(dynamoDb.tables.find(TableName)?.expiry).toBeUndefined();
  });
});
