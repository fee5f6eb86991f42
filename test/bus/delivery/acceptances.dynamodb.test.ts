import {
  awsAcceptances,
  awsLedger,
  awsStories,
} from '../../../lib/bus/delivery/ledger.dynamodb.ts';
import { entryKey, idKey } from '../../../lib/bus/delivery/ledger-items.dynamodb.ts';
import { emptyHead } from '../../../lib/bus/delivery/log.ts';
import { expr } from '../../../lib/platform/aws/expression.ts';
import { deleteItem, updateItem } from '../../../lib/platform/aws/table.ts';
import {
  commitWithoutLease,
  correlation,
  entry,
  story,
  time,
  workspace,
} from '../../support/entries.ts';
import { frozenClock } from '../../support/identity-fakes.ts';
import { tablesHere } from '../../support/local-aws.ts';

const tables = tablesHere();

const ledger = () => awsLedger(tables.table('ledger'), { clock: frozenClock(), archiveDays: 30 });
const acceptances = () => awsAcceptances(tables.table('ledger'));

const consumers = ['c333333333333', 'c444444444444', 'c555555555555'];
const targets = consumers.map(connection => ({
  connection,
  queue: `sombus-${connection}.fifo`,
}));

/** Two entries of a log of its own, neither of which is sent. */
const twoEntries = async (log: number) => {
  const at = { correlationId: correlation(log), targets };
  const first = entry(`${log}-first`, at);
  const second = entry(`${log}-second`, { ...at, number: 2, acceptedAt: time + 5 });
  expect(await ledger().commit(commitWithoutLease(first, emptyHead))).toBeUndefined();
  const head = { last: 1, published: 0, unsentSince: time, lastAcceptedAt: time };
  expect(await ledger().commit(commitWithoutLease(second, head))).toBeUndefined();
  return { first, second };
};

const everywhere = (state: string) => consumers.map(connection => ({ connection, state }));

describe('where a message is', () => {
  test('is in no queue yet, and what it waits for is named', async () => {
    const { first, second } = await twoEntries(1);
    expect(await acceptances().find(workspace, first.messageId)).toEqual({
      entry: first,
      placements: everywhere('waiting'),
      firstUnsent: '1-first',
    });
    expect(await acceptances().find(workspace, second.messageId)).toEqual({
      entry: second,
      placements: everywhere('waiting'),
      firstUnsent: '1-first',
    });
  });

  test('is in each queue, up to the entry that its log was sent to', async () => {
    const { first, second } = await twoEntries(2);
    await updateItem(tables.table('ledger'), {
      Key: { pk: entryKey(first, 1).pk, sk: 'HEAD' },
      UpdateExpression: expr`SET published = ${1}`,
    });
    expect(await acceptances().find(workspace, first.messageId)).toEqual({
      entry: first,
      placements: everywhere('queued'),
    });
    expect(await acceptances().find(workspace, second.messageId)).toEqual({
      entry: second,
      placements: everywhere('waiting'),
      firstUnsent: '2-second',
    });
  });

  test('is in the queues that have it, skipped where the consumer is gone, and waits for the rest', async () => {
    const { first } = await twoEntries(3);
    const [has, gone, waits] = consumers;
    await updateItem(tables.table('ledger'), {
      Key: entryKey(first, 1),
      UpdateExpression: expr`SET delivered = ${new Set([has])}, skipped = ${new Set([gone])}`,
    });
    expect(await acceptances().find(workspace, first.messageId)).toEqual({
      // Those that do not have it yet.
      entry: { ...first, targets: targets.slice(1) },
      placements: [
        { connection: has, state: 'queued' },
        { connection: gone, state: 'skipped' },
        { connection: waits, state: 'waiting' },
      ],
      firstUnsent: '3-first',
    });
  });

  test('is unknown of an id that was never accepted, and of one whose entry has expired', async () => {
    const { first } = await twoEntries(4);
    expect(await acceptances().find(workspace, 'never')).toBeUndefined();
    expect(await acceptances().find('w777777777777', first.messageId)).toBeUndefined();
    await deleteItem(tables.table('ledger'), { Key: entryKey(first, 1) });
    expect(await acceptances().find(workspace, first.messageId)).toBeUndefined();
    await deleteItem(tables.table('ledger'), { Key: idKey(workspace, first.messageId) });
    expect(await acceptances().find(workspace, first.messageId)).toBeUndefined();
  });
});

test('a story is told with its last snapshot and its correlation, until it is started over', async () => {
  const first = entry('5-first', { correlationId: correlation(5) });
  const state = { ...story(7), storyId: 'told' };
  const guestReaders = { organisations: ['o666666666666'], acceptedAt: time };
  const commit = {
    ...commitWithoutLease(first, emptyHead),
    story: { state, version: 0, guestReaders },
  };
  expect(await ledger().commit(commit)).toBeUndefined();
  expect(await acceptances().storyOf(workspace, 'told')).toEqual({
    state,
    version: 1,
    guestReaders,
    correlationId: correlation(5),
  });

  const stories = awsStories(tables.table('ledger'));
  expect(await stories.startOver(workspace, 'told', { version: 1, now: time + 1 })).toBe(true);
  expect(await acceptances().storyOf(workspace, 'told')).toEqual({
    version: 2,
    startedOverAt: time + 1,
    correlationId: correlation(5),
  });
  expect(await acceptances().storyOf(workspace, 'unheard')).toBeUndefined();
});
