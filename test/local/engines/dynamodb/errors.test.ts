import type { JsonObject } from '../../../../lib/platform/json/value.ts';
import { creation, itemKey, localTable, refusalOf, TableName } from './local-table.ts';

const values: JsonObject = {
  ':n': { N: '1' },
  ':zero': { N: '0' },
  ':s': { S: 'x' },
  ':t': { S: 'a' },
  ':empty': { S: '' },
};

/** A call with one expression, and the values that it names. */
const call = (parameter: string, text: string, more: JsonObject = {}): JsonObject => {
  const used = Object.entries(values).filter(([name]) => new RegExp(`${name}\\b`).test(text));
  return {
    [parameter]: text,
    ...(used.length > 0 && { ExpressionAttributeValues: Object.fromEntries(used) }),
    ...more,
  };
};

const Key = itemKey('p', 'a');
const conditional = (text: string, more: JsonObject = {}) =>
  ['DeleteItem', call('ConditionExpression', text, { Key, ...more })] as const;
const update = (text: string) => ['UpdateItem', call('UpdateExpression', text, { Key })] as const;
const query = (text: string, more: JsonObject = {}) =>
  ['Query', call('KeyConditionExpression', text, more)] as const;
const put = (more: JsonObject) => ['PutItem', { Item: { ...Key, ...more } }] as const;
const index = { IndexName: 'keys' };

/** Calls with a single error: DynamoDB refuses each of them too. */
const errors: readonly (readonly [string, JsonObject, RegExp])[] = [
  [...conditional(''), /^Invalid ConditionExpression: Syntax error; token: "<EOF>"/],
  [...conditional('a = :n AND'), /Syntax error; token: "<EOF>"/],
  [...conditional('a = :n)'), /Syntax error; token: "\)", near: ":n \)"/],
  [...conditional('size(a)'), /Syntax error/],
  [...conditional('NOT a'), /Syntax error/],
  [...conditional('((a = :n))'), /redundant parentheses/],
  [...conditional('foo(a)'), /Invalid function name; function: foo/],
  [...conditional('status = :n'), /reserved keyword: status/],
  [...conditional('#x = :n'), /not defined; attribute name: #x/],
  [...conditional('a = :x'), /not defined; attribute value: :x/],
  [...conditional(`a = :n ${' '.repeat(4096)}`), /size has exceeded/],
  [
    ...conditional('attribute_exists(a)', { ExpressionAttributeValues: values }),
    /unused in expressions: keys: \{:n, /,
  ],
  [
    ...conditional('attribute_exists(a)', { ExpressionAttributeNames: { '#u': 'a' } }),
    /unused in expressions: keys: \{#u\}/,
  ],
  [...conditional('attribute_exists(a)', { ExpressionAttributeNames: {} }), /must not be empty/],
  ['DeleteItem', { Key, ExpressionAttributeValues: values }, /unused in expressions/],
  [...update('SET'), /^Invalid UpdateExpression: Syntax error; token: "<EOF>"/],
  [...update('BLAH q'), /Syntax error; token: "BLAH"/],
  [...update('SET q = :n SET r = :n'), /"SET" section can only be used once/],
  [...update('SET q = :n REMOVE q'), /Two document paths overlap/],
  [...update('SET q = if_not_exists(q)'), /Syntax error/],
  [...update('ADD q :s'), /Incorrect operand type.*ADD/],
  [...update('DELETE q :n'), /Incorrect operand type.*DELETE/],
  [...update('SET pk = :s'), /Cannot update attribute pk/],
  [...update('SET n = :s'), /Type mismatch for key, expected: N actual: S. Key: n/],
  [...update('SET q = zz'), /does not exist in the item/],
  [...update('SET q = s + :n'), /incorrect data type/],
  [...update('ADD s :n'), /incorrect data type/],
  ['GetItem', { Key: { pk: { S: 'p' } } }, /does not match the schema/],
  ['GetItem', { Key: { ...Key, z: { S: 'z' } } }, /does not match the schema/],
  ['GetItem', { Key: { pk: { S: 'p' }, z: { S: 'z' } } }, /Missing the key/],
  ['GetItem', { Key: itemKey('p', '') }, /empty string value. Key: sk/],
  ['GetItem', { Key: itemKey('x'.repeat(2049), 'a') }, /limit of 2048 bytes. Key: pk/],
  ['GetItem', { Key: itemKey('p', 'x'.repeat(1025)) }, /limit of 1024 bytes. Key: sk/],
  ['PutItem', { Item: { pk: { S: 'p' } } }, /Missing the key/],
  [...put({ sk: { N: '1' } }), /Type mismatch for key, expected: S actual: N. Key: sk/],
  [...put({ g: { S: '' } }), /empty string value. Key: g/],
  [...put({ x: { S: 'x'.repeat(409_600) } }), /Item size has exceeded/],
  ['Query', {}, /KeyConditionExpression parameter must be specified/],
  [...query('sk = :s'), /missed key schema element: pk/],
  [...query('pk = :s AND a = :s'), /missed key schema element: sk/],
  [...query('pk > :s'), /Syntax error/],
  [...query('pk = :s AND sk <> :s'), /Syntax error/],
  [...query('pk = :n'), /Type mismatch for key, expected: S actual: N/],
  [...query('pk = :s AND begins_with(sk, :empty)'), /empty string value. Key: sk/],
  [...query('pk = :s AND sk BETWEEN :s AND :t'), /upper bound to be greater/],
  [...query('g = :s AND n BETWEEN :n AND :zero', index), /upper bound to be greater/],
  [...query('g = :s AND begins_with(n, :n)', index), /begins_with/],
  [...query('g = :s', { ...index, ConsistentRead: true }), /Consistent reads are not supported/],
  [...query('g = :s', { IndexName: 'none' }), /does not have the specified index: none/],
  ['Scan', { Limit: 0 }, /greater than or equal to 1/],
];

describe('a call with one error is refused:', () => {
  const table = localTable();
  table.put({ ...Key, q: { N: '1' }, s: { S: 'x' }, ss: { SS: ['a', 'b'] } });

  test.each(errors)('%s %j', (operation, input, message) => {
    const refusal = refusalOf(() => table.call(operation, input));
    expect(refusal.name).toBe('ValidationException');
    expect(refusal.message).toMatch(message);
  });

  test('an unknown table is not found', () => {
    const refusal = refusalOf(() => table.callAll('GetItem', { TableName: 'other', Key }));
    expect(refusal).toMatchObject({
      name: 'ResourceNotFoundException',
      message: 'Requested resource not found',
    });
  });
});

describe('what DynamoDB has and the bus does not use is refused by name:', () => {
  const [first] = creation.GlobalSecondaryIndexes;
  const other = (more: JsonObject) => ({ ...creation, TableName: 'others', ...more });

  test.each<[string, JsonObject, string]>([
    ['Scan', { FilterExpression: 'a = :a' }, 'the parameter FilterExpression of Scan'],
    ['Query', { KeyConditions: {} }, 'the parameter KeyConditions of Query'],
    ['GetItem', { ProjectionExpression: 'a' }, 'the parameter ProjectionExpression of GetItem'],
    ['Scan', { ReturnConsumedCapacity: 'INDEXES' }, 'INDEXES as ReturnConsumedCapacity'],
    ['UpdateItem', { Key, ReturnValues: 'ALL_OLD' }, 'ALL_OLD as ReturnValues'],
    ['PutItem', { Item: { ...Key, a: { BS: ['YQ=='] } } }, 'attribute values without a type'],
    [
      'CreateTable',
      other({ LocalSecondaryIndexes: [] }),
      'the parameter LocalSecondaryIndexes of CreateTable',
    ],
    [
      'CreateTable',
      other({ KeySchema: creation.KeySchema.slice(0, 1) }),
      'tables and indexes without a sort key',
    ],
    ['CreateTable', other({ KeySchema: [...creation.KeySchema].reverse() }), 'this KeySchema'],
    [
      'CreateTable',
      other({ GlobalSecondaryIndexes: [{ ...first, Projection: { NonKeyAttributes: [] } }] }),
      'the parameter NonKeyAttributes of a Projection',
    ],
  ])('%s %j', (operation, input, named) => {
    const { message } = refusalOf(() => localTable().call(operation, input));
    expect(message).toContain(`The local DynamoDB engine does not support ${named}`);
  });

  test.each<[string, JsonObject, string]>([
    [
      'BatchGetItem',
      { [TableName]: { Keys: [Key], AttributesToGet: ['a'] } },
      'AttributesToGet of KeysAndAttributes',
    ],
    [
      'BatchWriteItem',
      { [TableName]: [{ DeleteRequest: { Key } }] },
      'DeleteRequest of WriteRequest',
    ],
  ])('%s %j', (operation, RequestItems, named) => {
    const { message } = refusalOf(() => localTable().callAll(operation, { RequestItems }));
    expect(message).toBe(`The local DynamoDB engine does not support the parameter ${named}.`);
  });
});

test.each([
  [
    'are more than 25',
    Array.from({ length: 26 }, (_, at) => itemKey('p', `${at}`)),
    'Too many items requested',
  ],
  ['have one key', [Key, Key], 'duplicates'],
])('a batch is refused whose puts %s', (_, items, message) => {
  const puts = items.map(Item => ({ PutRequest: { Item } }));
  const write = () =>
    localTable().callAll('BatchWriteItem', { RequestItems: { [TableName]: puts } });
  expect(refusalOf(write).message).toContain(message);
});

test('an absent parameter is the same as undefined and null', () => {
  const table = localTable();
  table.put(Key);
  const read = table.call('GetItem', {
    Key,
    AttributesToGet: undefined,
    ProjectionExpression: null,
  });
  expect(read).toEqual({ Item: Key });
});
