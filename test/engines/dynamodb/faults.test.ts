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

/*
 * Calls with a single fault, and DynamoDB's message. Amazon's DynamoDB Local gives the same for every expression; for keys and
 * numbers ours are those of the service, which dynoxide records.
 */
const conditions: readonly (readonly [string, string])[] = [
  ['', 'The expression can not be empty;'],
  [
    `a IN (${Array(101).fill(':n')})`,
    'The IN operator is provided with too many operands; number of operands: 101',
  ],
  [Array(151).fill('a = :n').join(' OR '), 'The expression contains too many operators; operator count: 301'],
  ['a = :n AND', 'Syntax error; token: "<EOF>", near: "AND"'],
  ['a == :n', 'Syntax error; token: "=", near: "== :n"'],
  ['a = :n b', 'Syntax error; token: "b", near: ":n b"'],
  ['(a = :n', 'Syntax error; token: "<EOF>", near: ":n"'],
  ['a = :n)', 'Syntax error; token: ")", near: ":n)"'],
  ['_a = :n', 'Syntax error; token: "_", near: "_a"'],
  ['a = "x"', 'Syntax error; token: """, near: "= "x"'],
  ['a[-1] = :n', 'Syntax error; token: "-", near: "[-1"'],
  ['a IN ()', 'Syntax error; token: ")", near: "()"'],
  ['a = :n + :n', 'Syntax error; token: "+", near: ":n + :n"'],
  ['((a = :n))', 'The expression has redundant parentheses;'],
  ['((a)) = :n', 'The expression has redundant parentheses;'],
  ['foo(a)', 'Invalid function name; function: foo'],
  ['list_append(a, :l) = :l', 'The function is not allowed in a condition expression; function: list_append'],
  ['size(a)', 'The function is not allowed to be used this way in an expression; function: size'],
  [
    'attribute_exists(a) = :b',
    'The function is not allowed to be used this way in an expression; function: attribute_exists',
  ],
  [
    'attribute_exists(:n)',
    'Operator or function requires a document path; operator or function: attribute_exists',
  ],
  [
    'attribute_exists(a, b)',
    'Incorrect number of operands for operator or function; operator or function: attribute_exists, number of operands: 2',
  ],
  [
    'begins_with(a, :n)',
    'Incorrect operand type for operator or function; operator or function: begins_with, operand type: N',
  ],
  [
    'size(:n) > :n',
    'Incorrect operand type for operator or function; operator or function: size, operand type: N',
  ],
  ['a < :b', 'Incorrect operand type for operator or function; operator or function: <, operand type: BOOL'],
  [
    'a BETWEEN :b AND :b',
    'Incorrect operand type for operator or function; operator or function: BETWEEN, operand type: BOOL',
  ],
  [
    'attribute_type(a, :s)',
    'Invalid attribute type name found; type: x, valid types: {N,BS,L,B,NULL,M,S,SS,NS,BOOL}',
  ],
  [
    'a BETWEEN :n AND :zero',
    'The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {N:1}, upper bound operand: AttributeValue: {N:0}',
  ],
  [
    'a BETWEEN :n AND :s',
    'The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: AttributeValue: {N:1}, upper bound operand: AttributeValue: {S:x}',
  ],
  [
    'a = a',
    'The first operand must be distinct from the remaining operands for this operator or function; operator: =, first operand: [a]',
  ],
  ['status = :n', 'Attribute name is a reserved keyword; reserved keyword: status'],
  ['a.status = :n', 'Attribute name is a reserved keyword; reserved keyword: status'],
  ['#x = :n', 'An expression attribute name used in the document path is not defined; attribute name: #x'],
  ['a = :x', 'An expression attribute value used in expression is not defined; attribute value: :x'],
  ['a[99999999999] = :n', 'List index is not within the allowable range; index: [99999999999]'],
];

describe('a condition with one fault is refused in the words of DynamoDB:', () => {
  const table = localTable();
  test.each(conditions)('%s', (text, message) => {
    const refusal = refusalOf(() =>
      table.call('DeleteItem', { Key: itemKey('p', 'a'), ConditionExpression: text, ...valuesIn(text) }),
    );
    expect(refusal).toMatchObject({
      name: 'ValidationException',
      message: `Invalid ConditionExpression: ${message}`,
    });
  });
});

const overlap = (kind: string, one: string, two: string) =>
  `Invalid UpdateExpression: Two document paths ${kind} with each other; must remove or rewrite one of these paths; path one: ${one}, path two: ${two}`;

const invalidPath = 'The document path provided in the update expression is invalid for update';
const wrongType = 'An operand in the update expression has an incorrect data type';
const missing = 'The provided expression refers to an attribute that does not exist in the item';

const updates: readonly (readonly [string, string])[] = [
  ['SET', 'Invalid UpdateExpression: Syntax error; token: "<EOF>", near: "SET"'],
  ['SET q = :n,', 'Invalid UpdateExpression: Syntax error; token: "<EOF>", near: ","'],
  ['SET q = q + :n + :n', 'Invalid UpdateExpression: Syntax error; token: "+", near: ":n + :n"'],
  ['ADD q q', 'Invalid UpdateExpression: Syntax error; token: "q", near: "q q"'],
  ['BLAH q', 'Invalid UpdateExpression: Syntax error; token: "BLAH", near: "BLAH q"'],
  [
    'SET q = :n SET r = :n',
    'Invalid UpdateExpression: The "SET" section can only be used once in an update expression;',
  ],
  ['SET q = :n REMOVE q', overlap('overlap', '[q]', '[q]')],
  ['SET m = :l, m.x = :n', overlap('overlap', '[m]', '[m, x]')],
  ['SET m.x = :n, m[0] = :n', overlap('conflict', '[m, x]', '[m, [0]]')],
  ['SET q = ((q))', 'Invalid UpdateExpression: The expression has redundant parentheses;'],
  ['SET q = foo(s)', 'Invalid UpdateExpression: Invalid function name; function: foo'],
  [
    'SET q = size(s)',
    'Invalid UpdateExpression: The function is not allowed in an update expression; function: size',
  ],
  [
    'SET q = list_append(l, :l) + :n',
    'Invalid UpdateExpression: The function is not allowed to be used this way in an expression; function: list_append',
  ],
  [
    'SET q = if_not_exists(q)',
    'Invalid UpdateExpression: Incorrect number of operands for operator or function; operator or function: if_not_exists, number of operands: 1',
  ],
  [
    'SET q = if_not_exists(:n, :n)',
    'Invalid UpdateExpression: Operator or function requires a document path; operator or function: if_not_exists',
  ],
  [
    'SET q = if_not_exists(q, q)',
    'Invalid UpdateExpression: The first operand must be distinct from the remaining operands for this operator or function; operator: if_not_exists, first operand: [q]',
  ],
  [
    'SET q = :n + :s',
    'Invalid UpdateExpression: Incorrect operand type for operator or function; operator or function: +, operand type: S',
  ],
  [
    'SET l = list_append(:n, l)',
    'Invalid UpdateExpression: Incorrect operand type for operator or function; operator or function: list_append, operand type: N',
  ],
  [
    'ADD q :s',
    'Invalid UpdateExpression: Incorrect operand type for operator or function; operator: ADD, operand type: STRING, typeSet: ALLOWED_FOR_ADD_OPERAND',
  ],
  [
    'DELETE ss :n',
    'Invalid UpdateExpression: Incorrect operand type for operator or function; operator: DELETE, operand type: NUMBER, typeSet: ALLOWED_FOR_DELETE_OPERAND',
  ],
  [
    'SET status = :n',
    'Invalid UpdateExpression: Attribute name is a reserved keyword; reserved keyword: status',
  ],
  [
    'SET pk = :s',
    'One or more parameter values were invalid: Cannot update attribute pk. This attribute is part of the key',
  ],
  [
    'SET g.x = :s',
    "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: IndexKey: g",
  ],
  [
    'SET n = :s',
    'One or more parameter values were invalid: Type mismatch for Index Key n Expected: N Actual: S IndexName: keys',
  ],
  ['SET zz.a = :n', invalidPath],
  ['SET q[0] = :n', invalidPath],
  ['REMOVE zz.a', invalidPath],
  ['SET q = zz', missing],
  ['SET q = zz + :n', missing],
  ['SET q = s + :n', wrongType],
  ['SET q = list_append(q, :l)', wrongType],
  ['ADD s :n', wrongType],
  ['ADD q :ss', wrongType],
  ['DELETE q :ss', wrongType],
];

describe('an update with one fault is refused in the words of DynamoDB:', () => {
  const table = localTable();
  table.put({
    ...itemKey('p', 'a'),
    q: { N: '1' },
    s: { S: 'x' },
    l: { L: [] },
    m: { M: { x: { N: '1' } } },
    ss: { SS: ['a', 'b'] },
  });
  test.each(updates)('%s', (text, message) => {
    const refusal = refusalOf(() =>
      table.call('UpdateItem', { Key: itemKey('p', 'a'), UpdateExpression: text, ...valuesIn(text) }),
    );
    expect(refusal).toMatchObject({ name: 'ValidationException', message });
  });
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
  ['DeleteItem', { Key: { pk: { S: 'p' }, sk: { N: '1' } } }, keyMismatch],
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
    'GetItem',
    { Key: itemKey('p', 'é'.repeat(513)) },
    'One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of 1024 bytes',
  ],
  [
    'PutItem',
    { Item: { pk: { S: 'p' } } },
    'One or more parameter values were invalid: Missing the key sk in the item',
  ],
  [
    'PutItem',
    { Item: { pk: { S: 'p' }, sk: { N: '1' } } },
    'One or more parameter values were invalid: Type mismatch for key sk expected: S actual: N',
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
  ['DeleteItem', condition({ ExpressionAttributeNames: {} }), 'ExpressionAttributeNames must not be empty'],
  ['DeleteItem', condition({ ExpressionAttributeValues: {} }), 'ExpressionAttributeValues must not be empty'],
  [
    'DeleteItem',
    condition({ ExpressionAttributeNames: { a: 'a' } }),
    'ExpressionAttributeNames contains invalid key: Syntax error; key: "a"',
  ],
  [
    'DeleteItem',
    condition({ ExpressionAttributeValues: { ':a': { SS: [] } } }),
    'ExpressionAttributeValues contains invalid value: One or more parameter values were invalid: An string set  may not be empty for key :a',
  ],
  [
    'DeleteItem',
    { Key: itemKey('p', 'a'), ExpressionAttributeValues: values },
    'ExpressionAttributeValues can only be specified when using expressions: ConditionExpression is null',
  ],
  [
    'GetItem',
    { Key: itemKey('p', 'a'), ExpressionAttributeNames: { '#a': 'a' } },
    'ExpressionAttributeNames can only be specified when using expressions',
  ],
  [
    'DeleteItem',
    condition({ Key: { ...itemKey('p', 'a'), ['x'.repeat(65_536)]: { S: '' } } }),
    'One or more parameter values were invalid: The name of an attribute has more than 65535 bytes',
  ],
  ['CreateTable', { ...table, BillingMode: undefined }, 'No provisioned throughput specified for the table'],
  [
    'CreateTable',
    { ...table, ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 } },
    'One or more parameter values were invalid: Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST',
  ],
  [
    'CreateTable',
    { ...table, GlobalSecondaryIndexes: [{ ...index, IndexName: 'ab' }] },
    'IndexName must be at least 3 characters long and at most 255 characters long',
  ],
  ['Query', query('sk = :s'), 'Query condition missed key schema element: pk'],
  ['Query', query('pk > :s'), 'Query key condition not supported'],
  [
    'Query',
    query('pk = :s AND :s = :s'),
    'Invalid condition in KeyConditionExpression: No key attribute specified',
  ],
  ['Query', query('pk = :s AND sk <> :s'), 'Invalid operator used in KeyConditionExpression: <>'],
  [
    'Query',
    query('pk = :n'),
    'One or more parameter values were invalid: Condition parameter type does not match schema type',
  ],
  [
    'Query',
    query('pk = :s', { FilterExpression: 'attribute_exists(sk)' }),
    'Filter Expression can only contain non-primary key attributes: Primary key attribute: sk',
  ],
  [
    'Query',
    query('g = :s', { IndexName: 'keys', ConsistentRead: true }),
    'Consistent reads are not supported on global secondary indexes',
  ],
  ['Query', query('g = :s', { IndexName: 'none' }), 'The table does not have the specified index: none'],
];

describe('a call with one fault is refused in the words of DynamoDB:', () => {
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
    ['Scan', { TotalSegments: 2 }, 'TotalSegments of Scan'],
    ['Query', { KeyConditions: {} }, 'KeyConditions of Query'],
    ['PutItem', { Expected: {} }, 'Expected of PutItem'],
    ['UpdateItem', { AttributeUpdates: {} }, 'AttributeUpdates of UpdateItem'],
    ['GetItem', { AttributesToGet: [] }, 'AttributesToGet of GetItem'],
    ['CreateTable', { LocalSecondaryIndexes: [] }, 'LocalSecondaryIndexes of CreateTable'],
    [
      'CreateTable',
      { ...table, KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH', Order: 1 }] },
      'Order of a KeySchemaElement',
    ],
    [
      'CreateTable',
      { ...table, GlobalSecondaryIndexes: [{ ...index, Projection: { Attributes: [] } }] },
      'Attributes of a Projection',
    ],
    ['CreateTable', { StreamSpecification: {} }, 'StreamSpecification of CreateTable'],
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
