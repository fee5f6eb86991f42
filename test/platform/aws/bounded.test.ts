import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Slot } from '../../../lib/contract/bounds.ts';
import {
  awsRaisedBounds,
  countedIn,
  endCounted,
  endingHolder,
  nameOfHolder,
  releases,
  releasesOf,
  tryWithin,
  writeWithin,
} from '../../../lib/platform/aws/bounded.ts';
import type { TableWrite } from '../../../lib/platform/aws/table.ts';
import { tableInTurn } from '../../support/fakes/aws-clients.ts';

const slotOf = (of: string, more: Partial<Slot> = {}): Slot => ({
  bound: 'runs',
  scope: 'workspace',
  of,
  max: 2,
  ...more,
});
const keyOf = (of: string) => ({ pk: `BOUND#runs#workspace#${of}`, sk: 'HOLDERS' });

const cancelled = (...codes: readonly string[]) =>
  new TransactionCanceledException({
    $metadata: {},
    message: 'cancelled',
    CancellationReasons: codes.map(Code => ({ Code })),
  });
const full = cancelled('None', 'ConditionalCheckFailed');

const TableName = 'registry';
const thing: TableWrite = { Put: { Item: { pk: 'thing', sk: 's' } } };
const putOfThing = { Put: { TableName, Item: marshall({ pk: 'thing', sk: 's' }) } };
const removalOf = (of: string, ...holders: readonly string[]) => ({
  Update: {
    TableName,
    Key: marshall(keyOf(of)),
    UpdateExpression: 'DELETE holders :v0',
    ExpressionAttributeValues: { ':v0': { SS: holders } },
  },
});
const takingOf = (of: string, max: number, ...holders: readonly string[]) => ({
  Update: {
    TableName,
    Key: marshall(keyOf(of)),
    UpdateExpression: 'ADD holders :v0',
    ConditionExpression: [
      'attribute_not_exists(holders) OR size(holders) <= :v1',
      ...(holders.length === 1 ? ['contains(holders, :v2)'] : []),
    ].join(' OR '),
    ExpressionAttributeValues: {
      ':v0': { SS: holders },
      ':v1': { N: String(max - holders.length) },
      ...(holders.length === 1 && { ':v2': { S: holders[0] } }),
    },
  },
});
const transaction = (...TransactItems: readonly object[]) => [
  'TransactWriteItemsCommand',
  { TransactItems },
];
const look = (of: string) => [
  'GetItemCommand',
  { TableName, Key: marshall(keyOf(of)), ConsistentRead: true },
];

test('the name of a thing that ends says when, so that names sort by it', () => {
  expect(endingHolder('a#b', 1_800_000_000_000)).toBe('001800000000000#a#b');
  expect(nameOfHolder('001800000000000#a#b')).toBe('a#b');
});

describe('a counted thing', () => {
  test('knows where it is counted, and under which name', () => {
    const slots = [slotOf('a'), slotOf('b')];
    const stored = countedIn({ slots, holders: ['x', 'y'] });
    expect(stored).toEqual({ counted_in: [keyOf('a').pk, keyOf('b').pk], counted_as: 'x' });
    expect(countedIn({ slots: [], holders: ['x'] })).toEqual({});
    expect(countedIn({ slots, holders: [] })).toEqual({});
    expect(releases(undefined)).toEqual([]);
    expect(releases({ pk: 'thing' })).toEqual([]);
    expect(releases(stored)).toHaveLength(2);
  });

  test('is ended with what else is to be written, and gives its places back', async () => {
    const stored = countedIn({ slots: [slotOf('a'), slotOf('b')], holders: ['x'] });
    const Key = { pk: 'thing', sk: 's' };
    for (const end of [{ Delete: { Key } }, { Update: { Key, UpdateExpression: 'plain' } }]) {
      const { table, asked } = tableInTurn({ Item: marshall({ ...Key, ...stored }) });
      expect(await endCounted(table, end, [thing])).toBe(true);
      const [[kind, call] = ['', {}]] = Object.entries(end);
      expect(asked).toEqual([
        ['GetItemCommand', { TableName, Key: marshall(Key), ConsistentRead: true }],
        transaction(
          { [kind]: { ...call, TableName, Key: marshall(Key) } },
          putOfThing,
          removalOf('a', 'x'),
          removalOf('b', 'x'),
        ),
      ]);
    }
  });

  test('gives all its places back, under the names that it has there', async () => {
    const slots = [slotOf('a'), slotOf('b', { as: ['z'] })];
    const { table, asked } = tableInTurn();
    await writeWithin(table, releasesOf({ slots, holders: ['x', 'y'] }), {
      slots: [],
      holders: [],
    });
    expect(asked).toEqual([transaction(removalOf('a', 'x', 'y'), removalOf('b', 'z'))]);
  });
});

describe('things within bounds', () => {
  test('are written with their places, in one transaction', async () => {
    const { table, asked } = tableInTurn();
    const slots = [slotOf('a'), slotOf('b', { as: ['y', 'z'], max: 3 })];
    expect(await writeWithin(table, [thing], { slots, holders: ['x'] })).toBeUndefined();
    expect(asked).toEqual([
      transaction(putOfThing, takingOf('a', 2, 'x'), takingOf('b', 3, 'y', 'z')),
    ]);
  });

  test('are not written if a count is full, and it is told which, and by whom', async () => {
    const holders = new Set(['b', 'a']);
    const { table, asked } = tableInTurn(full, { Item: marshall({ ...keyOf('a'), holders }) });
    const slot = slotOf('a');
    expect(await writeWithin(table, [thing], { slots: [slot], holders: ['x'] })).toMatchObject({
      slot,
      max: 2,
      holders: ['a', 'b'],
    });
    expect(asked).toEqual([transaction(putOfThing, takingOf('a', 2, 'x')), look('a')]);
  });

  test('take the places of those whose time is over', async () => {
    const now = 1_800_000_000_000;
    const [over, later] = [endingHolder('a', now), endingHolder('b', now + 1)];
    const holders = new Set([later, over, 'endless']);
    const { table, asked } = tableInTurn(full, { Item: marshall({ ...keyOf('a'), holders }) });
    const holding = { slots: [slotOf('a', { max: 3 })], holders: ['x'], now };
    expect(await writeWithin(table, [thing], holding)).toBeUndefined();
    const attempt = transaction(putOfThing, takingOf('a', 3, 'x'));
    expect(asked).toEqual([attempt, look('a'), transaction(removalOf('a', over)), attempt]);
    // Before that is done, there is no room.
    const failing = tableInTurn(
      full,
      { Item: marshall({ holders }) },
      new Error('throttled'),
    ).table;
    await expect(writeWithin(failing, [thing], holding)).rejects.toThrow('throttled');
  });

  test('may be as many as the operator allows', async () => {
    const raised = { Item: marshall({ ...keyOf('a'), raised: 5 }) };
    const { table, asked } = tableInTurn(full, raised, full, raised);
    const holding = { slots: [slotOf('a')], holders: ['x'] };
    expect(await writeWithin(table, [thing], holding)).toMatchObject({ max: 5, holders: [] });
    expect(asked).toEqual([
      transaction(putOfThing, takingOf('a', 2, 'x')),
      look('a'),
      transaction(putOfThing, takingOf('a', 5, 'x')),
      look('a'),
    ]);
  });

  test('are not tried if a count could never have so many', async () => {
    const { table, asked } = tableInTurn();
    const slots = [slotOf('a', { max: 3 }), slotOf('b')];
    const holding = { slots, holders: ['x', 'y', 'z'] };
    expect(await writeWithin(table, [thing], holding)).toMatchObject({ slot: slots[1], max: 2 });
    expect(asked).toEqual([look('b')]);
    const none = { slots: [slotOf('a', { max: 0 })], holders: ['x'] };
    expect(await writeWithin(tableInTurn().table, [thing], none)).toMatchObject({ max: 0 });
  });

  test('are refused by their own conditions first', async () => {
    const own = cancelled('ConditionalCheckFailed', 'ConditionalCheckFailed');
    const holding = { slots: [slotOf('a')], holders: ['x'] };
    await expect(writeWithin(tableInTurn(own).table, [thing], holding)).rejects.toBe(own);
    expect(await tryWithin(tableInTurn(own).table, [thing], holding)).toBe(0);
    expect(await tryWithin(tableInTurn().table, [thing], holding)).toBeUndefined();
    expect(await tryWithin(tableInTurn(full).table, [thing], holding)).toMatchObject({ max: 2 });
    const error = new Error('throttled');
    await expect(tryWithin(tableInTurn(error).table, [thing], holding)).rejects.toBe(error);
  });
});

test('the operator raises a count where the things are', async () => {
  const [registry, ledger] = [tableInTurn(), tableInTurn()];
  const { raise } = awsRaisedBounds({ registry: registry.table, ledger: ledger.table });
  await raise(slotOf('a'), 7);
  await raise(slotOf('a', { bound: 'replays' }), 8);
  await raise(slotOf('a', { bound: 'connections' }), 9);
  const raising = (bound: string, max: number) => [
    'UpdateItemCommand',
    {
      TableName,
      Key: marshall({ pk: `BOUND#${bound}#workspace#a`, sk: 'HOLDERS' }),
      UpdateExpression: 'SET raised = :v0',
      ExpressionAttributeValues: { ':v0': { N: String(max) } },
    },
  ];
  expect(ledger.asked).toEqual([raising('runs', 7), raising('replays', 8)]);
  expect(registry.asked).toEqual([raising('connections', 9)]);
});
