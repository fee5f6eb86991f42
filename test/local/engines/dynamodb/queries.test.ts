import type { JsonObject } from '../../../../lib/platform/json/value.ts';
import { creation, itemKey, itemsOf, localTable, refusalOf, TableName } from './local-table.ts';

const byPartition = (pk = 'p', more: JsonObject = {}) => ({
  KeyConditionExpression: 'pk = :p',
  ExpressionAttributeValues: { ':p': { S: pk } },
  ...more,
});
const byIndex = (IndexName: string, more: JsonObject = {}) => ({
  IndexName,
  KeyConditionExpression: 'g = :g',
  ExpressionAttributeValues: { ':g': { S: 'g' } },
  ...more,
});
const units = { ReturnConsumedCapacity: 'TOTAL' };
const consumed = (CapacityUnits: number) => ({ ConsumedCapacity: { TableName, CapacityUnits } });

const filled = (...sortKeys: readonly string[]) => {
  const table = localTable();
  for (const sk of sortKeys) table.put(itemKey('p', sk));
  return table;
};

describe('a query', () => {
  const [a, b, c] = ['a', 'b', 'c'].map(sk => itemKey('p', sk));

  test('answers with items and their number, and where it ended if it may not be the end', () => {
    const { call } = filled('c', 'a', 'b');
    expect(call('Query', byPartition())).toStrictEqual({
      Items: [a, b, c],
      Count: 3,
      ScannedCount: 3,
    });
    expect(call('Query', byPartition('p', { Limit: 2 }))).toStrictEqual({
      Items: [a, b],
      Count: 2,
      ScannedCount: 2,
      LastEvaluatedKey: b,
    });
    const rest = { Limit: 2, ExclusiveStartKey: b };
    expect(call('Query', byPartition('p', rest))).toStrictEqual({
      Items: [c],
      Count: 1,
      ScannedCount: 1,
    });
    expect(call('Query', byPartition('none'))).toStrictEqual({
      Items: [],
      Count: 0,
      ScannedCount: 0,
    });
  });

  test('counts only, if it is asked for that', () => {
    const { call } = filled('a', 'b');
    const counted = { Count: 2, ScannedCount: 2 };
    expect(call('Query', byPartition('p', { Select: 'COUNT' }))).toStrictEqual(counted);
    expect(call('Scan', { Select: 'COUNT' })).toStrictEqual(counted);
  });

  test('goes backwards, if it is asked for that', () => {
    const { call } = filled('a', 'b', 'c');
    const backwards = (more: JsonObject = {}) =>
      itemsOf(call('Query', byPartition('p', { ScanIndexForward: false, ...more })));
    expect(backwards()).toEqual([c, b, a]);
    expect(backwards({ ExclusiveStartKey: c })).toEqual([b, a]);
    expect(itemsOf(call('Query', byPartition('p', { ScanIndexForward: true })))).toEqual([a, b, c]);
  });

  test.each<[string, JsonObject, string]>([
    [
      'without a condition',
      {},
      'The KeyConditionExpression parameter must be specified in the request.',
    ],
    ['with Limit 0', byPartition('p', { Limit: 0 }), 'Limit must be greater than or equal to 1'],
    [
      'of an index that is not there',
      byIndex('none'),
      'The table does not have the specified index: none',
    ],
    [
      'of an index, consistently',
      byIndex('keys', { ConsistentRead: true }),
      'Consistent reads are not supported on global secondary indexes',
    ],
    [
      'with a name that no expression has',
      byPartition('p', { ExpressionAttributeNames: { '#unused': 'pk' } }),
      'Value provided unused in expressions: keys: {#unused}',
    ],
    [
      'that selects attributes',
      byPartition('p', { Select: 'ALL_ATTRIBUTES' }),
      'The local DynamoDB engine does not support ALL_ATTRIBUTES as Select',
    ],
  ])('%s is refused', (_, input, message) => {
    expect(refusalOf(() => localTable().call('Query', input)).message).toBe(message);
  });

  test('may have a limit of one', () => {
    expect(itemsOf(filled('a', 'b').call('Query', byPartition('p', { Limit: 1 })))).toEqual([a]);
  });

  // Half a unit for each 4 KB, or a whole one if it is consistent: 8 bytes are names and keys.
  test.each([
    [4096 - 8, 0.5],
    [4096 - 7, 1],
    [8192 - 8, 1],
  ])('that reads %d bytes and keys consumes %d units', (bytes, expected) => {
    const { call, put } = localTable();
    put({ ...itemKey('p', 'a'), bb: { B: new Uint8Array(bytes) } });
    const wanted = byPartition('p', units);
    expect(call('Query', wanted)).toMatchObject(consumed(expected));
    expect(call('Query', { ...wanted, ConsistentRead: true })).toMatchObject(
      consumed(2 * expected),
    );
    expect(call('Query', { ...wanted, ConsistentRead: false })).toMatchObject(consumed(expected));
  });

  test('ends a page when it has 1 MB, not one byte before', () => {
    const { call, put } = localTable();
    const sizes = (...all: readonly number[]) => {
      // With names and keys of 8 bytes.
      for (const [at, size] of all.entries())
        put({ ...itemKey('p', `${at}`), bb: { B: new Uint8Array(size - 8) } });
      return call('Query', byPartition())['Count'];
    };
    const quarter = 256 * 1024;
    expect(sizes(quarter, quarter, quarter, quarter, 100)).toBe(4);
    expect(sizes(quarter, quarter, quarter, quarter - 1, 100)).toBe(5);
  });

  test('reads ever more rows at a time, up to 256, and not one more than it is asked for', () => {
    const { call, put, store } = localTable();
    store.transaction(() => {
      for (let at = 0; at < 1_100; at += 1) put(itemKey('p', `${at + 1_000}`));
    });
    const limits: unknown[] = [];
    const { sql } = store;
    jest.spyOn(store, 'sql').mockImplementation(text => {
      const statement = sql(text);
      const all: typeof statement.all = (...values) => {
        limits.push(values.at(-1));
        return statement.all(...values);
      };
      return text.includes('LIMIT') ? { ...statement, all } : statement;
    });
    const read = (more: JsonObject = {}) => {
      const { Count } = call('Query', byPartition('p', more));
      return [Count, limits.splice(0)];
    };
    expect(read()).toEqual([1_100, [16, 32, 64, 128, 256, 256, 256, 256]]);
    expect(read({ Limit: 16 })).toEqual([16, [16]]);
    expect(read({ Limit: 20 })).toEqual([20, [16, 20]]);
    expect(read({ Limit: 3 })).toEqual([3, [3]]);
  });
});

describe.each([true, false])('a range, forward: %s', ScanIndexForward => {
  const values = { ':p': { S: 'p' }, ':b': { S: 'b' }, ':d': { S: 'd' } };

  test.each([
    ['sk < :b', 'a'],
    ['sk <= :b', 'ab'],
    ['sk > :b', 'cde'],
    ['sk >= :b', 'bcde'],
    ['sk = :b', 'b'],
    ['sk BETWEEN :b AND :d', 'bcd'],
    ['begins_with(sk, :b)', 'b'],
  ])('%s has %s, at once or one by one', (condition, expected) => {
    const { call } = filled(...'abcde');
    const used = Object.entries(values).filter(([name]) => `:p ${condition}`.includes(name));
    const input = {
      KeyConditionExpression: `pk = :p AND ${condition}`,
      ExpressionAttributeValues: Object.fromEntries(used),
      ScanIndexForward,
    };
    const wanted = ScanIndexForward ? [...expected] : [...expected].reverse();
    const items = wanted.map(sk => itemKey('p', sk));
    expect(itemsOf(call('Query', input))).toEqual(items);
    for (const [at, item] of items.entries()) {
      const page = { ...input, Limit: 1, ...(at > 0 && { ExclusiveStartKey: items[at - 1] }) };
      expect(itemsOf(call('Query', page))).toEqual([item]);
    }
  });
});

describe('a scan', () => {
  test('reads all partitions in order, page by page', () => {
    const table = filled('b', 'a');
    table.put(itemKey('o', 'z'));
    const [first, second, third] = [itemKey('o', 'z'), itemKey('p', 'a'), itemKey('p', 'b')];
    expect(table.call('Scan')).toStrictEqual({
      Items: [first, second, third],
      Count: 3,
      ScannedCount: 3,
    });
    expect(table.call('Scan', { Limit: 2 })).toMatchObject({ LastEvaluatedKey: second });
    expect(itemsOf(table.call('Scan', { ExclusiveStartKey: second }))).toEqual([third]);
  });

  test('reads the table that it is asked for', () => {
    const table = filled('a');
    table.call('CreateTable', { ...creation, TableName: 'others' });
    expect(table.call('Scan', { TableName: 'others' })).toMatchObject({ Count: 0 });
  });
});

describe('an index', () => {
  const scene = () => {
    const table = localTable();
    const [keys] = creation.GlobalSecondaryIndexes;
    const all = { ...keys, IndexName: 'all', Projection: { ProjectionType: 'ALL' } };
    table.call('DeleteTable');
    table.call('CreateTable', { ...creation, GlobalSecondaryIndexes: [keys, all] });
    return table;
  };
  const whole = (pk: string, sk: string, n: string) => ({
    ...itemKey(pk, sk),
    g: { S: 'g' },
    n: { N: n },
    x: { S: 'y'.repeat(5_000) },
  });
  const keysOf = ({ x: _, ...keys }: ReturnType<typeof whole>) => keys;

  test('has whole items or only their keys, in its own order, and consumes what it has', () => {
    const { call, put } = scene();
    const [one, two] = [whole('p', 'b', '-1'), whole('p', 'a', '2')];
    for (const item of [two, one, itemKey('p', 'c')]) put(item);
    expect(call('Query', byIndex('all', units))).toStrictEqual({
      Items: [one, two],
      Count: 2,
      ScannedCount: 2,
      ...consumed(1.5),
    });
    expect(call('Query', byIndex('keys', units))).toStrictEqual({
      Items: [keysOf(one), keysOf(two)],
      Count: 2,
      ScannedCount: 2,
      ...consumed(0.5),
    });
  });

  test.each(['keys', 'all'])('of which a page ends among equal keys goes on there: %s', name => {
    const { call, put } = scene();
    const items = ['a', 'b', 'c'].map(sk => whole('p', sk, '1'));
    for (const item of items) put(item);
    const [, second, third] = items.map(keysOf);
    expect(call('Query', byIndex(name, { Limit: 2 }))).toMatchObject({ LastEvaluatedKey: second });
    const rest = itemsOf(call('Query', byIndex(name, { ExclusiveStartKey: second })));
    expect(rest.map(({ x: _, ...keys }) => keys)).toEqual([third]);
    const before = byIndex(name, { ExclusiveStartKey: second, ScanIndexForward: false });
    expect(itemsOf(call('Query', before))).toHaveLength(1);
  });

  test('is scanned in the order of its own keys', () => {
    const { call, put } = scene();
    const [one, two] = [whole('p', 'b', '1'), whole('p', 'a', '2')];
    for (const item of [two, one]) put(item);
    expect(itemsOf(call('Scan', { IndexName: 'keys' }))).toEqual([keysOf(one), keysOf(two)]);
    const after = { IndexName: 'keys', ExclusiveStartKey: keysOf(one) };
    expect(itemsOf(call('Scan', after))).toEqual([keysOf(two)]);
  });

  // SQLite's binding cuts a text at its first zero character.
  test.each(['none', 'pk', 'sk', 'g', 'n'])('of texts gives them back: a zero in %s', zero => {
    const table = localTable();
    table.call('DeleteTable');
    const AttributeDefinitions = ['pk', 'sk', 'g', 'n'].map(AttributeName => ({
      AttributeName,
      AttributeType: 'S',
    }));
    table.call('CreateTable', { ...creation, AttributeDefinitions });
    const text = (name: string) => ({ S: name === zero ? `${name}\0b` : name });
    const keys = { pk: text('pk'), sk: text('sk'), g: text('g'), n: text('n') };
    table.put({ ...keys, x: { S: 'y' } });
    const KeyConditionExpression = 'g = :g';
    const ExpressionAttributeValues = { ':g': keys.g };
    const input = { IndexName: 'keys', KeyConditionExpression, ExpressionAttributeValues };
    expect(itemsOf(table.call('Query', input))).toStrictEqual([keys]);
  });

  test('has an item under the keys that it has now', () => {
    const { call, put } = scene();
    const listed = () => itemsOf(call('Query', byIndex('keys')));
    put(whole('p', 'a', '1'));
    put(whole('p', 'a', '2'));
    expect(listed()).toEqual([keysOf(whole('p', 'a', '2'))]);
    put(itemKey('p', 'a'));
    expect(listed()).toEqual([]);
    put(whole('p', 'a', '3'));
    call('DeleteItem', { Key: itemKey('p', 'a') });
    expect(listed()).toEqual([]);
  });
});
