import fc from 'fast-check';
import type { JsonObject } from '../../../../lib/platform/json/value.ts';
import { itemKey, localTable, refusalOf, TableName } from './local-table.ts';

const put = (sk: string, more: JsonObject = {}) => ({
  Put: { TableName, Item: { ...itemKey('p', sk), ...more } },
});

const failing = (sk: string, more: JsonObject = {}) => ({
  ConditionCheck: {
    TableName,
    Key: itemKey('p', sk),
    ConditionExpression: 'attribute_exists(nope)',
    ...more,
  },
});

const add = (sk: string) => ({
  Update: {
    TableName,
    Key: itemKey('p', sk),
    UpdateExpression: 'ADD n :one SET g = :g',
    ExpressionAttributeValues: { ':one': { N: '1' }, ':g': { S: 'g' } },
  },
});

const wrongType = (sk: string) => ({
  Update: {
    TableName,
    Key: itemKey('p', sk),
    UpdateExpression: 'SET n = s + :one',
    ExpressionAttributeValues: { ':one': { N: '1' } },
  },
});

const everything = (table: ReturnType<typeof localTable>) => [
  table.call('Scan'),
  table.call('Query', {
    IndexName: 'keys',
    KeyConditionExpression: 'g = :g',
    ExpressionAttributeValues: { ':g': { S: 'g' } },
  }),
];

describe('a transaction', () => {
  test('writes everything, and reads what was there before it', () => {
    const table = localTable();
    table.transact([put('a', { n: { N: '1' }, g: { S: 'g' } }), add('b')]);
    table.transact([add('a'), { Delete: { TableName, Key: itemKey('p', 'b') } }]);
    expect(table.call('Scan')['Items']).toEqual([
      { ...itemKey('p', 'a'), n: { N: '2' }, g: { S: 'g' } },
    ]);
  });

  test('consumes two units for each kilobyte of every item, before or after: whichever is larger', () => {
    const table = localTable();
    const body = (kilobytes: number) => ({ b: { S: 'x'.repeat(kilobytes * 1024 - 100) } });
    table.transact([put('large', body(5)), put('small', body(1))]);
    const asking = { ReturnConsumedCapacity: 'TOTAL' };
    const unitsOf = (writes: readonly JsonObject[]) =>
      table.transact(writes, asking)['ConsumedCapacity'] as readonly {
        readonly CapacityUnits: number;
      }[];
    expect(unitsOf([put('large', body(2))])).toMatchObject([{ CapacityUnits: 10 }]);
    expect(unitsOf([put('small', body(3)), put('large', body(2))])).toMatchObject([
      { CapacityUnits: 10 },
    ]);
    const there = failing('small', { ConditionExpression: 'attribute_exists(pk)' });
    expect(unitsOf([there])).toMatchObject([{ CapacityUnits: 6 }]);
    const Delete = { TableName, Key: itemKey('p', 'small') };
    expect(unitsOf([{ Delete }])).toMatchObject([{ CapacityUnits: 6 }]);
  });

  test('that fails leaves nothing, wherever it fails', () => {
    const writes = fc.array(fc.constantFrom('put', 'add', 'delete'), {
      minLength: 1,
      maxLength: 6,
    });
    const errors = fc.constantFrom(failing, wrongType);
    fc.assert(
      fc.property(writes, errors, fc.nat(), (kinds, error, where) => {
        const table = localTable();
        for (const sk of ['0', '2', '4'])
          table.put({ ...itemKey('p', sk), n: { N: '5' }, g: { S: 'g' } });
        const items: JsonObject[] = kinds.map((kind, at) => {
          if (kind === 'put') return put(`${at}`, { g: { S: 'g' }, n: { N: `${at}` } });
          return kind === 'add'
            ? add(`${at}`)
            : { Delete: { TableName, Key: itemKey('p', `${at}`) } };
        });
        const at = where % (items.length + 1);
        items.splice(at, 0, error('error'));
        const before = everything(table);
        const refusal = refusalOf(() => table.transact(items));
        const codes = items.map((_, index) => (index === at ? 'ConditionalCheckFailed' : 'None'));
        expect(refusal.message).toContain(
          error === failing ? `[${codes.join(', ')}]` : 'does not exist in the item',
        );
        expect(everything(table)).toEqual(before);
      }),
      { numRuns: 100 },
    );
  });

  test('has a reason for each write, in order, with the item where it was asked for', () => {
    const table = localTable();
    table.put(itemKey('p', 'b'));
    table.put(itemKey('p', 'c'));
    const asked = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' };
    const refusal = refusalOf(() =>
      table.transact([put('a'), failing('b', asked), failing('c'), failing('d', asked)]),
    );
    const reason = { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed' };
    expect(refusal.name).toBe('TransactionCanceledException');
    expect(refusal.members).toEqual({
      CancellationReasons: [
        { Code: 'None' },
        { ...reason, Item: itemKey('p', 'b') },
        reason,
        reason,
      ],
    });
  });

  test('may have an item only once, and at most a hundred', () => {
    const table = localTable();
    expect(refusalOf(() => table.transact([put('a'), failing('a')])).message).toBe(
      'Transaction request cannot include multiple operations on one item',
    );
    const many = Array.from({ length: 101 }, (_, at) => put(`${at}`));
    expect(refusalOf(() => table.transact(many)).message).toContain('less than or equal to 100');
    table.transact(many.slice(1));
    expect(table.call('Scan', { Select: 'COUNT' })['Count']).toBe(100);
  });

  test('of more than 4 MB is refused', () => {
    const table = localTable();
    const large = Array.from({ length: 11 }, (_, at) =>
      put(`${at}`, { b: { B: new Uint8Array(390_000) } }),
    );
    expect(refusalOf(() => table.transact(large)).name).toBe('ValidationException');
    expect(table.call('Scan')['Count']).toBe(0);
    table.transact(large.slice(1));
    expect(table.get('p', '10')).toBeDefined();
  });

  // Names and keys have 7 bytes: 16 items of 256 KB are 4 MB.
  test('may have exactly 4 MB', () => {
    const table = localTable();
    const items = (last: number) =>
      Array.from({ length: 16 }, (_, at) =>
        put(String.fromCharCode(97 + at), {
          b: { B: new Uint8Array(256 * 1024 - 7 + (at === 15 ? last : 0)) },
        }),
      );
    expect(refusalOf(() => table.transact(items(1))).message).toBe(
      'Collection size limit exceeded: the items of a transaction may have at most 4 MB',
    );
    expect(table.call('Scan')['Count']).toBe(0);
    table.transact(items(0));
    // What is deleted, or only looked at, counts as it was.
    const Delete = { TableName, Key: itemKey('p', 'a') };
    const rest = items(0).slice(1);
    expect(() => table.transact([{ Delete }, ...rest, put('z')])).toThrow('at most 4 MB');
    expect(() => table.transact([...rest, put('z')])).not.toThrow();
    const none = { TableName, Key: itemKey('p', 'none') };
    expect(() => table.transact([...items(0), { Delete: none }])).not.toThrow();
  });

  test.each<[string, JsonObject]>([
    ['nothing', {}],
    ['something else', { Get: { TableName, Key: itemKey('p', 'a') } }],
    ['two writes', { ...put('a'), ...add('b') }],
  ])('has one write in each item, not %s', (_, item) => {
    const table = localTable();
    expect(refusalOf(() => table.transact([put('z'), item])).message).toBe(
      'TransactItems can only contain one of Check, Put, Update or Delete',
    );
    expect(table.call('Scan')['Count']).toBe(0);
  });

  test('refuses the parameters of another write', () => {
    const { transact } = localTable();
    const Put = { TableName, Item: itemKey('p', 'a'), UpdateExpression: 'REMOVE a' };
    expect(refusalOf(() => transact([{ Put }])).message).toBe(
      'The local DynamoDB engine does not support the parameter UpdateExpression of Put.',
    );
  });

  test('that only checks an item writes nothing', () => {
    const table = localTable();
    table.put(itemKey('p', 'a'));
    const asked = jest.spyOn(table.store, 'sql');
    const there = failing('a', { ConditionExpression: 'attribute_exists(pk)' });
    expect(table.transact([there])).toStrictEqual({});
    expect(asked.mock.calls.filter(([text]) => /UPDATE|INSERT|DELETE/.test(text))).toEqual([]);
  });
});
