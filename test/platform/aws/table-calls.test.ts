import { type AttributeValue, ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { IndexName } from '../../../lib/contract/tables.ts';
import { expr } from '../../../lib/platform/aws/expression.ts';
import * as table from '../../../lib/platform/aws/table.ts';
import { tableInTurn } from '../../support/fakes/aws-clients.ts';

const Key = { pk: 'p', sk: 's' };
const key = marshall(Key);
const TableName = 'registry';
const named = {
  TableName,
  ExpressionAttributeNames: { '#size': 'size' },
  ExpressionAttributeValues: { ':v0': { N: '1' }, ':v1': { S: 'x' } },
};
const UpdateExpression = expr`SET #size = ${1}`;
const ConditionExpression = expr`n <> ${'x'}`;
const written = { UpdateExpression: 'SET #size = :v0', ConditionExpression: 'n <> :v1' };

test('an item is got as plain values, consistently where it matters', async () => {
  const { table: on, asked } = tableInTurn(
    { Item: marshall({ n: 1 }) },
    {},
    { Item: marshall({ n: 2 }) },
    {},
  );
  expect(await table.getItem(on, { Key, ConsistentRead: false })).toEqual({ n: 1 });
  expect(await table.getItem(on, { Key, ConsistentRead: true })).toBeUndefined();
  expect(await table.findItem(on, Key, ({ n }) => `read ${n}`)).toBe('read 2');
  expect(await table.findItem(on, Key, () => 'read')).toBeUndefined();
  expect(asked).toEqual(
    [false, true, true, true].map(ConsistentRead => [
      'GetItemCommand',
      { TableName, Key: key, ConsistentRead },
    ]),
  );
});

test('each write is asked for with its expressions as text, and names and values apart', async () => {
  const { table: on, asked } = tableInTurn();
  const update = { Key, UpdateExpression, ConditionExpression };
  await table.putItem(on, { Item: { ...Key, n: 1 }, ConditionExpression: 'plain' });
  await table.updateItem(on, update);
  await table.deleteItem(on, { Key });
  await table.transactWrite(on, [
    { Put: { Item: Key } },
    { Update: update },
    { Delete: { Key } },
    { ConditionCheck: { Key, ConditionExpression: 'plain' } },
  ]);
  expect(asked).toEqual([
    [
      'PutItemCommand',
      { TableName, Item: marshall({ ...Key, n: 1 }), ConditionExpression: 'plain' },
    ],
    ['UpdateItemCommand', { ...named, ...written, Key: key }],
    ['DeleteItemCommand', { TableName, Key: key }],
    [
      'TransactWriteItemsCommand',
      {
        TransactItems: [
          { Put: { TableName, Item: key } },
          { Update: { ...named, ...written, Key: key } },
          { Delete: { TableName, Key: key } },
          { ConditionCheck: { TableName, Key: key, ConditionExpression: 'plain' } },
        ],
      },
    ],
  ]);
});

test('a write fails when the table says so', async () => {
  const failing = () => tableInTurn(new Error('throttled')).table;
  const update = { Key, UpdateExpression: 'plain' };
  for (const write of [
    table.putItem(failing(), { Item: Key }),
    table.updateItem(failing(), update),
    table.transactWrite(failing(), [{ Update: update }]),
  ])
    await expect(write).rejects.toThrow('throttled');
});

test('an update returns the item as it is then, or as it was if its condition does not hold', async () => {
  const failed = (Item?: Record<string, AttributeValue>) =>
    new ConditionalCheckFailedException({ $metadata: {}, message: 'no', ...(Item && { Item }) });
  const { table: on, asked } = tableInTurn(
    ...[{ Attributes: marshall({ n: 3 }) }, {}, failed(marshall({ n: 4 })), failed()],
    new Error('throttled'),
  );
  const update = { Key, UpdateExpression: 'plain' };
  expect(await table.updatedItem(on, update)).toEqual({ n: 3 });
  expect(await table.updateOrFind(on, update)).toBeUndefined();
  expect(await table.updateOrFind(on, update)).toEqual({ n: 4 });
  expect(await table.updateOrFind(on, update)).toEqual({});
  await expect(table.updateOrFind(on, update)).rejects.toThrow('throttled');
  const input = { TableName, Key: key, UpdateExpression: 'plain' };
  expect(asked.slice(0, 2)).toEqual([
    ['UpdateItemCommand', { ...input, ReturnValues: 'ALL_NEW' }],
    ['UpdateItemCommand', { ...input, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }],
  ]);
});

describe('a query', () => {
  const query = { KeyConditionExpression: 'plain' };

  test('reads a page from where another ended', async () => {
    const page = { Items: [marshall({ n: 1 })], Count: 7, LastEvaluatedKey: key };
    const { table: on, asked } = tableInTurn(page, {});
    const first = await table.queryPage(on, { ...query, Select: 'COUNT' });
    expect(first).toStrictEqual({ items: [{ n: 1 }], count: 7, next: Key });
    const last = await table.queryPage(on, { ...query, ExclusiveStartKey: first.next });
    expect(last).toStrictEqual({ items: [], count: 0 });
    expect(asked).toEqual([
      ['QueryCommand', { TableName, ...query, Select: 'COUNT' }],
      ['QueryCommand', { TableName, ...query, ExclusiveStartKey: key }],
    ]);
  });

  test('reads all pages, or as many items as it is asked for', async () => {
    const page = (...all: readonly number[]) => ({
      Items: all.map(n => marshall({ n })),
      LastEvaluatedKey: key,
    });
    const pages = [page(1, 2), page(3, 4), { Items: [marshall({ n: 5 })] }];
    const read = async (max?: number) => {
      const { table: on, asked } = tableInTurn(...pages);
      return [(await table.queryAll(on, query, max)).map(({ n }) => n), asked.length];
    };
    expect(await read()).toEqual([[1, 2, 3, 4, 5], 3]);
    expect(await read(3)).toEqual([[1, 2, 3], 2]);
  });

  test('asks for what is under a prefix, in the table and in an index', async () => {
    const { table: on, asked } = tableInTurn();
    expect(await table.itemsUnder(on, 'p', 'a#')).toEqual([]);
    await table.queryChildren(on, 'children' as IndexName, { parent: 'w', prefix: 'a#', max: 5 });
    await table.partUnder(on, { parent: 'w', prefix: 'a#' }, { after: 'b', max: 5 });
    const values = (...texts: readonly string[]) => ({
      ExpressionAttributeValues: Object.fromEntries(
        texts.map((text, at) => [`:v${at}`, { S: text }]),
      ),
    });
    expect(asked.map(one => (one as readonly unknown[])[1])).toEqual([
      {
        TableName,
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :v0 AND begins_with(sk, :v1)',
        ...values('p', 'a#'),
      },
      {
        TableName,
        IndexName: 'children',
        KeyConditionExpression: 'parent = :v0 AND begins_with(pk, :v1)',
        Limit: 5,
        ...values('w', 'a#'),
      },
      {
        TableName,
        ConsistentRead: true,
        KeyConditionExpression: '#pk = :v0 AND #sk BETWEEN :v1 AND :v2',
        Limit: 5,
        ExpressionAttributeNames: { '#pk': 'pk', '#sk': 'sk' },
        // A space sorts before all that follows a key, a tilde after it.
        ...values('w', 'a#b ', 'a#~'),
      },
    ]);
  });

  test('in parts says where the next one begins, by the rest of a key', async () => {
    const page = (last: string) => ({
      Items: [marshall({ n: 1 })],
      LastEvaluatedKey: marshall({ pk: `a#${last}`, sk: `a#s${last}` }),
    });
    const { table: on } = tableInTurn(page('1'), page('2'), { Items: [marshall({ n: 3 })] });
    const part = { parent: 'w', prefix: 'a#' };
    const read = (index?: IndexName, after?: string) =>
      table.partUnder(on, { ...part, ...(index && { index }) }, { after, max: 1 });
    expect(await read()).toStrictEqual({ items: [{ n: 1 }], next: 's1' });
    expect(await read('children' as IndexName)).toStrictEqual({ items: [{ n: 1 }], next: '2' });
    expect(await read()).toStrictEqual({ items: [{ n: 3 }] });
  });

  test('is not made for a part that cannot have ended there', async () => {
    const { table: on, asked } = tableInTurn();
    const impossible = ['', ' ', 'a b', '~', 'ä', 'x'.repeat(513)];
    for (const after of impossible)
      expect(await table.partUnder(on, { parent: 'w', prefix: 'a#' }, { after, max: 1 })).toEqual({
        items: [],
      });
    expect(asked).toEqual([]);
    expect([undefined, '!', '}', 'x'.repeat(512)].every(table.mayEndPart)).toBe(true);
  });

  test('is not made when the caller is gone, or when its time is over', async () => {
    const { table: on, asked } = tableInTurn();
    const read = (reader: table.Reader) =>
      table.readingFor(reader, () => table.queryPage(on, query));
    await expect(read({ isLate: () => true })).rejects.toThrow(
      "The request's time is over: nothing more is read.",
    );
    const leaver = new AbortController();
    const reading = read({ gone: leaver.signal, isLate: () => false });
    // It waits a turn, in which the caller may leave.
    leaver.abort();
    await expect(reading).rejects.toThrow('The caller is gone: nothing more is read.');
    await expect(reading).rejects.toBeInstanceOf(table.ReadingStopped);
    expect(asked).toEqual([]);
    await read({ gone: new AbortController().signal, isLate: () => false });
    expect(asked).toHaveLength(1);
  });
});

describe('an item that is read', () => {
  const item = { ...Key, t: 'x', n: 1, l: ['a', 'b'], m: ['a', 1], b: Uint8Array.of(1) };
  const { has, text, number, optionalText, optionalNumber, texts, bytes, oneOf } =
    table.itemReader(item);

  test('has its attributes with their types', () => {
    expect([has('t'), has('none')]).toEqual([true, false]);
    expect([text('t'), number('n'), bytes('b')]).toEqual(['x', 1, Uint8Array.of(1)]);
    expect([optionalText('t'), optionalText('none')]).toEqual(['x', undefined]);
    expect([optionalNumber('n'), optionalNumber('none')]).toEqual([1, undefined]);
    expect([texts('l'), texts('none')]).toEqual([['a', 'b'], []]);
    expect(oneOf('t', ['w', 'x'])).toBe('x');
  });

  test.each<[string, () => unknown]>([
    ['text "n"', () => text('n')],
    ['text "none"', () => text('none')],
    ['text "n"', () => optionalText('n')],
    ['number "t"', () => number('t')],
    ['number "t"', () => optionalNumber('t')],
    ['list of texts "t"', () => texts('t')],
    ['list of texts "m"', () => texts('m')],
    ['binary "t"', () => bytes('t')],
    ['v or w "t"', () => oneOf('t', ['v', 'w'])],
  ])('has no %s', (what, read) => {
    expect(read).toThrow(`The stored item p / s has no ${what}.`);
  });
});

test('an error of AWS is one by its name, and only some are passed over', async () => {
  const error = Object.assign(new Error('none'), { name: 'NotFound' });
  expect(table.isAwsError(error, 'Other', 'NotFound')).toBe(true);
  expect(table.isAwsError(error, 'Other')).toBe(false);
  expect(table.isAwsError({ name: 'NotFound' }, 'NotFound')).toBe(false);
  expect(await table.unlessError(Promise.resolve('found'), 'NotFound')).toBe('found');
  expect(await table.unlessError(Promise.reject(error), 'NotFound')).toBeUndefined();
  await expect(table.unlessError(Promise.reject(error), 'Other')).rejects.toBe(error);
});
