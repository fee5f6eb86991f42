import { BatchGetItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { awsAcceptances, awsLedger } from '../../../lib/bus/delivery/ledger.dynamodb.ts';
import { entryKey, headKey } from '../../../lib/bus/delivery/ledger-items.dynamodb.ts';
import { awsBacklog, awsLog } from '../../../lib/bus/delivery/log.dynamodb.ts';
import { emptyHead } from '../../../lib/bus/delivery/log.ts';
import { awsArchiveTail } from '../../../lib/bus/replay/archive.dynamodb.ts';
import { limits } from '../../../lib/contract/limits.ts';
import { expr } from '../../../lib/platform/aws/expression.ts';
import { getItem, queryAll, type Table } from '../../../lib/platform/aws/table.ts';
import { commitOf, correlation, entry, time, workspace } from '../../support/entries.ts';
import { tableAnswering, tableInTurn } from '../../support/fakes/aws-clients.ts';
import { frozenClock } from '../../support/identity-fakes.ts';
import { tablesHere } from '../../support/local-aws.ts';

test('the count of the backlog adds up all pages of all partitions, each from where the last one ended', async () => {
  const pages = [
    { Count: 700, LastEvaluatedKey: marshall({ pk: 'a' }) },
    { Count: 0, LastEvaluatedKey: marshall({ pk: 'b' }) },
    { Count: 42 },
  ];
  const asked = new Map<string, object[]>();
  const table = tableAnswering(async command => {
    const { ExpressionAttributeValues, ...input } = command.input as {
      readonly ExpressionAttributeValues: object;
    };
    const shard = JSON.stringify(ExpressionAttributeValues);
    const before = asked.get(shard) ?? [];
    asked.set(shard, [...before, input]);
    return pages[before.length];
  });
  expect(await awsBacklog(table).count()).toBe(8 * 742);
  expect(asked.size).toBe(8);
  // What is counted is not sent.
  const counted = {
    TableName: 'registry',
    IndexName: 'pending',
    Select: 'COUNT',
    KeyConditionExpression: 'pending_work = :v0',
  };
  for (const inputs of asked.values())
    expect(inputs).toEqual([
      counted,
      { ...counted, ExclusiveStartKey: marshall({ pk: 'a' }) },
      { ...counted, ExclusiveStartKey: marshall({ pk: 'b' }) },
    ]);
});

describe('the age of the backlog', () => {
  const sent = { last: 3, published: 3, last_accepted_at: time };
  const waiting = (unsentSince: number) => ({ ...sent, published: 1, unsent_since: unsentSince });

  /** When it began, of logs that the index lists and whose heads are these by now. */
  const unsentSince = async (...heads: readonly object[]) => {
    const keys = heads.map((_, index) => headKey({ workspace, correlationId: correlation(index) }));
    const listed = keys.map(key => marshall({ ...key, due_at: time }));
    const items = heads.map((head, index) => marshall({ ...keys[index], ...head }));
    let lists = 0;
    const table = tableAnswering(command => {
      if (command instanceof BatchGetItemCommand) return { Responses: { registry: items } };
      lists += 1;
      // All of them in one partition of the index.
      return { Items: lists === 1 ? listed : [] };
    });
    return awsBacklog(table).unsentSince(10);
  };

  test('is that of the oldest entry, in whichever log it waits', async () => {
    expect(await unsentSince(waiting(time - 20), waiting(time - 70), waiting(time - 30))).toBe(
      time - 70,
    );
  });

  test('is not that of a log whose entries were sent since it was listed', async () => {
    expect(await unsentSince(sent, waiting(time - 20))).toBe(time - 20);
  });

  test('is unknown if nothing is listed, or all of that was sent meanwhile', async () => {
    expect(await unsentSince()).toBeUndefined();
    expect(await unsentSince(sent, sent)).toBeUndefined();
  });
});

const tables = tablesHere();

describe('the backlog of 200 logs', () => {
  // No other test adds to these.
  const counted = tablesHere();
  let table: Table;

  beforeAll(async () => {
    table = counted.table('ledger');
    const ledger = awsLedger(table, { clock: frozenClock(), archiveDays: 30 });
    for (let log = 0; log < 200; log += 1) {
      const one = entry(`m${log}`, {
        correlationId: correlation(log),
        acceptedAt: time + 200 - log,
      });
      await ledger.commit(commitOf(one, emptyHead));
    }
  });

  test('is spread over eight partitions of the index, so that none takes a third of the writes', async () => {
    const shares = [];
    for (let shard = 0; shard < 8; shard += 1) {
      const listed = await queryAll(table, {
        IndexName: 'pending',
        KeyConditionExpression: expr`pending_work = ${`log-${shard}`}`,
      });
      shares.push(listed.length);
    }
    expect(shares.reduce((sum, share) => sum + share, 0)).toBe(200);
    expect(Math.max(...shares)).toBeLessThan(67);
    expect(Math.min(...shares)).toBeGreaterThan(0);
  });

  test('lists the longest due first, whatever partition they are in', async () => {
    const backlog = awsBacklog(table);
    const due = await backlog.due(time + 1_000, 50);
    expect(due.map(({ dueAt }) => dueAt)).toEqual(
      Array.from({ length: 50 }, (_, index) => time + 1 + index),
    );
    expect(await backlog.due(time + 3, 50)).toHaveLength(3);
    expect(await backlog.count()).toBe(200);
    expect(await backlog.unsentSince(10)).toBe(time + 1);
  });

  test('is the end of the archive too, which is read page by page, the newest first', async () => {
    const tail = awsArchiveTail(table);
    let before: string | undefined;
    for (let page = 0; page < 3; page += 1) {
      const range = { workspace, from: time, to: time + 1_000, ...(before ? { before } : {}) };
      const { summaries, next } = await tail.latest(range, 50);
      const expected = Array.from({ length: 50 }, (_, index) => `m${50 * page + index}`);
      expect(summaries.map(({ messageId }) => messageId)).toEqual(expected);
      before = next;
    }
  });
});

test('a message_id is free again from the second in which its time is over', async () => {
  const ledger = awsLedger(tables.table('ledger'), { clock: frozenClock(), archiveDays: 30 });
  const commitAt = (log: number, acceptedAt: number) =>
    ledger.commit(
      commitOf(entry('again', { correlationId: correlation(log), acceptedAt }), emptyHead),
    );
  expect(await commitAt(901, time)).toBeUndefined();
  const end = time + limits.idempotencySeconds * 1000;
  expect(await commitAt(902, end - 1_000)).toMatchObject({ id: true });
  expect(await commitAt(902, end)).toBeUndefined();
});

test('a head names the entries that expired unsent, and a log that does not exist gets no head', async () => {
  const table = tables.table('ledger');
  const log = awsLog(table);
  const one = entry('expired', { correlationId: correlation(900) });
  const ledger = awsLedger(table, { clock: frozenClock(), archiveDays: 30 });
  expect(await ledger.commit(commitOf(one, emptyHead))).toBeUndefined();
  await log.markExpired(one, 1);
  await log.markExpired(one, 2);
  const unknown = { ...one, correlationId: 'unknown' };
  await log.markExpired(unknown, 1);
  const head = await getItem(table, { Key: headKey(one), ConsistentRead: true });
  expect(head?.['expired']).toEqual(new Set([1, 2]));
  expect(await log.head(unknown)).toEqual(emptyHead);
});

test('a head names the first entries that expired unsent, and no more than it has room for', async () => {
  const table = tables.table('ledger');
  const log = awsLog(table);
  const one = entry('many-expired', { correlationId: correlation(903) });
  const ledger = awsLedger(table, { clock: frozenClock(), archiveDays: 30 });
  expect(await ledger.commit(commitOf(one, emptyHead))).toBeUndefined();
  const numbers = Array.from({ length: limits.lostNumbers + 2 }, (_, index) => index + 1);
  for (const number of numbers) await log.markExpired(one, number);
  const head = await getItem(table, { Key: headKey(one), ConsistentRead: true });
  expect(head?.['expired']).toEqual(new Set(numbers.slice(0, limits.lostNumbers)));
});

test('the log of a sender is read consistently', async () => {
  const { table, asked } = tableInTurn({}, { Items: [] });
  const log = { workspace, correlationId: 'unknown' };
  expect(await awsLog(table).head(log)).toEqual(emptyHead);
  expect(await awsLog(table).entries(log, 1, 2)).toEqual([]);
  expect(asked).toMatchObject([
    ['GetItemCommand', { ConsistentRead: true }],
    ['QueryCommand', { ConsistentRead: true }],
  ]);
});

test('what is recorded of targets is told with their message, and brings back no entry', async () => {
  const table = tables.table('ledger');
  const log = awsLog(table);
  const connections = ['c333333333333', 'c444444444444', 'c555555555555', 'c666666666666'];
  const targets = connections.map(connection => ({
    connection,
    queue: `sombus-${connection}.fifo`,
  }));
  const one = entry('recorded', { correlationId: correlation(904), targets });
  const ledger = awsLedger(table, { clock: frozenClock(), archiveDays: 30 });
  expect(await ledger.commit(commitOf(one, emptyHead))).toBeUndefined();
  await log.markSkipped(one, ['c333333333333']);
  await log.markSkipped(one, ['c333333333333', 'c555555555555']);
  await log.markDelivered(one, ['c444444444444']);
  expect(await awsAcceptances(table).find(workspace, 'recorded')).toEqual({
    // Those that do not have it yet.
    entry: { ...one, targets: [targets[0], targets[2], targets[3]] },
    placements: [
      { connection: 'c333333333333', state: 'skipped' },
      { connection: 'c444444444444', state: 'queued' },
      { connection: 'c555555555555', state: 'skipped' },
      { connection: 'c666666666666', state: 'waiting' },
    ],
    firstUnsent: 'recorded',
  });
  const gone = { ...one, number: 2 };
  await log.markSkipped(gone, ['c333333333333']);
  await log.markDelivered(gone, ['c444444444444']);
  expect(await getItem(table, { Key: entryKey(one, 2), ConsistentRead: true })).toBeUndefined();
});
