import fc from 'fast-check';
import { removeExpired } from '../../../../lib/local/engines/dynamodb/engine.ts';
import type { JsonObject } from '../../../../lib/platform/json/value.ts';
import { creation, itemKey, itemsOf, localTable, refusalOf, TableName } from './local-table.ts';

const query = (text: string, values: JsonObject, more: JsonObject = {}) => ({
  KeyConditionExpression: text,
  ExpressionAttributeValues: values,
  ...more,
});

const sortKeys = (response: JsonObject): readonly string[] =>
  itemsOf(response).map(({ sk }) => String(Reflect.get(Object(sk), 'S')));

/** All pages of a query or scan. */
const pages = (
  table: ReturnType<typeof localTable>,
  operation: string,
  input: JsonObject,
): readonly JsonObject[] => {
  const read: JsonObject[] = [];
  let from: unknown;
  do {
    const page = table.call(operation, { ...input, ExclusiveStartKey: from });
    read.push(page);
    from = page['LastEvaluatedKey'];
  } while (from !== undefined);
  return read;
};

describe('a query', () => {
  const text = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 4 })
    .filter(value => !/\p{Surrogate}/u.test(value));

  test('returns the keys of a range in the order of their UTF-8 bytes, page by page, either way', () => {
    const wanted = fc.uniqueArray(text, { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(
        wanted,
        text,
        fc.integer({ min: 1, max: 4 }),
        fc.boolean(),
        (keys, prefix, Limit, forward) => {
          const table = localTable();
          for (const sk of keys) table.put(itemKey('p', sk));
          const values = { ':p': { S: 'p' }, ':prefix': { S: prefix } };
          const more = { Limit, ScanIndexForward: forward };
          for (const condition of ['begins_with(sk, :prefix)', 'sk >= :prefix', 'sk < :prefix']) {
            const found = pages(
              table,
              'Query',
              query(`pk = :p AND ${condition}`, values, more),
            ).flatMap(sortKeys);
            const sorted = [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
            const selected = sorted.filter(sk => {
              if (condition.startsWith('begins')) return sk.startsWith(prefix);
              const order = Buffer.compare(Buffer.from(sk), Buffer.from(prefix));
              return condition.includes('>') ? order >= 0 : order < 0;
            });
            expect(found).toEqual(forward ? selected : selected.reverse());
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test('of an index lists items that have its keys, by number, and goes on where equal keys end', () => {
    const table = localTable();
    for (let at = 0; at < 40; at += 1)
      table.put({
        ...itemKey('p', `${at}`),
        g: { S: 'g' },
        n: { N: String((at % 5) - 2) },
        other: { S: 'x' },
      });
    table.put({ ...itemKey('p', 'without'), g: { S: 'g' } });
    const found = pages(
      table,
      'Query',
      query('g = :g', { ':g': { S: 'g' } }, { IndexName: 'keys', Limit: 3 }),
    );
    const items = found.flatMap(itemsOf);
    expect(items.map(({ n }) => Number(Reflect.get(Object(n), 'N')))).toEqual(
      [-2, -1, 0, 1, 2].flatMap(n => Array.from({ length: 8 }, () => n)),
    );
    expect(new Set(items.map(({ sk }) => JSON.stringify(sk))).size).toBe(40);
    expect(items.every(item => !('other' in item))).toBe(true);
  });

  test.each([
    ['forward', true, '(sk,item_pk,item_sk)>(?,?,?)'],
    ['backwards', false, '(sk,item_pk,item_sk)<(?,?,?)'],
  ])('of an index, %s, passes over nothing to where a page ended', (_, forward, place) => {
    const table = localTable();
    for (let at = 0; at < 3; at += 1)
      table.put({ ...itemKey('p', `${at}`), g: { S: 'g' }, n: { N: `${at}` } });
    const sql = jest.spyOn(table.store, 'sql');
    const values = { ':g': { S: 'g' }, ':from': { N: '0' }, ':to': { N: '9' } };
    const more = { IndexName: 'keys', Limit: 1, ScanIndexForward: forward };
    const input = query('g = :g AND n BETWEEN :from AND :to', values, more);
    expect(pages(table, 'Query', input).flatMap(itemsOf)).toHaveLength(3);
    const asked = sql.mock.calls.map(([text]) => text).at(-1);
    const [step] = table.store.sql<{ detail: string }>(`EXPLAIN QUERY PLAN ${asked}`).all();
    expect(step?.detail).toContain(place);
  });

  test('of an index of keys reads no item whose keys the index has', () => {
    const table = localTable();
    const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes } = creation;
    const [keys] = GlobalSecondaryIndexes;
    table.call('CreateTable', {
      TableName: 'texts',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: AttributeDefinitions.map(({ AttributeName }) => ({
        AttributeName,
        AttributeType: 'S',
      })),
      KeySchema,
      GlobalSecondaryIndexes: [keys],
    });
    const items = ['a', 'a\0b'].map(text => ({
      ...itemKey('p', text),
      g: { S: 'g' },
      n: { S: text },
    }));
    for (const item of items)
      table.callAll('PutItem', { TableName: 'texts', Item: { ...item, other: { S: 'x' } } });
    const read = () =>
      table.callAll('Query', {
        TableName: 'texts',
        IndexName: 'keys',
        ...query('g = :g', { ':g': { S: 'g' } }),
      });
    expect(itemsOf(read())).toEqual(items);
    // Of the second one its columns have only the beginning.
    table.store.sql(`UPDATE dynamodb_items SET item = '{}', bytes = NULL WHERE sk = 'a'`).run();
    expect(itemsOf(read())).toEqual(items);
  });

  test('by a prefix does not return the text that follows all texts with it', () => {
    const table = localTable();
    for (const sk of ['a', 'ab', 'b']) table.put(itemKey('p', sk));
    const values = { ':p': { S: 'p' }, ':a': { S: 'a' } };
    expect(sortKeys(table.call('Query', query('pk = :p AND begins_with(sk, :a)', values)))).toEqual(
      ['a', 'ab'],
    );
  });

  test('goes on after an item that has been deleted since', () => {
    const table = localTable();
    for (const sk of ['a', 'b', 'c']) table.put(itemKey('p', sk));
    const first = table.call('Query', query('pk = :p', { ':p': { S: 'p' } }, { Limit: 2 }));
    table.call('DeleteItem', { Key: itemKey('p', 'b') });
    const input = query(
      'pk = :p',
      { ':p': { S: 'p' } },
      { ExclusiveStartKey: first['LastEvaluatedKey'] },
    );
    expect(sortKeys(table.call('Query', input))).toEqual(['c']);
  });

  test('ends a page at 1 MB, counted or not', () => {
    const table = localTable();
    for (let at = 0; at < 12; at += 1)
      table.put({ ...itemKey('p', `${at + 10}`), b: { B: new Uint8Array(250_000) } });
    const counts = (input: JsonObject) =>
      pages(table, 'Query', input).map(({ ScannedCount }) => ScannedCount);
    expect(counts(query('pk = :p', { ':p': { S: 'p' } }))).toEqual([5, 5, 2]);
    expect(counts(query('pk = :p', { ':p': { S: 'p' } }, { Select: 'COUNT' }))).toEqual([5, 5, 2]);
    // 256 KB and one byte each, keys included: four fill a page.
    for (let at = 0; at < 6; at += 1)
      table.put({ ...itemKey('q', `${at + 10}`), b: { B: new Uint8Array(256 * 1024 + 1 - 8) } });
    expect(counts(query('pk = :q', { ':q': { S: 'q' } }))).toEqual([4, 2]);
  });
});

test('an item is got by its key, and nothing if there is none', () => {
  const table = localTable();
  const item = { ...itemKey('p', 'a'), x: { S: 'y' } };
  table.put(item);
  expect(table.call('GetItem', { Key: itemKey('p', 'a') })).toStrictEqual({ Item: item });
  expect(table.call('GetItem', { Key: itemKey('p', 'b') })).toStrictEqual({});
});

describe('a batch', () => {
  test('may be strongly consistent', () => {
    const table = localTable();
    table.put({ ...itemKey('p', 'a'), n: { N: '1' }, name: { S: 'x' } });
    const request = {
      Keys: [itemKey('p', 'a'), itemKey('p', 'b')],
      ConsistentRead: true,
    };
    const read = (more: JsonObject = {}) =>
      table.callAll('BatchGetItem', {
        RequestItems: { [TableName]: { ...request, ...more } },
        ReturnConsumedCapacity: 'TOTAL',
      });
    expect(read()).toMatchObject({
      Responses: { [TableName]: [{ ...itemKey('p', 'a'), n: { N: '1' }, name: { S: 'x' } }] },
      ConsumedCapacity: [{ CapacityUnits: 2 }],
    });
    expect(read({ ConsistentRead: false })).toMatchObject({
      ConsumedCapacity: [{ CapacityUnits: 1 }],
    });
    expect(() => read({ AttributesToGet: ['n'] })).toThrow();
  });

  test('leaves keys unprocessed when their items have more than 16 MB', () => {
    const table = localTable();
    const keys = Array.from({ length: 45 }, (_, at) => itemKey('p', `${at + 10}`));
    for (const key of keys) table.put({ ...key, b: { B: new Uint8Array(400_000) } });
    const response = table.callAll('BatchGetItem', {
      RequestItems: { [TableName]: { Keys: keys } },
    });
    const found = Object(response['Responses'])[TableName].length;
    expect(found).toBe(41);
    expect(Object(response['UnprocessedKeys'])[TableName].Keys).toEqual(keys.slice(found));
  });

  test('has exactly 16 MB, or leaves the rest as it was asked for', () => {
    const table = localTable();
    // With names and keys of 8 bytes: 64 items of 256 KB.
    const keys = Array.from({ length: 64 }, (_, at) => itemKey('p', `${at + 10}`));
    for (const key of keys) table.put({ ...key, b: { B: new Uint8Array(256 * 1024 - 8) } });
    const read = (Keys: readonly JsonObject[], more: JsonObject = {}) =>
      table.callAll('BatchGetItem', { RequestItems: { [TableName]: { Keys, ...more } } });
    const none = itemKey('p', 'none');
    const whole = read([none, ...keys]);
    expect(Object(whole['Responses'])[TableName]).toHaveLength(64);
    expect(whole['UnprocessedKeys']).toStrictEqual({});
    const [first] = keys;
    table.put({ ...first, b: { B: new Uint8Array(256 * 1024 - 7) } });
    const most = read([...keys, none], { ConsistentRead: true });
    expect(Object(most['Responses'])[TableName]).toHaveLength(63);
    expect(most['UnprocessedKeys']).toStrictEqual({
      [TableName]: { Keys: [keys[63], none], ConsistentRead: true },
    });
  });

  test('answers with what is there, table by table, and half a unit for each key', () => {
    const table = localTable();
    table.call('CreateTable', { ...creation, TableName: 'others' });
    table.put(itemKey('p', 'a'));
    const Keys = [itemKey('p', 'b'), itemKey('p', 'a')];
    const RequestItems = { [TableName]: { Keys }, others: { Keys } };
    expect(table.callAll('BatchGetItem', { RequestItems })).toStrictEqual({
      Responses: { [TableName]: [itemKey('p', 'a')], others: [] },
      UnprocessedKeys: {},
    });
    const units = { ReturnConsumedCapacity: 'TOTAL' };
    expect(table.callAll('BatchGetItem', { RequestItems, ...units })).toMatchObject({
      ConsumedCapacity: [
        { TableName, CapacityUnits: 1 },
        { TableName: 'others', CapacityUnits: 1 },
      ],
    });
  });

  test('reads at most a hundred keys, and none twice', () => {
    const table = localTable();
    const read = (Keys: readonly JsonObject[]) =>
      refusalOf(() => table.callAll('BatchGetItem', { RequestItems: { [TableName]: { Keys } } }))
        .message;
    const keys = Array.from({ length: 101 }, (_, at) => itemKey('p', `${at}`));
    const RequestItems = { [TableName]: { Keys: keys.slice(1) } };
    expect(() => table.callAll('BatchGetItem', { RequestItems })).not.toThrow();
    expect(read(keys)).toBe('Too many items requested for the BatchGetItem call');
    expect(read([itemKey('p', 'a'), itemKey('p', 'a')])).toBe(
      'Provided list of item keys contains duplicates',
    );
  });
});

describe('expired items', () => {
  const day = 24 * 60 * 60;

  test('are read until they are removed, and are then gone from indexes too', () => {
    const table = localTable();
    const now = Math.floor(table.time.now / 1000);
    const TimeToLiveSpecification = { Enabled: true, AttributeName: 'expires_at' };
    table.call('UpdateTimeToLive', { TimeToLiveSpecification });
    const item = (sk: string, at: number) => ({
      ...itemKey('p', sk),
      g: { S: 'g' },
      n: { N: '1' },
      expires_at: { N: String(at) },
    });
    for (const put of [
      item('past', now - 1),
      item('future', now + day),
      item('mistake', now - 6 * 365 * day),
    ])
      table.put(put);
    table.put({ ...itemKey('p', 'text'), expires_at: { S: 'soon' } });
    const listed = () =>
      sortKeys(table.call('Query', query('g = :g', { ':g': { S: 'g' } }, { IndexName: 'keys' })));
    expect(listed()).toEqual(['future', 'mistake', 'past']);
    expect(removeExpired(table.dynamoDb, 10)).toBe(1);
    expect(listed()).toEqual(['future', 'mistake']);
    table.time.now += 2 * day * 1000;
    expect(removeExpired(table.dynamoDb, 10)).toBe(1);
    expect(sortKeys(table.call('Scan'))).toEqual(['mistake', 'text']);
  });
});

test('a table is empty when it is created again', () => {
  const table = localTable();
  table.put(itemKey('p', 'a'));
  table.call('DeleteTable');
  expect(refusalOf(() => table.call('Scan')).name).toBe('ResourceNotFoundException');
  const { TableName: _, ...again } = creation;
  table.call('CreateTable', again);
  expect(table.call('Scan')).toMatchObject({ Count: 0 });
  expect(refusalOf(() => table.call('CreateTable', again)).name).toBe('ResourceInUseException');
});
