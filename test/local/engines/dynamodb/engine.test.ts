import { removeExpired } from '../../../../lib/local/engines/dynamodb/engine.ts';
import type { JsonObject } from '../../../../lib/platform/json/value.ts';
import { creation, itemKey, itemsOf, localTable, TableName } from './local-table.ts';

// Developer Guide, "Using time to live": times of more than five years ago are left alone.
const fiveYears = 157_680_000;

const scene = () => {
  const table = localTable();
  const TimeToLiveSpecification = { Enabled: true, AttributeName: 'until' };
  table.call('UpdateTimeToLive', { TimeToLiveSpecification });
  const now = 1_700_000_000;
  return {
    ...table,
    /** Puts an item that expires so many seconds from now. */
    expiring: (sk: string, seconds: number, more: JsonObject = {}) =>
      table.put({ ...itemKey('p', sk), until: { N: String(now + seconds) }, ...more }),
    remove: (max = 100) => removeExpired(table.dynamoDb, max),
    left: () => itemsOf(table.call('Scan')).map(({ sk }) => Reflect.get(Object(sk), 'S')),
  };
};

test('an item is removed in the second after the one in which it expires', () => {
  const { expiring, left, remove, time } = scene();
  expiring('before', -1);
  expiring('now', 0);
  expiring('fraction', -0.5);
  time.now += 999;
  expect([remove(), left()]).toEqual([2, ['now']]);
  time.now += 1;
  expect([remove(), left()]).toEqual([1, []]);
});

test('an item that expired five years ago is not removed, and one a second younger is', () => {
  const { expiring, left, remove } = scene();
  expiring('old', -fiveYears);
  expiring('younger', -fiveYears + 1);
  expect([remove(), left()]).toEqual([1, ['old']]);
});

test('so many are removed as are asked for, those first that expired first', () => {
  const { expiring, left, remove } = scene();
  for (const [sk, seconds] of [
    ['a', -1],
    ['b', -3],
    ['c', -2],
  ] as const)
    expiring(sk, seconds);
  expect([remove(2), left()]).toEqual([2, ['a']]);
  expect([remove(2), left()]).toEqual([1, []]);
  expect(remove(2)).toBe(0);
});

test('an item without a number as its time stays', () => {
  const { expiring, left, put, remove } = scene();
  put(itemKey('p', 'a'));
  expiring('b', -1, { until: { S: '1' } });
  expiring('c', -1, { until: { NULL: true } });
  expect([remove(), left()]).toEqual([0, ['a', 'b', 'c']]);
});

test('an item gets another time, or none, when it is written again', () => {
  const { expiring, left, put, remove } = scene();
  for (const sk of ['a', 'b']) expiring(sk, -1);
  expiring('a', 5);
  put(itemKey('p', 'b'));
  expect([remove(), left()]).toEqual([0, ['a', 'b']]);
});

test('an item of a table that is not there is passed over', () => {
  const { expiring, left, remove, store } = scene();
  expiring('a', -1);
  store.sql('UPDATE dynamodb_items SET tbl = 99').run();
  expiring('b', -1);
  expect([remove(), left()]).toEqual([2, []]);
});

test('a removed item is gone from indexes, and what it does not belong to stays', () => {
  const { call, callAll, expiring, remove, store } = scene();
  call('CreateTable', { ...creation, TableName: 'others' });
  const keys = { g: { S: 'g' }, n: { N: '1' } };
  const other = { ...itemKey('p', 'a'), ...keys, until: { N: '1600000000' } };
  callAll('PutItem', { TableName: 'others', Item: other });
  expiring('a', -1, keys);
  expiring('b', 1, keys);
  expect(remove()).toBe(1);
  const listed = (table: string) =>
    itemsOf(
      callAll('Query', {
        TableName: table,
        IndexName: 'keys',
        KeyConditionExpression: 'g = :g',
        ExpressionAttributeValues: { ':g': { S: 'g' } },
      }),
    );
  expect(listed(TableName)).toEqual([{ ...itemKey('p', 'b'), ...keys }]);
  expect(listed('others')).toEqual([{ ...itemKey('p', 'a'), ...keys }]);
  for (const rows of ['dynamodb_items', 'dynamodb_index_entries'])
    expect(store.sql(`SELECT * FROM ${rows}`).all()).toHaveLength(2);
});
