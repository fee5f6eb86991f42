import fc, { type Arbitrary } from 'fast-check';
import { condition, inline, keyCondition, parameters, update } from './expressions.ts';
import { anyValue, memberName, number, oneOf, rarely, set } from './values.ts';

/** A call of DynamoDB, in wire form; `TABLE` stands for the history's table. */
export interface Call {
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A table, and calls on it, in order. */
export interface History {
  readonly table: keyof typeof tables;
  readonly calls: readonly Call[];
}

const key = (partition: string, sort: string) => [
  { AttributeName: partition, KeyType: 'HASH' },
  { AttributeName: sort, KeyType: 'RANGE' },
];

const index = (IndexName: string, sort: string, ProjectionType: string) => ({
  IndexName,
  KeySchema: key('g', sort),
  Projection: { ProjectionType },
});

const tableWith = (sk: string) => ({
  KeySchema: key('pk', 'sk'),
  AttributeDefinitions: Object.entries({ pk: 'S', sk, g: 'S', n: 'N' }).map(
    ([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }),
  ),
  GlobalSecondaryIndexes: [index('keys', 'n', 'KEYS_ONLY'), index('all', 'sk', 'ALL')],
});

/** One table for each type of sort key. */
export const tables = { texts: tableWith('S'), numbers: tableWith('N') } as const;

const partitionKey = oneOf('p', 'q').map((S): object => ({ S }));

const sortKeys: Readonly<Record<keyof typeof tables, Arbitrary<object>>> = {
  texts: oneOf('a', 'ab', 'abc', 'b', 'é', '\u{1f600}', '\uffee').map(S => ({ S })),
  numbers: oneOf('0', '1', '-1', '10', '-10', '2', '1.5', '-1.25', '1e15', '1e-5', '-1e15').map(
    N => ({
      N,
    }),
  ),
};

const wrongKeyValue = fc.constantFrom<object>(
  { S: '' },
  { N: '1' },
  { BOOL: true },
  { S: 'a' },
  { B: '' },
);

const numbers = number.map((N): object => ({ N }));
const groups = oneOf('g1', 'g2').map((S): object => ({ S }));

const attributes = fc.record(
  {
    a: anyValue,
    b: anyValue,
    status: anyValue,
    l: fc.array(anyValue, { maxLength: 4 }).map(L => ({ L })),
    m: fc.dictionary(memberName, anyValue, { maxKeys: 3 }).map(M => ({ M })),
    ss: set,
    c: numbers,
    g: rarely(groups, anyValue, 20),
    n: rarely(numbers, anyValue, 20),
  },
  { requiredKeys: [] },
);

/** The arbitraries of a table's calls. */
const callsOn = (table: keyof typeof tables) => {
  const sk = rarely(sortKeys[table], wrongKeyValue);
  const itemKey: Arbitrary<object> = rarely(
    fc.record({ pk: rarely(partitionKey, wrongKeyValue), sk }),
    fc.record({ pk: partitionKey }) as Arbitrary<object>,
    100,
  );
  return {
    itemKey,
    sk,
    item: fc.tuple(attributes, itemKey).map(parts => Object.assign({}, ...parts)),
  };
};

const TableName = 'TABLE';

/** A member of a call, or nothing: `present` times as often. */
const member = (name: string, values: Arbitrary<unknown>, present = 2): Arbitrary<object> =>
  fc
    .option(values, { nil: undefined, freq: present })
    .map(value => (value === undefined ? {} : { [name]: value }));

const conditions = fc
  .option(condition, { nil: undefined, freq: 1 })
  .map(ConditionExpression => parameters({ ConditionExpression }));

const updates = fc
  .tuple(update, fc.option(condition, { nil: undefined, freq: 1 }))
  .map(([UpdateExpression, ConditionExpression]) =>
    parameters({ UpdateExpression, ConditionExpression }),
  );

const onFailure = member('ReturnValuesOnConditionCheckFailure', oneOf('ALL_OLD', 'NONE'));
const consumed = member('ReturnConsumedCapacity', oneOf('TOTAL'), 1);
const returned = member('ReturnValues', oneOf('NONE', 'ALL_NEW'));
const consistent = member('ConsistentRead', fc.boolean());
const paging = fc
  .tuple(
    member('ScanIndexForward', fc.boolean()),
    member('Limit', fc.integer({ min: 1, max: 3 })),
    rarely(fc.constant({}), fc.constant({ Select: 'COUNT' }), 6),
  )
  .map(parts => Object.assign({}, ...parts));

const unusedValue = rarely(
  fc.constant({}),
  fc.constantFrom<object>(
    { ExpressionAttributeValues: { ':unused': { N: '1' } } },
    { ExpressionAttributeNames: { '#unused': 'a' } },
    { ExpressionAttributeValues: {} },
    { ExpressionAttributeNames: { bad: 'a' } },
  ),
  100,
);

const merged = (...parts: readonly Arbitrary<object>[]): Arbitrary<Call['input']> =>
  fc.tuple(...parts).map(all => Object.assign({}, ...all));

const named = (...parts: readonly Arbitrary<object>[]) =>
  merged(fc.constant({ TableName }), ...parts);

const some = { minLength: 1, maxLength: 4 };

/** The inputs of operations, and how often each is called. */
type Inputs = readonly (readonly [
  weight: number,
  operation: string,
  input: Arbitrary<Call['input']>,
])[];

const writes = (table: keyof typeof tables): Inputs => {
  const { itemKey, item } = callsOn(table);
  const put = item.map(Item => ({ Item }));
  const onKey = itemKey.map(Key => ({ Key }));
  const kinds = {
    Put: [put, conditions],
    Delete: [onKey, conditions],
    Update: [onKey, updates],
    ConditionCheck: [onKey, condition.map(each => parameters({ ConditionExpression: each }))],
  };
  const members = Object.entries(kinds).map(([kind, parts]) =>
    named(...parts, onFailure).map(input => ({ [kind]: input })),
  );
  const transaction = fc
    .array(fc.oneof(...members), some)
    .map(TransactItems => ({ TransactItems }));
  const requests = put.map(PutRequest => ({ PutRequest }));
  const batch = fc.array(requests, some).map(all => ({ RequestItems: { [TableName]: all } }));
  return [
    [4, 'PutItem', named(put, conditions, onFailure, consumed, unusedValue)],
    [8, 'UpdateItem', named(onKey, updates, onFailure, returned, consumed, unusedValue)],
    [2, 'DeleteItem', named(onKey, conditions, onFailure, consumed)],
    [4, 'TransactWriteItems', merged(transaction, consumed)],
    [1, 'BatchWriteItem', merged(batch, consumed)],
  ];
};

const conditionsOn = (
  [partition, sort]: readonly [string, string],
  keys: Arbitrary<object>,
  values: Arbitrary<object>,
): Arbitrary<object> =>
  keys
    .chain(value => keyCondition(`${partition} = ${inline(value)}`, { name: sort, values }))
    .map(KeyConditionExpression => parameters({ KeyConditionExpression }));

const reads = (table: keyof typeof tables): Inputs => {
  const { itemKey, sk } = callsOn(table);
  const inGroup = (IndexName: string, sort: string, values: Arbitrary<object>) =>
    conditionsOn(['g', sort], groups, values).map(all => ({ IndexName, ...all }));
  const onIndex = fc.oneof(inGroup('keys', 'n', numbers), inGroup('all', 'sk', sk));
  const keys = fc.uniqueArray(itemKey, { ...some, selector: each => JSON.stringify(each) });
  const batch = keys.map(Keys => ({ RequestItems: { [TableName]: { Keys } } }));
  const onKey = itemKey.map(Key => ({ Key }));
  return [
    [3, 'GetItem', named(onKey, consistent, consumed)],
    [4, 'Query', named(conditionsOn(['pk', 'sk'], partitionKey, sk), paging, consistent, consumed)],
    [3, 'Query', named(onIndex, paging, consumed)],
    [1, 'Scan', named(consumed)],
    [2, 'BatchGetItem', merged(batch, consumed)],
  ];
};

const callsOf = (table: keyof typeof tables, max: number): Arbitrary<History> => {
  const calls = [...writes(table), ...reads(table)].map(([weight, operation, inputs]) => ({
    weight,
    arbitrary: inputs.map((input): Call => ({ operation, input })),
  }));
  return fc
    .array(fc.oneof(...calls), { minLength: 1, maxLength: max, size: 'max' })
    .map(made => ({ table, calls: made }));
};

/** Histories of calls on one table of each kind. */
export const histories = (max: number): Arbitrary<History> =>
  fc.oneof(
    { weight: 3, arbitrary: callsOf('texts', max) },
    { weight: 1, arbitrary: callsOf('numbers', max) },
  );
