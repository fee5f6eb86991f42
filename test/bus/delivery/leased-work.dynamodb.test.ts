import {
  acquireLease,
  changeAsHolder,
  expiryOf,
  isHeld,
  listedWork,
  partListed,
  runningWork,
  whileRunning,
} from '../../../lib/bus/delivery/leased-work.dynamodb.ts';
import type { Part } from '../../../lib/contract/outside.ts';
import { expr } from '../../../lib/platform/aws/expression.ts';
import { holds } from '../../../lib/platform/aws/many-items.ts';
import { getItem, putItem, updateItem } from '../../../lib/platform/aws/table.ts';
import { time } from '../../support/entries.ts';
import { tableInTurn } from '../../support/fakes/aws-clients.ts';
import { tablesHere } from '../../support/local-aws.ts';

const tables = tablesHere();

const keyOf = (id: string) => ({ pk: `WORK#${id}`, sk: 'WORK' });

const work = async (id: string, members: object = {}) => {
  const Item = { ...keyOf(id), status: 'running', pending_work: 'work', due_at: time, ...members };
  await putItem(tables.table('ledger'), { Item });
};

const acquired = (id: string, owner: string, now: number) =>
  acquireLease(tables.table('ledger'), keyOf(id), { lease: { owner, until: now + 10_000 }, now });

const noted = (id: string, owner: string) =>
  changeAsHolder(tables.table('ledger'), keyOf(id), owner, expr`SET note = ${owner}`);

const noteOf = async (id: string) =>
  (await getItem(tables.table('ledger'), { Key: keyOf(id), ConsistentRead: true }))?.['note'];

test('running work is leased to one until the end of the lease plus the clock skew', async () => {
  await work('leased');
  expect(await acquired('leased', 'one', time)).toMatchObject({ lease_owner: 'one' });
  expect(await acquired('leased', 'two', time + 11_999)).toBeUndefined();
  expect(await acquired('leased', 'two', time + 12_000)).toMatchObject({ lease_owner: 'two' });
});

test('only its holder changes it', async () => {
  await work('held');
  expect(await noted('held', 'one')).toBe(false);
  await acquired('held', 'one', time);
  expect(await noted('held', 'two')).toBe(false);
  expect(await noteOf('held')).toBeUndefined();
  expect(await noted('held', 'one')).toBe(true);
  expect(await noteOf('held')).toBe('one');
});

test('a late release does not end a later lease of the same owner, nor that of another', async () => {
  await work('released', { lease_owner: 'one', lease_until: time });
  const release = (owner: string, until: number) => {
    const ended = expr`REMOVE lease_owner, lease_until`;
    const update = whileRunning(keyOf('released'), ended, isHeld({ owner, until }));
    return holds(updateItem(tables.table('ledger'), update));
  };
  expect(await release('one', time - 1)).toBe(false);
  expect(await release('two', time)).toBe(false);
  expect(await release('one', time)).toBe(true);
});

test('work that has ended is leased to nobody, and its last holder changes nothing', async () => {
  await work('ended', { status: 'finished', lease_owner: 'one', lease_until: time + 10_000 });
  expect(await noted('ended', 'one')).toBe(false);
  expect(await noteOf('ended')).toBeUndefined();
  await work('over', { status: 'finished' });
  expect(await acquired('over', 'one', time)).toBeUndefined();
  expect(await acquired('unknown', 'one', time)).toBeUndefined();
});

test('whoever works on it, work is changed while it runs, and not after', async () => {
  await work('changed', { lease_owner: 'one', lease_until: time });
  const end = () => {
    const ended = whileRunning(keyOf('changed'), expr`SET #status = ${'finished'}`);
    return holds(updateItem(tables.table('ledger'), ended));
  };
  expect(await end()).toBe(true);
  expect(await end()).toBe(false);
});

test('what runs is listed by its kind', async () => {
  await work('of-a-kind', { pending_work: 'kind' });
  await work('of-another', { pending_work: 'other' });
  expect(await runningWork(tables.table('ledger'), 'kind', 'WORK#')).toEqual(['of-a-kind']);
});

test('an item of it is deleted in the second in which ninety days have passed', () => {
  const seconds = (text: string) => Date.parse(text) / 1000;
  const expiry = (text: string) => expiryOf(Date.parse(text));
  const end = seconds('2026-08-02T23:59:59Z');
  expect(expiry('2026-05-04T23:59:58.999Z')).toBe(end - 1);
  expect(expiry('2026-05-04T23:59:59.000Z')).toBe(end);
  expect(expiry('2026-05-04T23:59:59.999Z')).toBe(end);
});

describe('of lists', () => {
  const placeOf = (id: string) => `2026-05-0${id.length}T12:00:00.000Z#${id}`;

  /** Lists work in lists of the test's own; the longer an id, the newer is the work. */
  const listed = async (test: string, ...lists: readonly (readonly string[])[]) => {
    const names = lists.map((_, index) => `LIST#${test}#${index}`);
    const items = lists.flatMap((ids, index) =>
      ids.map(id => {
        const createdAt = Date.parse(`2026-05-0${id.length}T12:00:00Z`);
        return listedWork(names[index] ?? '', { id, createdAt });
      }),
    );
    for (const Item of items) await putItem(tables.table('ledger'), { Item });
    return (part: Part) => partListed(tables.table('ledger'), names, part);
  };

  test('one is read in parts, the newest first', async () => {
    await listed('another', ['zz', 'zzzz']);
    const part = await listed('one', ['a', 'aaaaa', 'aaa', 'aa', 'aaaa']);
    expect(await part({ max: 2 })).toEqual({ entries: ['aaaaa', 'aaaa'], next: placeOf('aaaa') });
    expect(await part({ max: 2, after: placeOf('aaaa') })).toEqual({
      entries: ['aaa', 'aa'],
      next: placeOf('aa'),
    });
    expect(await part({ max: 2, after: placeOf('aa') })).toEqual({ entries: ['a'] });
    expect(await part({ max: 2, after: placeOf('a') })).toEqual({ entries: [] });
  });

  test('several are read as one, with what is in two of them once', async () => {
    const part = await listed('several', ['a', 'aaa', 'aaaaa'], ['bb', 'aaa', 'bbbb']);
    expect(await part({ max: 7 })).toEqual({ entries: ['aaaaa', 'bbbb', 'aaa', 'bb', 'a'] });
    expect(await part({ max: 2, after: placeOf('aaaaa') })).toEqual({
      entries: ['bbbb', 'aaa'],
      next: placeOf('aaa'),
    });
  });

  test('there is more if only together they have more than was asked for', async () => {
    const part = await listed('together', ['a', 'aaa'], ['bb', 'bbbb']);
    expect(await part({ max: 3 })).toEqual({
      entries: ['bbbb', 'aaa', 'bb'],
      next: placeOf('bb'),
    });
    expect(await part({ max: 4 })).toEqual({ entries: ['bbbb', 'aaa', 'bb', 'a'] });
  });

  test('there is more if one of them has more, even of what the other has, too', async () => {
    const part = await listed('same', ['a', 'aa', 'aaa', 'aaaa'], ['aaa', 'aaaa']);
    expect(await part({ max: 3 })).toEqual({
      entries: ['aaaa', 'aaa', 'aa'],
      next: placeOf('aa'),
    });
    expect(await part({ max: 3, after: placeOf('aa') })).toEqual({ entries: ['a'] });
  });

  test('they are read consistently', async () => {
    const { table, asked } = tableInTurn({ Items: [] }, { Items: [] });
    expect(await partListed(table, ['LIST', 'OTHER'], { max: 2 })).toEqual({ entries: [] });
    const consistent = ['QueryCommand', { ConsistentRead: true }];
    expect(asked).toMatchObject([consistent, consistent]);
  });

  test.each([
    ['empty', ''],
    ['with a space', '2026-05-04 12:00'],
    ['too long for a key', '9'.repeat(513)],
  ])('no part begins after a place that is %s', async (_what, after) => {
    const part = await listed('nowhere', ['a', 'aa']);
    expect(await part({ max: 2, after })).toEqual({ entries: [] });
  });
});
