import { defineMessages, QueueMessages } from '../../../../lib/local/engines/sqs/messages.ts';
import { openStore, type Store } from '../../../../lib/local/engines/store.ts';

const minute = 60_000;
const retention = 100 * minute;
const start = 1_800_000_000_000;
const packed = { factsBytes: 2, coding: null, content: Buffer.from('{}body') };

/** The messages of queue 7, in a database that also has those of queue 8. */
const scene = () => {
  const store = openStore();
  defineMessages(store);
  const open = (queue = 7) => new QueueMessages(store, queue, retention);
  let messages = open();
  const add = (sequence: number, group: string, sentAt = start, to = messages) =>
    to.add({ sequence, id: `id-${sequence}`, group, sentAt, packed });
  const take = (max: number, now: number, seconds = 30, receipt = 'r') => {
    const taken = messages.available(max, now);
    messages.take(taken, { receipt, hiddenUntil: now + seconds * 1000, now });
    return taken.map(({ sequence }) => sequence);
  };
  return {
    store,
    add,
    take,
    other: open(8),
    get messages() {
      return messages;
    },
    reopen() {
      messages = open();
    },
    available: (now: number, max = 10) => messages.available(max, now).map(one => one.sequence),
    findAll: (now: number) => [...messages.find([1, 2, 3, 4, 5, 6, 7, 8], now).values()],
    rows: (table: string) => store.sql<object>(`SELECT * FROM ${table}`).all(),
  };
};

test('a message is available as it was sent, and says how often it was received', () => {
  const { add, take, messages } = scene();
  add(5, 'a');
  const sent = {
    ...{ sequence: 5, id: 'id-5', groupId: 5, group: 'a', sentAt: start, readyAt: start },
    ...{ factsBytes: 2, coding: null, content: new Uint8Array(packed.content) },
  };
  expect(messages.available(10, start)).toEqual([{ ...sent, receives: null, firstTakenAt: null }]);
  take(10, start + 1);
  take(10, start + 1 + 30_000);
  expect(messages.available(10, start + minute)).toEqual([]);
  const readyAt = start + 1 + minute;
  const again = { ...sent, readyAt, firstTakenAt: start + 1 };
  expect(messages.available(10, readyAt)).toEqual([{ ...again, receives: 2 }]);
  // As it was handed out the last time, whether or not it is visible.
  expect(messages.received([5])).toEqual([{ ...again, receives: 1 }]);
});

test('the group that waits longest comes first, with its messages in order, up to a maximum', () => {
  const { add, available, other } = scene();
  add(1, 'b', start);
  add(2, 'a', start + 1);
  add(3, 'b', start + 2);
  add(4, 'a', start + 3, other);
  add(5, 'a', start + 4);
  expect(available(start + 5)).toEqual([1, 3, 2, 5]);
  expect(available(start + 5, 3)).toEqual([1, 3, 2]);
  expect(available(start)).toEqual([1, 3]);
});

test('a receive locks the groups that it took from, until the end of its visibility timeout', () => {
  const { add, take, available, messages } = scene();
  for (const [index, group] of ['a', 'a', 'b', 'b', 'c'].entries()) add(index + 1, group);
  expect(messages.nextChangeAt(start)).toBeUndefined();
  expect(take(3, start)).toEqual([1, 2, 3]);
  expect(available(start)).toEqual([5]);
  expect(messages.nextChangeAt(start)).toBe(start + 30_000);
  expect(available(start + 29_999)).toEqual([5]);
  expect(available(start + 30_000)).toEqual([5, 1, 2, 3, 4]);
  expect(messages.nextChangeAt(start + 30_000)).toBeUndefined();
});

test('with a visibility timeout of 0 a message stays visible, behind those who wait', () => {
  const { add, take, available, findAll } = scene();
  add(1, 'a');
  add(2, 'b');
  expect(take(1, start + 5, 0)).toEqual([1]);
  expect(findAll(start + 5)[0]).toMatchObject({ receipt: 'r', hiddenUntil: 0 });
  expect(available(start + 5)).toEqual([2, 1]);
});

test('messages are found with the receipt of their last receive, and not those of other queues', () => {
  const { add, take, findAll, other } = scene();
  add(1, 'a');
  add(2, 'b');
  add(3, 'a', start, other);
  take(1, start + 5);
  expect(findAll(start + 5)).toEqual([
    { sequence: 1, groupId: 1, receipt: 'r', takenAt: start + 5, hiddenUntil: start + 30_005 },
    { sequence: 2, groupId: 2, receipt: null, takenAt: 0, hiddenUntil: 0 },
  ]);
});

test('messages are found and counted until their retention ends', () => {
  const { add, take, findAll, messages, other } = scene();
  add(1, 'a', start);
  add(2, 'b', start + 1);
  add(3, 'c', start + 2);
  add(4, 'd', start, other);
  take(2, start + 2, 2 * 60 * 60);
  const last = start + retention;
  const seen = (now: number) => [
    findAll(now).length,
    messages.counts(now),
    messages.oldestSentAt(now),
  ];
  expect(seen(last - 1)).toEqual([3, { visible: 1, inFlight: 2 }, start]);
  expect(seen(last)).toEqual([2, { visible: 1, inFlight: 1 }, start + 1]);
  expect(seen(last + 1)).toEqual([1, { visible: 1, inFlight: 0 }, start + 2]);
  expect(seen(last + 2)).toEqual([0, { visible: 0, inFlight: 0 }, undefined]);
});

test('a message counts as in flight until its visibility timeout ends', () => {
  const { add, take, messages } = scene();
  add(1, 'a');
  take(1, start, 30);
  expect(messages.counts(start + 29_999)).toEqual({ visible: 0, inFlight: 1 });
  expect(messages.counts(start + 30_000)).toEqual({ visible: 1, inFlight: 0 });
});

test('to hide a message for longer or shorter moves the time at which its group is ready', () => {
  const { add, take, available, findAll, messages } = scene();
  add(1, 'a');
  add(2, 'a');
  take(2, start, 30);
  const hide = (which: number, until: number, now: number) => {
    const message = findAll(now)[which];
    if (message !== undefined) messages.hide(message, until, now);
  };
  hide(0, start + 50_000, start + 1);
  expect(messages.nextChangeAt(start + 1)).toBe(start + 50_000);
  hide(0, start + 1, start + 1);
  expect(findAll(start + 1).map(({ hiddenUntil }) => hiddenUntil)).toEqual([0, start + 30_000]);
  // The second is still in flight.
  expect(available(start + 29_999)).toEqual([]);
  hide(1, start + 2, start + 3);
  expect(findAll(start + 3).map(({ hiddenUntil }) => hiddenUntil)).toEqual([0, 0]);
  expect(available(start + 3)).toEqual([1, 2]);
});

test('a group that becomes ready early waits from then on, and one that was ready keeps its place', () => {
  const { add, take, available, findAll, messages } = scene();
  add(1, 'a', start);
  add(2, 'b', start + 1);
  add(3, 'b', start + 1);
  add(4, 'c', start + 20_000);
  expect(take(1, start + 1)).toEqual([1]);
  messages.remove(findAll(start + 10_000).slice(1, 2), start + 10_000);
  const [first] = findAll(start + 15_000);
  if (first !== undefined) messages.hide(first, 0, start + 15_000);
  expect(available(start + 20_000)).toEqual([3, 1, 4]);
});

test('a removed message leaves nothing, and the next of its group is ready', () => {
  const { add, take, available, findAll, messages, other, rows } = scene();
  add(1, 'a');
  add(2, 'a');
  add(3, 'b');
  add(4, 'a', start, other);
  take(1, start);
  messages.remove(findAll(start).slice(0, 1), start + 1);
  expect(rows('sqs_messages')).toHaveLength(3);
  expect(rows('sqs_receives')).toEqual([]);
  expect(rows('sqs_groups')).toHaveLength(3);
  expect(available(start + 1)).toEqual([3, 2]);
  messages.remove(findAll(start), start + 1);
  expect(available(start + 1)).toEqual([]);
  expect([rows('sqs_messages').length, rows('sqs_groups').length]).toEqual([1, 1]);
  expect(other.available(10, start).map(one => one.sequence)).toEqual([4]);
});

test('the size follows what is added and removed, and is that of the database', () => {
  const scenery = scene();
  const { add, findAll, other } = scenery;
  const sizes = () => {
    const known = scenery.messages.size;
    scenery.reopen();
    return [known, scenery.messages.size];
  };
  add(1, 'a');
  expect(sizes()).toEqual([1, 1]);
  for (const sequence of [2, 3, 4, 5]) add(sequence, 'a');
  add(6, 'a', start, other);
  expect(sizes()).toEqual([5, 5]);
  scenery.messages.remove(findAll(start).slice(0, 3), start);
  expect(sizes()).toEqual([2, 2]);
});

describe('no more than 120,000 messages are in flight', () => {
  /** So many that were received, as the database has them. */
  const receive = (store: Store, count: number, { queue = 7, from = 1_000_000, until = 0 }) =>
    store
      .sql(
        `INSERT INTO sqs_receives SELECT value, ?, 'r', 1, 0, 0, ? FROM
         (WITH RECURSIVE n(value) AS (SELECT ? UNION ALL SELECT value + 1 FROM n LIMIT ?)
          SELECT value FROM n)`,
      )
      .run(queue, until, from, count);

  test('and further receives are empty, until some are visible again', () => {
    const { add, take, store } = scene();
    const until = start + 10_000;
    receive(store, 119_997, { until });
    receive(store, 10, { from: 2_000_000, until: start });
    receive(store, 10, { from: 3_000_000, queue: 8, until });
    for (const [index, group] of ['a', 'b', 'c', 'd', 'e', 'f'].entries()) add(index + 1, group);
    expect(take(1, start)).toEqual([1]);
    expect(take(3, start)).toEqual([2, 3]);
    expect(take(10, start)).toEqual([]);
    receive(store, 5, { from: 4_000_000, until });
    expect(take(10, start)).toEqual([]);
    expect(take(10, until)).toEqual([4, 5, 6]);
  });

  test('and they are counted only when there may be so many', () => {
    const { add, messages, store } = scene();
    const counted = () => asked.mock.calls.filter(([text]) => text.includes('count(*)')).length;
    add(1, 'a');
    const asked = jest.spyOn(store, 'sql');
    messages.available(10, start);
    expect(counted()).toBe(1);
    const many = messages.available(10, start);
    expect([many.length, counted()]).toEqual([1, 1]);
    // As far as is known then, 119,991 are in flight.
    const all = Array.from({ length: 119_991 }, () => many).flat();
    messages.take(all, { receipt: 'r', hiddenUntil: start, now: start });
    messages.available(9, start);
    expect(counted()).toBe(1);
    messages.available(10, start);
    expect(counted()).toBe(2);
    messages.available(10, start);
    expect(counted()).toBe(2);
  });
});

describe('messages past their retention', () => {
  const last = start + retention;

  test('are removed, with what was received of them, at once when their time has come', () => {
    const { add, take, messages, rows, findAll } = scene();
    add(1, 'a', start);
    add(2, 'b', start + 1);
    take(2, start + 1);
    expect(messages.expire(last - 1)).toBe(true);
    expect(rows('sqs_messages')).toHaveLength(2);
    expect(messages.expire(last)).toBe(true);
    expect(findAll(last - 1).map(({ sequence }) => sequence)).toEqual([2]);
    for (const table of ['sqs_messages', 'sqs_receives', 'sqs_groups'])
      expect(rows(table)).toHaveLength(1);
    expect(messages.expire(last + 1)).toBe(true);
    for (const table of ['sqs_messages', 'sqs_receives', 'sqs_groups'])
      expect(rows(table)).toEqual([]);
  });

  test('are not looked for before the oldest can be among them', () => {
    const { add, messages, store } = scene();
    add(2, 'b', start + 1);
    const changing = jest.spyOn(store, 'transaction');
    messages.expire(start + 1);
    expect(changing).not.toHaveBeenCalled();
    const asked = jest.spyOn(store, 'sql');
    expect(messages.expire(last)).toBe(true);
    expect(asked).not.toHaveBeenCalled();
    messages.expire(last + 1);
    expect(asked).toHaveBeenCalled();
    asked.mockClear();
    // Nothing is left: what comes now is younger than this.
    messages.expire(last + 1 + retention - 1);
    expect(asked).not.toHaveBeenCalled();
    // A clock that was set back.
    add(3, 'b', start);
    messages.expire(last);
    expect(messages.size).toBe(0);
  });

  test('are removed a thousand at a time, and whoever asks is told whether there may be more', () => {
    const { add, messages, store } = scene();
    store.transaction(() => {
      for (let sequence = 1; sequence <= 1_999; sequence += 1) add(sequence, 'a');
    });
    expect([messages.expire(last), messages.size]).toEqual([false, 999]);
    expect([messages.expire(last), messages.size]).toEqual([true, 0]);
  });

  test('are removed all together or not at all', () => {
    const { add, messages, store, rows } = scene();
    add(1, 'a');
    const { sql } = store;
    const failing = jest.spyOn(store, 'sql').mockImplementation(text => {
      if (text.startsWith('DELETE FROM sqs_receives')) throw new Error('disk full');
      return sql(text);
    });
    expect(() => messages.expire(last)).toThrow('disk full');
    failing.mockRestore();
    expect(rows('sqs_messages')).toHaveLength(1);
  });
});
