import type { JsonObject } from '../../../../lib/platform/json/value.ts';
import { creation, itemKey, localTable, TableName } from './local-table.ts';

/**
 * An item of exactly so many bytes: names and values of `pk`, `sk` and `b` (Developer Guide,
 * "DynamoDB item sizes and formats").
 */
const itemOf = (bytes: number, sk = 'a') => ({
  ...itemKey('p', sk),
  b: { S: 'x'.repeat(bytes - ('pk'.length + 1 + 'sk'.length + sk.length + 1)) },
});

const asked = { ReturnConsumedCapacity: 'TOTAL' };

const unitsOf = (response: JsonObject): unknown => {
  const consumed = response['ConsumedCapacity'];
  const [one] = Array.isArray(consumed) ? consumed : [consumed];
  return (one as { readonly CapacityUnits?: number } | undefined)?.CapacityUnits;
};

describe('a write consumes a unit for each kilobyte', () => {
  test.each([
    [1_024, 1],
    [1_025, 2],
    [2_048, 2],
    [2_049, 3],
  ])('of an item of %i bytes: %i', (bytes, units) => {
    const table = localTable();
    expect(unitsOf(table.call('PutItem', { Item: itemOf(bytes), ...asked }))).toBe(units);
    const RequestItems = { [TableName]: [{ PutRequest: { Item: itemOf(bytes, 'c') } }] };
    expect(unitsOf(table.callAll('BatchWriteItem', { RequestItems, ...asked }))).toBe(units);
    expect(unitsOf(table.call('DeleteItem', { Key: itemKey('p', 'a'), ...asked }))).toBe(units);
  });

  test('of the larger of the item before and after', () => {
    const table = localTable();
    table.put(itemOf(5_000));
    expect(unitsOf(table.call('PutItem', { Item: itemOf(100), ...asked }))).toBe(5);
    const update = {
      Key: itemKey('p', 'a'),
      UpdateExpression: 'SET b = :b',
      ExpressionAttributeValues: { ':b': itemOf(3_000).b },
    };
    expect(unitsOf(table.call('UpdateItem', { ...update, ...asked }))).toBe(3);
  });

  test('and one if there is nothing to write', () => {
    expect(unitsOf(localTable().call('DeleteItem', { Key: itemKey('p', 'none'), ...asked }))).toBe(
      1,
    );
  });

  test('and another for each index that it changes', () => {
    const table = localTable();
    const Item = { ...itemOf(100), g: { S: 'g' }, n: { N: '1' } };
    const ConsumedCapacity = { TableName, CapacityUnits: 2 };
    expect(table.call('PutItem', { Item, ...asked })).toEqual({ ConsumedCapacity });
    expect(table.call('PutItem', { Item: itemOf(100, 'c') })['ConsumedCapacity']).toBeUndefined();
  });

  test('and none for an index of all attributes if none changes, else the larger of its entries', () => {
    const table = localTable();
    const [index] = creation.GlobalSecondaryIndexes;
    const all = {
      ...creation,
      TableName: 'others',
      GlobalSecondaryIndexes: [{ ...index, Projection: { ProjectionType: 'ALL' } }],
    };
    table.callAll('CreateTable', all);
    const put = {
      TableName: 'others',
      Item: { n: { N: '1' }, ...itemOf(100), g: { S: 'g' } },
      ...asked,
    };
    expect([
      unitsOf(table.callAll('PutItem', put)),
      unitsOf(table.callAll('PutItem', put)),
    ]).toEqual([2, 1]);
    const larger = { ...put, Item: { ...put.Item, b: { S: 'x'.repeat(1_500) } } };
    expect(unitsOf(table.callAll('PutItem', larger))).toBe(2 + 2);
  });
});

describe('a read consumes half a unit for four kilobytes, a consistent one a whole', () => {
  test.each([
    [4_096, 1],
    [4_097, 2],
    [8_192, 2],
    [8_193, 3],
  ])('of an item of %i bytes: %i', (bytes, units) => {
    const table = localTable();
    table.put(itemOf(bytes));
    const Key = itemKey('p', 'a');
    expect(unitsOf(table.call('GetItem', { Key, ConsistentRead: true, ...asked }))).toBe(units);
    expect(unitsOf(table.call('GetItem', { Key, ...asked }))).toBe(units / 2);
  });

  test('of all items of a query together', () => {
    const table = localTable();
    for (const sk of ['a', 'b', 'c']) table.put(itemOf(3_000, sk));
    const query = {
      KeyConditionExpression: 'pk = :p',
      ExpressionAttributeValues: { ':p': { S: 'p' } },
      ...asked,
    };
    expect(unitsOf(table.call('Query', { ...query, ConsistentRead: true }))).toBe(3);
    expect(unitsOf(table.call('Query', query))).toBe(1.5);
    expect(unitsOf(table.call('Scan', asked))).toBe(1.5);
  });

  test('and of an index only what it has of the items', () => {
    const table = localTable();
    table.put({ ...itemOf(9_000), g: { S: 'g' }, n: { N: '1' } });
    const ExpressionAttributeValues = { ':g': { S: 'g' } };
    const query = {
      IndexName: 'keys',
      KeyConditionExpression: 'g = :g',
      ExpressionAttributeValues,
    };
    expect(unitsOf(table.call('Query', { ...query, ...asked }))).toBe(0.5);
  });

  test('and half a unit if there is nothing to read', () => {
    expect(unitsOf(localTable().call('GetItem', { Key: itemKey('p', 'none'), ...asked }))).toBe(
      0.5,
    );
  });
});
