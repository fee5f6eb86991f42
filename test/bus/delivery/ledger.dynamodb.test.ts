import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  awsAcceptances,
  awsLedger,
  awsStories,
} from '../../../lib/bus/delivery/ledger.dynamodb.ts';
import { entryKey, headKey, storyKey } from '../../../lib/bus/delivery/ledger-items.dynamodb.ts';
import { type Commit, emptyHead } from '../../../lib/bus/delivery/log.ts';
import { deleteItem, getItem } from '../../../lib/platform/aws/table.ts';
import { commitOf, correlation, entry, story, time, workspace } from '../../support/entries.ts';
import { tableAnswering, tableInTurn } from '../../support/fakes/aws-clients.ts';
import { frozenClock } from '../../support/identity-fakes.ts';
import { tablesHere } from '../../support/local-aws.ts';

const tables = tablesHere();

const ledgerHere = () =>
  awsLedger(tables.table('ledger'), { clock: frozenClock(), archiveDays: 30 });

/** The commit of the first entry of a log, and one of the second. */
const twoCommits = (log: number): { readonly first: Commit; readonly second: Commit } => {
  const at = { correlationId: correlation(log) };
  const first = commitOf(entry(`${log}-first`, at), emptyHead);
  const { lease: _first, ...second } = commitOf(entry(`${log}-second`, { ...at, number: 2 }), {
    last: 1,
    published: 0,
  });
  return { first, second };
};

const stopped = { id: false, head: true, story: false };

test('a number is given once, even if its entry has been deleted', async () => {
  const { first, second } = twoCommits(1);
  const ledger = ledgerHere();
  expect(await ledger.commit(first)).toBeUndefined();
  expect(await ledger.commit(second)).toBeUndefined();
  await deleteItem(tables.table('ledger'), { Key: entryKey(second.entry, 2) });
  const again = { ...second, entry: { ...second.entry, messageId: '1-again' } };
  expect(await ledger.commit(again)).toEqual(stopped);
});

test('an entry is never written over, even if the head of its log is lost', async () => {
  const { first } = twoCommits(2);
  const ledger = ledgerHere();
  expect(await ledger.commit(first)).toBeUndefined();
  await deleteItem(tables.table('ledger'), { Key: headKey(first.entry) });
  const again = { ...first, entry: { ...first.entry, messageId: '2-again' } };
  expect(await ledger.commit(again)).toEqual(stopped);
  expect(await ledger.bodyOf({ ...first, ...first.entry })).toEqual(first.entry.body);
});

test('the first entry of a log finds no head', async () => {
  const { first } = twoCommits(3);
  const table = tables.table('ledger');
  const ledger = ledgerHere();
  expect(await ledger.commit(first)).toBeUndefined();
  await deleteItem(table, { Key: entryKey(first.entry, 1) });
  const again = { ...first, entry: { ...first.entry, messageId: '3-again' } };
  const { lease: _none, ...withoutLease } = again;
  expect(await ledger.commit(withoutLease)).toEqual(stopped);
  expect(await ledger.commit(again)).toEqual(stopped);
});

test('a story is started over once, and only if there is one', async () => {
  const table = tables.table('ledger');
  const stories = awsStories(table);
  const { first } = twoCommits(4);
  const state = { ...story(7), storyId: 'over' };
  expect(await ledgerHere().commit({ ...first, story: { state, version: 0 } })).toBeUndefined();
  const startOver = (version: number, now = time) =>
    stories.startOver(workspace, 'over', { version, now });
  // Another snapshot has come since it was looked at.
  expect(await startOver(0)).toBe(false);
  expect(await startOver(1)).toBe(true);
  expect(await startOver(1, time + 1)).toBe(false);
  // The version is known, but nothing is left to forget.
  expect(await startOver(2, time + 1)).toBe(false);
  const { version, started_over_at } =
    (await getItem(table, { Key: storyKey(workspace, 'over'), ConsistentRead: true })) ?? {};
  expect({ version, started_over_at }).toEqual({ version: 2, started_over_at: time });
  expect(await stories.startOver(workspace, 'unknown', { version: 1, now: time })).toBe(false);
  expect(
    await getItem(table, { Key: storyKey(workspace, 'unknown'), ConsistentRead: true }),
  ).toBeUndefined();
});

describe('a commit that AWS cancels', () => {
  const commitAnswered = (error: Error) =>
    awsLedger(
      tableAnswering(() => {
        throw error;
      }),
      { clock: frozenClock(), archiveDays: 30 },
    ).commit(twoCommits(5).first);
  const cancelled = (...codes: readonly string[]) =>
    new TransactionCanceledException({
      $metadata: {},
      message: 'Transaction cancelled',
      CancellationReasons: codes.map(Code => ({ Code })),
    });

  test.each([
    [['ConditionalCheckFailed', 'None', 'None'], { id: true, head: false, story: false }],
    [['None', 'TransactionConflict', 'None', 'None'], { id: false, head: true, story: false }],
    [['None', 'None', 'TransactionConflict', 'None'], { id: false, head: true, story: false }],
    [['None', 'None', 'None', 'ConditionalCheckFailed'], { id: false, head: false, story: true }],
  ])('for %j says what stood against it', async (codes, conflict) => {
    expect(await commitAnswered(cancelled(...codes))).toEqual(conflict);
  });

  test('for another reason, or fails in another way, throws what AWS said', async () => {
    for (const error of [
      cancelled('ProvisionedThroughputExceeded', 'None', 'None'),
      new Error('no answer'),
    ])
      await expect(commitAnswered(error)).rejects.toBe(error);
  });
});

test('acceptances and stories are read consistently', async () => {
  const { table, asked } = tableInTurn({}, {});
  expect(await awsAcceptances(table).find(workspace, 'm1')).toBeUndefined();
  expect(await awsAcceptances(table).storyOf(workspace, 'harbour-fire')).toBeUndefined();
  expect(asked).toMatchObject([
    ['GetItemCommand', { ConsistentRead: true, Key: { pk: { S: `ID#${workspace}#m1` } } }],
    ['GetItemCommand', { ConsistentRead: true, Key: { sk: { S: 'STORY' } } }],
  ]);
});
