import {
  acquireLease,
  changeAsHolder,
  isHeld,
  listedWork,
  partListed,
  runningWork,
  whileRunning,
} from '../../../lib/bus/delivery/leased-work.dynamodb.ts';
import { expr } from '../../../lib/platform/aws/expression.ts';
import { holds } from '../../../lib/platform/aws/many-items.ts';
import { getItem, putItem, updateItem } from '../../../lib/platform/aws/table.ts';
import { time } from '../../support/entries.ts';
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

test('what runs is listed by its kind', async () => {
  await work('of-a-kind', { pending_work: 'kind' });
  await work('of-another', { pending_work: 'other' });
  expect(await runningWork(tables.table('ledger'), 'kind', 'WORK#')).toEqual(['of-a-kind']);
});

test('a list is read in parts, the newest first', async () => {
  const table = tables.table('ledger');
  for (const id of ['a', 'b', 'c', 'd', 'e']) {
    const createdAt = time + (id.codePointAt(0) ?? 0);
    await putItem(table, { Item: listedWork('LIST', { id, createdAt }) });
    await putItem(table, { Item: listedWork('OTHER', { id: `not-${id}`, createdAt }) });
  }
  const first = await partListed(table, ['LIST'], { max: 2 });
  expect(first.entries).toEqual(['e', 'd']);
  const second = await partListed(table, ['LIST'], { max: 2, after: first.next });
  expect(second.entries).toEqual(['c', 'b']);
  const third = await partListed(table, ['LIST'], { max: 2, after: second.next });
  expect(third).toEqual({ entries: ['a'] });
  const two = await partListed(table, ['LIST', 'OTHER'], { max: 3 });
  expect(two.entries).toEqual(['not-e', 'e', 'not-d']);
});
