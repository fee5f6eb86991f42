import { awsCounts } from '../../../lib/bus/activity/count-history.dynamodb.ts';
import { countingIn } from '../../../lib/bus/activity/counts.dynamodb.ts';
import type { Receive } from '../../../lib/bus/activity/records.ts';
import { expr } from '../../../lib/platform/aws/expression.ts';
import { deleteItem, type Item, queryAll } from '../../../lib/platform/aws/table.ts';
import { tablesHere } from '../../support/local-aws.ts';

const tables = tablesHere();

const at = (text: string): number => Date.parse(`2026-05-04T${text}Z`);
const day = '2026-05-04';
const nineDays = 9 * 86_400;

/** A receive, of which only the time is counted. */
const receiveOf = (acceptedAt: number): Receive => ({
  messageId: 'm1',
  messageType: 'link.committed',
  correlationId: 'k1',
  acceptedAt,
  pull: 'pull-1',
  takenAt: acceptedAt,
  visibleAt: acceptedAt,
  receiveCount: 1,
});

let made = 0;
/** A workspace of a test's own. */
const here = () => {
  made += 1;
  const workspace = `w${made}`;
  const table = tables.table('activity');
  const count = countingIn(table);
  const deed = (time: number, connection = 'c1') => ({ workspace, connection, at: time });
  const itemsOf = (pk: string): Promise<readonly Item[]> =>
    queryAll(table, { ConsistentRead: true, KeyConditionExpression: expr`pk = ${pk}` });
  return {
    workspace,
    history: awsCounts(table),
    count,
    received: (time: number, receives: number) =>
      count({
        ...deed(time),
        kind: 'received',
        receives: Array.from({ length: receives }, () => receiveOf(time)),
      }),
    limited: (time: number, requests: number, connection?: string) =>
      count({ ...deed(time, connection), kind: 'limited', requests }),
    acknowledged: (time: number, acceptedAt: readonly number[]) =>
      count({ ...deed(time), kind: 'acknowledged', receives: acceptedAt.map(receiveOf) }),
    counts: () => itemsOf(`COUNTS#${workspace}#${day}`),
    rolls: () => itemsOf(`ROLLS#${workspace}`),
    forgetCounts: async () => {
      for (const { pk, sk } of await itemsOf(`COUNTS#${workspace}#${day}`))
        await deleteItem(table, { Key: { pk, sk } });
    },
  };
};

const wholeDay = { from: at('00:00:00'), to: at('23:59:59') };

test('what was counted in a minute is told with it, and kept for nine days', async () => {
  const bus = here();
  await bus.limited(at('09:07:59'), 3);
  await bus.limited(at('09:08:00'), 1);
  await bus.limited(at('10:00:00'), 2, 'c2');
  const empty = { latencies: [] };
  expect(await bus.history.hours(bus.workspace, wholeDay)).toEqual({
    isComplete: true,
    hours: [
      {
        ...empty,
        connection: 'c1',
        hour: at('09:00:00'),
        counts: [
          { counter: 'limited', minute: 7, count: 3 },
          { counter: 'limited', minute: 8, count: 1 },
        ],
      },
      {
        ...empty,
        connection: 'c2',
        hour: at('10:00:00'),
        counts: [{ counter: 'limited', minute: 0, count: 2 }],
      },
    ],
  });
  const ends = (await bus.counts()).map(({ expires_at }) => expires_at);
  expect(ends).toEqual([at('09:08:00') / 1000 + nineDays, at('10:00:00') / 1000 + nineDays]);
});

test('only the hours that are asked for are read', async () => {
  const bus = here();
  for (const time of ['08:59:59', '09:00:00', '11:30:00']) await bus.limited(at(time), 1);
  const range = { from: at('09:20:00'), to: at('12:00:00') };
  const { hours } = await bus.history.hours(bus.workspace, range);
  expect(hours.map(({ hour }) => hour)).toEqual([at('09:00:00'), at('11:00:00')]);
});

test('what comes while another is written is added to it, and the latest moment stays', async () => {
  const bus = here();
  await Promise.all([
    bus.received(at('09:07:02'), 2),
    bus.received(at('09:07:04'), 3),
    bus.received(at('09:07:03'), 4),
  ]);
  expect((await bus.history.hours(bus.workspace, wholeDay)).hours).toMatchObject([
    { counts: [{ counter: 'pulled', minute: 7, count: 9 }], pullAt: at('09:07:04') },
  ]);
});

test('the time from accepted to acknowledged is counted by buckets, each five minutes', async () => {
  const bus = here();
  const time = at('09:09:59');
  await bus.acknowledged(time, [time - 10, time - 11, time - 86_400_000, time - 86_400_001]);
  expect((await bus.history.hours(bus.workspace, wholeDay)).hours).toMatchObject([
    {
      latencies: [
        { bucket: 0, minute: 5, count: 1 },
        { bucket: 1, minute: 5, count: 1 },
        { bucket: 16, minute: 5, count: 1 },
        { bucket: 17, minute: 5, count: 1 },
      ],
      ackAt: time,
      frontAt: time - 10,
    },
  ]);
});

test('of empty pulls one a minute is written, and every one that brings something', async () => {
  const bus = here();
  const pulledAt = async () =>
    (await bus.history.hours(bus.workspace, wholeDay)).hours.map(({ pullAt }) => pullAt);
  await bus.received(at('09:00:00'), 0);
  await bus.received(at('09:00:59'), 0);
  expect(await pulledAt()).toEqual([at('09:00:00')]);
  await bus.received(at('09:00:59'), 1);
  expect(await pulledAt()).toEqual([at('09:00:59')]);
  await bus.received(at('09:01:00'), 0);
  expect(await pulledAt()).toEqual([at('09:01:00')]);
});

describe('a day', () => {
  const counted = async () => {
    const bus = here();
    await bus.limited(at('05:10:00'), 1);
    await bus.limited(at('05:50:00'), 2);
    await bus.limited(at('23:59:00'), 4);
    return bus;
  };
  const sums = [
    { hour: at('05:00:00'), counts: [{ counter: 'limited', minute: 0, count: 3 }] },
    { hour: at('23:00:00'), counts: [{ counter: 'limited', minute: 0, count: 4 }] },
  ];
  const midnight = at('00:00:00') + 86_400_000;
  const until = (to: number) => ({ from: at('00:00:00'), to });

  test('is told by the hour, and summed up once it is five minutes over', async () => {
    const bus = await counted();
    const before = await bus.history.days(bus.workspace, until(midnight + 300_000));
    expect(before).toMatchObject({ isComplete: true, hours: sums });
    expect(await bus.rolls()).toEqual([]);
    expect(await bus.history.days(bus.workspace, until(midnight + 300_001))).toEqual(before);
    expect((await bus.rolls()).map(({ sk }) => sk)).toEqual([`${day}#0`, `${day}#3`]);
  });

  test('that was summed up is read from its sums alone, which are kept for nine days', async () => {
    const bus = await counted();
    const range = until(midnight + 3_600_000);
    const before = await bus.history.days(bus.workspace, range);
    const ends = (await bus.rolls()).map(({ expires_at }) => expires_at);
    const end = at('00:00:00') / 1000 + nineDays;
    expect(ends).toEqual([end, end]);
    await bus.forgetCounts();
    expect(await bus.history.days(bus.workspace, range)).toEqual(before);
    expect(before).toMatchObject({ isComplete: true, hours: sums });
  });

  test('in which nothing was counted is summed up too', async () => {
    const bus = here();
    const range = until(midnight + 3_600_000);
    expect(await bus.history.days(bus.workspace, range)).toEqual({ isComplete: true, hours: [] });
    expect((await bus.rolls()).map(({ sk }) => sk)).toEqual([`${day}#0`]);
  });
});
