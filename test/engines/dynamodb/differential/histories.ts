import type { Arbitrary } from 'fast-check';
import { condition, type Expression, keyCondition, parameters, partitionIs, update } from './expressions.ts';
import {
  type Call,
  callsOn,
  fc,
  type History,
  number,
  oneOf,
  partitionKey,
  rarely,
  type tables,
} from './generate.ts';

const TableName = 'TABLE';

const maybe = <T>(values: Arbitrary<T>, share = 2): Arbitrary<T | undefined> =>
  fc.option(values, { nil: undefined, freq: share });

const set = (name: string, value: unknown) => (value === undefined ? {} : { [name]: value });

const onFailure = maybe(oneOf('ALL_OLD', 'NONE')).map(value =>
  set('ReturnValuesOnConditionCheckFailure', value),
);

const consumed = maybe(oneOf('TOTAL'), 1).map(value => set('ReturnConsumedCapacity', value));

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

const merged = (parts: readonly object[]): Readonly<Record<string, unknown>> =>
  Object.assign({ TableName }, ...parts);

const call = (operation: string, ...parts: readonly Arbitrary<object>[]): Arbitrary<Call> =>
  fc.tuple(...parts).map(all => ({ operation, input: merged(all) }));

const expression = (name: string, each: Arbitrary<Expression>, share?: number): Arbitrary<object> =>
  maybe(each, share).map(found => parameters({ [name]: found }));

const updateParameters = fc
  .tuple(update, maybe(condition, 1))
  .map(([UpdateExpression, ConditionExpression]) => parameters({ UpdateExpression, ConditionExpression }));

const writes = (table: keyof typeof tables) => {
  const { itemKey, item } = callsOn(table);
  const put = item.map(Item => ({ Item }));
  const onKey = itemKey.map(Key => ({ Key }));
  const conditions = expression('ConditionExpression', condition, 1);
  const returned = maybe(oneOf('NONE', 'ALL_NEW')).map(value => set('ReturnValues', value));
  const kinds = {
    Put: fc.tuple(put, conditions, onFailure),
    Delete: fc.tuple(onKey, conditions, onFailure),
    Update: fc.tuple(onKey, updateParameters, onFailure),
    ConditionCheck: fc.tuple(
      onKey,
      condition.map(each => parameters({ ConditionExpression: each })),
      onFailure,
    ),
  };
  const members = Object.entries(kinds).map(([kind, parts]) =>
    (parts as Arbitrary<readonly object[]>).map(all => ({ [kind]: merged(all) })),
  );
  const requests = put.map(PutRequest => ({ PutRequest }));
  return [
    {
      weight: 4,
      arbitrary: call('PutItem', put, conditions, onFailure, consumed, unusedValue),
    },
    {
      weight: 8,
      arbitrary: call('UpdateItem', onKey, updateParameters, onFailure, returned, consumed, unusedValue),
    },
    {
      weight: 2,
      arbitrary: call('DeleteItem', onKey, conditions, onFailure, consumed),
    },
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.array(fc.oneof(...members), { minLength: 1, maxLength: 4 }), consumed)
        .map(([TransactItems, more]) => ({
          operation: 'TransactWriteItems',
          input: { TransactItems, ...more },
        })),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.array(requests, { minLength: 1, maxLength: 4 }), consumed)
        .map(([all, units]) => ({
          operation: 'BatchWriteItem',
          input: { RequestItems: { [TableName]: all }, ...units },
        })),
    },
  ];
};

const reads = (table: keyof typeof tables) => {
  const { itemKey, sk } = callsOn(table);
  const consistent = maybe(fc.boolean()).map(value => set('ConsistentRead', value));
  const queries = (index: string | undefined, names: readonly [string, string], sort: Arbitrary<object>) =>
    fc
      .tuple(
        (index ? oneOf('g1', 'g2').map(S => ({ S })) : partitionKey).chain(value =>
          keyCondition(partitionIs(names[0], value), { name: names[1], values: sort }),
        ),
      )
      .map(([KeyConditionExpression]) => ({
        ...set('IndexName', index),
        ...parameters({ KeyConditionExpression }),
      }));
  const direction = maybe(fc.boolean()).map(value => set('ScanIndexForward', value));
  const limit = maybe(fc.integer({ min: 1, max: 3 })).map(value => set('Limit', value));
  const select = rarely(fc.constant({}), fc.constant({ Select: 'COUNT' }), 6);
  const onTable = queries(undefined, ['pk', 'sk'], sk);
  const onIndex = fc.oneof(
    queries(
      'keys',
      ['g', 'n'],
      number.map(N => ({ N })),
    ),
    queries('all', ['g', 'sk'], sk),
  );
  const some = fc.uniqueArray(itemKey, {
    minLength: 1,
    maxLength: 4,
    selector: each => JSON.stringify(each),
  });
  return [
    {
      weight: 3,
      arbitrary: call(
        'GetItem',
        itemKey.map(Key => ({ Key })),
        consistent,
        consumed,
      ),
    },
    {
      weight: 4,
      arbitrary: call('Query', onTable, direction, limit, select, consistent, consumed),
    },
    {
      weight: 3,
      arbitrary: call('Query', onIndex, direction, limit, select, consumed),
    },
    { weight: 1, arbitrary: call('Scan', consumed) },
    {
      weight: 2,
      arbitrary: fc.tuple(some, consumed).map(([Keys, units]) => ({
        operation: 'BatchGetItem',
        input: { RequestItems: { [TableName]: { Keys } }, ...units },
      })),
    },
  ];
};

const callsOf = (table: keyof typeof tables, max: number): Arbitrary<History> =>
  fc
    .array(fc.oneof(...writes(table), ...reads(table)), { minLength: 1, maxLength: max, size: 'max' })
    .map(calls => ({ table, calls }));

/** Histories of calls on one table of each kind. */
export const histories = (max: number): Arbitrary<History> =>
  fc.oneof(
    { weight: 3, arbitrary: callsOf('texts', max) },
    { weight: 1, arbitrary: callsOf('numbers', max) },
  );
