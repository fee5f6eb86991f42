import { isJsonObject } from '../../../lib/json/value.ts';
import { creation, itemKey, localTable, refusalOf } from './local-table.ts';

const values = {
  ':n': { N: '1' },
  ':zero': { N: '0' },
  ':s': { S: 'x' },
  ':b': { BOOL: true },
  ':l': { L: [] },
  ':ss': { SS: ['a'] },
};

/** Only the values that an expression names. */
const valuesIn = (text: string) => {
  const used = Object.entries(values).filter(([name]) => new RegExp(`${name}\\b`).test(text));
  return used.length > 0 ? { ExpressionAttributeValues: Object.fromEntries(used) } : {};
};

/** Calls with a single error: DynamoDB refuses each of them, and what the message must name. */
const conditions: readonly (readonly [string, RegExp])[] = [
  ['', /empty/],
  ['a = :n AND', /Syntax error; token: "<EOF>"/],
  ['a = :n)', /Syntax error/],
  ['size(a)', /Syntax error/],
  ['((a = :n))', /redundant parentheses/],
  ['foo(a)', /Invalid function name; function: foo/],
  ['attribute_exists(a, b)', /Incorrect number of operands/],
  ['begins_with(a, :n)', /begins_with, operand type: N/],
  ['a < :b', /<, operand type: BOOL/],
  ['a BETWEEN :n AND :zero', /upper bound to be greater/],
  ['a = a', /must be distinct/],
  ['status = :n', /reserved keyword: status/],
  ['#x = :n', /not defined; attribute name: #x/],
  ['a = :x', /not defined; attribute value: :x/],
];

describe('a condition with one error is refused:', () => {
  const table = localTable();
  test.each(conditions)('%s', (text, message) => {
    const refusal = refusalOf(() =>
      table.call('DeleteItem', { Key: itemKey('p', 'a'), ConditionExpression: text, ...valuesIn(text) }),
    );
    expect(refusal.name).toBe('ValidationException');
    expect(refusal.message).toMatch(message);
    expect(refusal.message).toMatch(/^Invalid ConditionExpression: /);
  });
});

const updates: readonly (readonly [string, RegExp])[] = [
  ['SET', /Syntax error; token: "<EOF>"/],
  ['BLAH q', /Syntax error; token: "BLAH"/],
  ['SET q = :n SET r = :n', /"SET" section can only be used once/],
  ['SET q = :n REMOVE q', /Two document paths overlap/],
  ['SET q = if_not_exists(q)', /Incorrect number of operands/],
  ['SET q = :n + :s', /\+, operand type: S/],
  ['ADD q :s', /ADD, operand type: S/],
  ['SET pk = :s', /Cannot update attribute pk/],
  ['SET n = :s', /Type mismatch for Index Key n/],
  ['SET q = zz', /does not exist in the item/],
  ['SET q = s + :n', /incorrect data type/],
  ['ADD s :n', /incorrect data type/],
];

describe('an update with one error is refused:', () => {
  const table = localTable();
  table.put({ ...itemKey('p', 'a'), q: { N: '1' }, s: { S: 'x' }, ss: { SS: ['a', 'b'] } });
  test.each(updates)('%s', (text, message) => {
    const refusal = refusalOf(() =>
      table.call('UpdateItem', { Key: itemKey('p', 'a'), UpdateExpression: text, ...valuesIn(text) }),
    );
    expect(refusal.name).toBe('ValidationException');
    expect(refusal.message).toMatch(message);
  });
});

test.each([
  ['a[0] = :n', {}, 'paths into lists and maps'],
  ['m.x = :n', {}, 'paths into lists and maps'],
])('what DynamoDB has and the bus does not use is refused as such: %s', (text, more, named) => {
  const input = { Key: itemKey('p', 'a'), ConditionExpression: text, ...valuesIn(text), ...more };
  expect(refusalOf(() => localTable().call('DeleteItem', input)).message).toBe(
    `The local DynamoDB engine does not support ${named}`,
  );
});

const [index] = creation.GlobalSecondaryIndexes;
const table = { ...creation, TableName: 'others' };
const condition = (more: object) => ({
  Key: itemKey('p', 'a'),
  ConditionExpression: 'attribute_exists(a)',
  ...more,
});
const query = (text: string, more: object = {}) => ({
  KeyConditionExpression: text,
  ...valuesIn(text),
  ...more,
});
const keyMismatch = 'The provided key element does not match the schema';

const calls: readonly (readonly [string, object, string])[] = [
  ['GetItem', { Key: { pk: { S: 'p' } } }, keyMismatch],
  ['GetItem', { Key: { ...itemKey('p', 'a'), z: { S: 'z' } } }, keyMismatch],
  [
    'GetItem',
    { Key: itemKey('p', '') },
    'One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: sk',
  ],
  [
    'GetItem',
    { Key: itemKey('x'.repeat(2049), 'a') },
    'One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes',
  ],
  [
    'PutItem',
    { Item: { pk: { S: 'p' } } },
    'One or more parameter values were invalid: Missing the key sk in the item',
  ],
  [
    'PutItem',
    { Item: { ...itemKey('p', 'a'), g: { S: '' } } },
    'One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: keys, IndexKey: g',
  ],
  [
    'PutItem',
    { Item: { ...itemKey('p', 'a'), x: { S: 'x'.repeat(409_600) } } },
    'Item size has exceeded the maximum allowed size',
  ],
  [
    'DeleteItem',
    condition({ ExpressionAttributeValues: { ':u': { N: '1' }, ':w': { N: '2' } } }),
    'Value provided in ExpressionAttributeValues unused in expressions: keys: {:u, :w}',
  ],
  [
    'DeleteItem',
    condition({ ExpressionAttributeNames: { '#u': 'a' } }),
    'Value provided in ExpressionAttributeNames unused in expressions: keys: {#u}',
  ],
  [
    'DeleteItem',
    { Key: itemKey('p', 'a'), ExpressionAttributeValues: values },
    'Expression attributes can only be specified when using expressions',
  ],
  ['Query', query('sk = :s'), 'Query condition missed key schema element: pk'],
  ['Query', query('pk > :s'), 'Query key condition not supported'],
  [
    'Query',
    query('pk = :n'),
    'One or more parameter values were invalid: Condition parameter type does not match schema type',
  ],
  [
    'Query',
    query('g = :s', { IndexName: 'keys', ConsistentRead: true }),
    'Consistent reads are not supported on global secondary indexes',
  ],
  ['Query', query('g = :s', { IndexName: 'none' }), 'The table does not have the specified index: none'],
];

describe('a call with one error is refused:', () => {
  const things = localTable();
  test.each(calls)('%s %j', (operation, input, message) => {
    expect(refusalOf(() => things.call(operation, isJsonObject(input) ? input : {}))).toMatchObject({
      name: 'ValidationException',
      message,
    });
  });

  test('an unknown table is not found', () => {
    const refusal = refusalOf(() =>
      things.callAll('GetItem', { TableName: 'other', Key: itemKey('p', 'a') }),
    );
    expect(refusal).toMatchObject({
      name: 'ResourceNotFoundException',
      message: 'Requested resource not found',
    });
  });

  test.each([
    ['Scan', { FilterExpression: 'a = :a' }, 'FilterExpression of Scan'],
    ['Query', { KeyConditions: {} }, 'KeyConditions of Query'],
    ['GetItem', { ProjectionExpression: 'a' }, 'ProjectionExpression of GetItem'],
    ['CreateTable', { LocalSecondaryIndexes: [] }, 'LocalSecondaryIndexes of CreateTable'],
    [
      'CreateTable',
      { ...table, GlobalSecondaryIndexes: [{ ...index, Projection: { Attributes: [] } }] },
      'Attributes of a Projection',
    ],
  ])('%s refuses %j by name', (operation, input, named) => {
    expect(refusalOf(() => things.call(operation, input)).message).toBe(
      `The local DynamoDB engine does not support the parameter ${named}`,
    );
  });

  test('an absent parameter is the same as undefined and null', () => {
    things.put(itemKey('p', 'a'));
    expect(
      things.call('GetItem', {
        Key: itemKey('p', 'a'),
        AttributesToGet: undefined,
        ProjectionExpression: null,
      }),
    ).toEqual({ Item: itemKey('p', 'a') });
  });
});
