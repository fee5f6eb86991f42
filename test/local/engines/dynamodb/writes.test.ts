import type { JsonObject } from '../../../../lib/platform/json/value.ts';
import { creation, itemKey, itemsOf, localTable, refusalOf, TableName } from './local-table.ts';

const Key = itemKey('p', 'a');
const item = { ...Key, n: { N: '1' }, g: { S: 'g' } };
const never = { ConditionExpression: 'attribute_not_exists(pk)' };
const units = { ReturnConsumedCapacity: 'TOTAL' };
const consumed = (CapacityUnits: number) => ({
  ConsumedCapacity: { TableName, CapacityUnits },
});

/** Each write of one item, all of which take a condition. */
const writes: readonly (readonly [string, JsonObject])[] = [
  ['PutItem', { Item: { ...item, n: { N: '2' } } }],
  [
    'UpdateItem',
    { Key, UpdateExpression: 'SET n = :n', ExpressionAttributeValues: { ':n': { N: '2' } } },
  ],
  ['DeleteItem', { Key }],
];

describe.each(writes)('%s', (operation, input) => {
  const scene = () => {
    const table = localTable();
    table.put(item);
    return table;
  };

  test('answers nothing but what it consumed, if it is asked for that', () => {
    const table = scene();
    expect(table.call(operation, input)).toStrictEqual({});
    expect(table.get('p', 'a')).toEqual(
      operation === 'DeleteItem' ? undefined : { ...item, n: { N: '2' } },
    );
    const condition = { ConditionExpression: 'attribute_exists(pk)' };
    expect(scene().call(operation, { ...input, ...condition })).toStrictEqual({});
    // One for the item, and one for each entry of the index that goes, or that comes.
    const again = scene().call(operation, { ...input, ...units });
    expect(again).toStrictEqual(consumed(operation === 'DeleteItem' ? 2 : 3));
  });

  test('changes nothing if its condition does not hold', () => {
    const table = scene();
    const refused = (more: JsonObject = {}) =>
      refusalOf(() => table.call(operation, { ...input, ...never, ...more }));
    const told = {
      name: 'ConditionalCheckFailedException',
      message: 'The conditional request failed',
    };
    expect(refused()).toMatchObject({ ...told, members: {} });
    expect(refused().members).toEqual({});
    const wanted = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' };
    expect(refused(wanted)).toMatchObject(told);
    expect(refused(wanted).members).toEqual({ Item: item });
    expect(refused({ ReturnValuesOnConditionCheckFailure: 'NONE' }).members).toEqual({});
    expect(table.get('p', 'a')).toEqual(item);
  });

  test('tells no item of a condition that fails because there is none', () => {
    const table = localTable();
    const wanted = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' };
    const condition = { ConditionExpression: 'attribute_exists(pk)' };
    const refusal = refusalOf(() => table.call(operation, { ...input, ...condition, ...wanted }));
    expect(refusal.members).toStrictEqual({});
    expect(itemsOf(table.call('Scan'))).toEqual([]);
  });

  test('refuses names and values that no expression has', () => {
    const table = scene();
    const more = { ExpressionAttributeNames: { '#unused': 'n' } };
    expect(refusalOf(() => table.call(operation, { ...input, ...more })).message).toBe(
      'Value provided unused in expressions: keys: {#unused}',
    );
    expect(table.get('p', 'a')).toEqual(item);
  });

  test('refuses a table that is not there', () => {
    const elsewhere = { ...input, TableName: 'none' };
    expect(refusalOf(() => scene().call(operation, elsewhere)).name).toBe(
      'ResourceNotFoundException',
    );
  });
});

describe('an update', () => {
  test('returns all of the item as it is afterwards, if it is asked for', () => {
    const { call, put } = localTable();
    put(item);
    const adding = { Key, UpdateExpression: 'ADD n :n' };
    const input = { ...adding, ExpressionAttributeValues: { ':n': { N: '1' } } };
    expect(call('UpdateItem', { ...input, ReturnValues: 'NONE' })).toStrictEqual({});
    expect(call('UpdateItem', { ...input, ...units, ReturnValues: 'ALL_NEW' })).toStrictEqual({
      Attributes: { ...item, n: { N: '3' } },
      ...consumed(3),
    });
  });

  test('of an item that is not there makes one of its key', () => {
    const { call, get } = localTable();
    expect(call('UpdateItem', { Key, ReturnValues: 'ALL_NEW' })).toStrictEqual({ Attributes: Key });
    expect(get('p', 'a')).toEqual(Key);
  });

  test.each(['pk', 'sk'])('does not change the key attribute %s', name => {
    const { call } = localTable();
    const UpdateExpression = `SET x = :v, ${name} = :v`;
    const input = { Key, UpdateExpression, ExpressionAttributeValues: { ':v': { S: 'v' } } };
    expect(refusalOf(() => call('UpdateItem', input)).message).toBe(
      `Cannot update attribute ${name}. This attribute is part of the key`,
    );
  });
});

describe('a batch of puts', () => {
  const puts = (items: readonly JsonObject[]) => items.map(Item => ({ PutRequest: { Item } }));

  test('writes all items, in all tables, and their entries in indexes', () => {
    const { call, callAll, put } = localTable();
    call('CreateTable', { ...creation, TableName: 'others' });
    put({ ...item, n: { N: '9' } });
    const [one, two] = [item, { ...itemKey('p', 'b'), g: { S: 'g' }, n: { N: '0' } }];
    const RequestItems = { [TableName]: puts([one, two]), others: puts([one]) };
    expect(callAll('BatchWriteItem', { RequestItems, ...units })).toStrictEqual({
      UnprocessedItems: {},
      // Of the first, the old entry goes and a new one comes.
      ConsumedCapacity: [
        { TableName, CapacityUnits: 5 },
        { TableName: 'others', CapacityUnits: 2 },
      ],
    });
    expect(itemsOf(call('Scan'))).toEqual([one, two]);
    expect(itemsOf(call('Scan', { TableName: 'others' }))).toEqual([one]);
    const indexed = {
      IndexName: 'keys',
      KeyConditionExpression: 'g = :g',
      ExpressionAttributeValues: { ':g': { S: 'g' } },
    };
    expect(itemsOf(call('Query', indexed))).toEqual([two, one]);
    expect(callAll('BatchWriteItem', { RequestItems })).toStrictEqual({ UnprocessedItems: {} });
  });

  test('has up to 25 items, each once', () => {
    const { call, callAll } = localTable();
    const items = (count: number) =>
      Array.from({ length: count }, (_, at) => itemKey('p', `${at + 10}`));
    const write = (given: readonly JsonObject[]) =>
      callAll('BatchWriteItem', { RequestItems: { [TableName]: puts(given) } });
    expect(refusalOf(() => write(items(26))).message).toBe(
      'Too many items requested for the BatchWriteItem call',
    );
    expect(refusalOf(() => write([...items(3), itemKey('p', '11')])).message).toBe(
      'Provided list of item keys contains duplicates',
    );
    expect(itemsOf(call('Scan'))).toEqual([]);
    write(items(25));
    expect(itemsOf(call('Scan'))).toEqual(items(25));
  });

  test('may have the same key in two tables', () => {
    const { call, callAll } = localTable();
    call('CreateTable', { ...creation, TableName: 'others' });
    const RequestItems = { [TableName]: puts([Key]), others: puts([Key]) };
    callAll('BatchWriteItem', { RequestItems });
    expect(itemsOf(call('Scan', { TableName: 'others' }))).toEqual([Key]);
  });

  test.each<[string, JsonObject, string]>([
    ['a delete', { DeleteRequest: { Key } }, 'DeleteRequest of WriteRequest'],
    ['a condition', { PutRequest: { Item: item, ...never } }, 'ConditionExpression of PutRequest'],
  ])('has not %s', (_, request, parameter) => {
    const { callAll } = localTable();
    const RequestItems = { [TableName]: [request] };
    expect(refusalOf(() => callAll('BatchWriteItem', { RequestItems })).message).toBe(
      `The local DynamoDB engine does not support the parameter ${parameter}.`,
    );
  });

  test('is written as a whole or not at all', () => {
    const { call, callAll, store } = localTable();
    const { sql } = store;
    let written = 0;
    const failing = jest.spyOn(store, 'sql').mockImplementation(text => {
      if (text.startsWith('INSERT INTO dynamodb_items')) written += 1;
      if (written === 2) throw new Error('disk full');
      return sql(text);
    });
    const RequestItems = { [TableName]: puts([item, itemKey('p', 'b')]) };
    expect(() => callAll('BatchWriteItem', { RequestItems })).toThrow('disk full');
    failing.mockRestore();
    expect(itemsOf(call('Scan'))).toEqual([]);
  });
});

test('an item whose index key has another type is refused, put or updated', () => {
  const { call, get, put } = localTable();
  const message =
    'One or more parameter values were invalid: Type mismatch for key, expected: S actual: N. ' +
    'Key: g';
  expect(refusalOf(() => put({ ...item, g: { N: '1' } })).message).toBe(message);
  const UpdateExpression = 'SET g = :one';
  const input = { Key, UpdateExpression, ExpressionAttributeValues: { ':one': { N: '1' } } };
  expect(refusalOf(() => call('UpdateItem', input)).message).toBe(message);
  expect(get('p', 'a')).toBeUndefined();
});

test('an item has up to 400 KB, names and keys included', () => {
  const { get, put } = localTable();
  // Names and keys have 7 bytes.
  const sized = (bytes: number) => ({ ...Key, b: { B: new Uint8Array(bytes - 7) } });
  expect(refusalOf(() => put(sized(409_601))).message).toBe(
    'Item size has exceeded the maximum allowed size',
  );
  expect(get('p', 'a')).toBeUndefined();
  put(sized(409_600));
  expect(get('p', 'a')).toEqual(sized(409_600));
});

test('an item that keeps its index keys keeps its entries in indexes', () => {
  const { put, store } = localTable();
  put(item);
  const asked = jest.spyOn(store, 'sql');
  put({ ...item, x: { S: 'y' } });
  expect(asked.mock.calls.filter(([text]) => text.includes('dynamodb_index_entries'))).toEqual([]);
});

test('a key may be a number', () => {
  const { call, callAll } = localTable();
  const AttributeDefinitions = creation.AttributeDefinitions.map(({ AttributeName }) => ({
    AttributeName,
    AttributeType: AttributeName === 'sk' ? 'N' : 'S',
  }));
  call('CreateTable', {
    ...creation,
    AttributeDefinitions,
    GlobalSecondaryIndexes: [],
    TableName: 'numbered',
  });
  const items = ['-2', '0', '10'].map(N => ({ pk: { S: 'p' }, sk: { N }, x: { S: `x${N}` } }));
  for (const Item of items.toReversed()) callAll('PutItem', { TableName: 'numbered', Item });
  expect(itemsOf(call('Scan', { TableName: 'numbered' }))).toEqual(items);
});

test('a put is written with its entries in indexes, or not at all', () => {
  const { call, put, store } = localTable();
  const { sql } = store;
  const failing = jest.spyOn(store, 'sql').mockImplementation(text => {
    if (text.startsWith('INSERT INTO dynamodb_index_entries')) throw new Error('disk full');
    return sql(text);
  });
  expect(() => put(item)).toThrow('disk full');
  failing.mockRestore();
  expect(itemsOf(call('Scan'))).toEqual([]);
});
