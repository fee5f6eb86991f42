import type { Connection } from '../../../lib/access/registry/connection.ts';
import {
  frontLimits,
  type QueueFront,
  queueFront,
  type UnknownFront,
} from '../../../lib/bus/replay/queue-front.ts';
import { type QueueViewPorts, unsentTo, viewQueue } from '../../../lib/bus/replay/queue-view.ts';
import { nextCopy, unknownWords } from '../../../lib/bus/replay/skip-next.ts';
import { limits } from '../../../lib/contract/limits.ts';
import { commitWithoutLease, correlation, entry } from '../../support/entries.ts';
import { type Bus, startBus, workspace } from '../activity/bus.ts';

let bus: Bus;
let consumer: Connection;

const portsWith = (change: Partial<QueueViewPorts> = {}): QueueViewPorts => ({
  ...bus.ports,
  connections: {
    find: async wanted => {
      const connection = bus.connections.get(wanted);
      return connection && { connection, credential: { version: 1 } };
    },
  },
  ...change,
});

const look = (id = consumer.id) => viewQueue(portsWith(), id);

const frontWith = async (change: Partial<QueueViewPorts> = {}): Promise<QueueFront> => {
  const ports = portsWith(change);
  return queueFront(ports, consumer, await unsentTo(ports, consumer));
};

const idsOf = ({ copies }: QueueFront): readonly string[] =>
  copies.map(({ entry: { messageId } }) => messageId);

const nextOf = ({ copies }: QueueFront): readonly string[] =>
  copies.filter(({ isNext }) => isNext).map(({ entry: { messageId } }) => messageId);

const view = async () => {
  const seen = await look();
  if ('kind' in seen) throw new Error(seen.reason);
  const unsent = seen.unsent.map(({ messageId }) => messageId);
  return { sent: idsOf(seen.front), unsent, unknown: seen.unknown };
};

/** Publishes so many messages of a correlation, one after the other. */
const published = async (
  count: number,
  { of = 1, milliseconds = 1 }: { readonly of?: number; readonly milliseconds?: number } = {},
): Promise<readonly string[]> => {
  const ids: string[] = [];
  for (let number = 1; number <= count; number += 1) {
    bus.clock.advance(milliseconds);
    ids.push(await bus.publish(correlation(of)));
  }
  return ids;
};

beforeEach(async () => {
  bus = await startBus();
  consumer = await bus.addConsumer('cbbbbbbbbbbbb');
});
afterEach(() => bus.close());

const options = { max: 2, waitSeconds: 0, visibilitySeconds: 60 };
const minute = 60_000;

test('shows what waits in the ledger apart: its correlation is blocked', async () => {
  const [first = '', second = ''] = [...(await published(1)), ...(await published(1, { of: 2 }))];
  const log = { workspace, correlationId: correlation(2) };
  for (const number of [2, 3]) {
    const targets = [{ connection: consumer.id, queue: consumer.queue ?? '' }];
    const one = entry(`waits-${number}`, { ...log, number, targets, acceptedAt: bus.clock.now() });
    await bus.ports.ledger.commit(commitWithoutLease(one, await bus.ports.log.head(log)));
  }
  expect(await view()).toEqual({ sent: [first, second], unsent: ['waits-2', 'waits-3'] });
});

test('knows the oldest of a queue however many messages wait, and reads the same', async () => {
  const [oldest = ''] = await published(1);
  await published(850, { milliseconds: 2 });
  const reads = async () => {
    const before = bus.reads();
    const seen = await look();
    if ('kind' in seen) throw new Error(seen.reason);
    expect([seen.visible, seen.oldest?.entry.messageId]).toEqual([851, oldest]);
    return bus.reads() - before;
  };
  expect(await reads()).toBeLessThanOrEqual(12);
  const age = Math.floor((2 * 850) / 1000);
  expect(await bus.backlog(consumer)).toMatchObject({ visible: 851, oldestSeconds: age });
});

test('an empty queue is not looked into', async () => {
  const ids = await published(3);
  const pulled = await bus.pull(consumer, { ...options, max: 10 });
  await bus.acknowledge(
    consumer,
    pulled.map(({ receiptHandle }) => receiptHandle),
  );
  expect(pulled.map(({ messageId }) => messageId)).toEqual(ids);
  const before = bus.calls.length;
  expect(await bus.backlog(consumer)).toEqual({ visible: 0, inFlight: 0, blocked: [] });
  const asked = bus.calls.slice(before).map(({ name }) => name);
  expect(asked).not.toContain('BatchGetItemCommand');
});

test('what was acknowledged is not in the queue any more, and what a replay sent is', async () => {
  const [first = ''] = await published(1);
  const [second = ''] = await published(1, { of: 2 });
  const pulled = await bus.pull(consumer, { ...options, max: 10 });
  await bus.acknowledge(
    consumer,
    pulled.slice(1).map(({ receiptHandle }) => receiptHandle),
  );
  expect((await view()).sent).toEqual([first]);
  await bus.replay(consumer, second, 'y1');
  expect((await view()).sent).toEqual([first, second]);
});

test('a message that went to one queue while another one is broken is in the first', async () => {
  const log = { workspace, correlationId: correlation(1) };
  const targets = [consumer.id, 'cccccccccccca'].map(id => ({
    connection: id,
    queue: `${id}.fifo`,
  }));
  const one = entry('went-to-one', { ...log, targets, acceptedAt: bus.clock.now() });
  await bus.ports.ledger.commit(commitWithoutLease(one, await bus.ports.log.head(log)));
  await bus.ports.log.markDelivered(one, [consumer.id]);
  const queueAges = { heldSince: async () => bus.clock.now() };
  const front = await frontWith({ queueAges });
  expect(await unsentTo(bus.ports, consumer)).toEqual([]);
  expect(nextOf(front)).toEqual(['went-to-one']);
});

test('messages that were accepted in many different minutes are all known', async () => {
  const ids = await published(60, { milliseconds: minute });
  const front = await frontWith();
  expect([idsOf(front), front.unknown]).toEqual([ids.slice(0, frontLimits.copies), undefined]);
});

describe('a message that is received again and again', () => {
  const stuckFor = async (times: number) => {
    for (let time = 0; time < times; time += 1) {
      await bus.pull(consumer, { ...options, max: 1, visibilitySeconds: 10 });
      bus.clock.advance(11_000);
    }
  };

  test('stays the next one, although its queue leaves it out of its age', async () => {
    const [stuck = '', behind = ''] = await published(2, { milliseconds: minute });
    await stuckFor(3);
    const from = bus.clock.now() - minute;
    const queueAges = { heldSince: async () => from };
    const front = await frontWith({ queueAges });
    expect([idsOf(front), nextOf(front)]).toEqual([[stuck, behind], [stuck]]);
    const ports = portsWith({ queueAges });
    expect(await nextCopy(ports, consumer, { messageId: behind })).toMatchObject({
      kind: 'declined',
      isChanged: true,
      reason: expect.stringContaining(stuck),
    });
    expect(await nextCopy(ports, consumer, { messageId: stuck })).toMatchObject({
      isNext: true,
      receives: 3,
    });
  });

  test('stays before the copies of a replay, too', async () => {
    const [early = ''] = await published(1);
    const [receipt] = await bus.pull(consumer, { ...options, max: 1 });
    await bus.acknowledge(consumer, [receipt?.receiptHandle ?? '']);
    const [stuck = ''] = await published(1, { milliseconds: minute });
    await stuckFor(3);
    await bus.replay(consumer, early, 'y1');
    const from = bus.clock.now() - 1;
    const front = await frontWith({ queueAges: { heldSince: async () => from } });
    expect([idsOf(front), nextOf(front)]).toEqual([[stuck, early], [stuck]]);
  });

  test('received only twice, it would count: it has left the queue', async () => {
    const [, behind = ''] = await published(2, { milliseconds: minute });
    await stuckFor(2);
    const from = bus.clock.now() - minute;
    const front = await frontWith({ queueAges: { heldSince: async () => from } });
    expect([idsOf(front), nextOf(front)]).toEqual([[behind], [behind]]);
  });
});

describe('what is next is not known', () => {
  const reasons: readonly (readonly [UnknownFront, () => Promise<Partial<QueueViewPorts>>])[] = [
    [
      'cloud_role',
      async () => ({
        principals: {
          list: async () => [
            {
              scope: workspace,
              roleArn: 'arn:aws:iam::111122223333:role/reader',
              connection: consumer.id,
              status: 'verified',
              id: 'p222222222222',
              createdAt: '2026-05-04T09:00:00Z',
            },
          ],
        },
      }),
    ],
    [
      'many_records',
      async () => ({
        history: {
          ...bus.ports.history,
          copyRecords: async (...asked) => ({
            ...(await bus.ports.history.copyRecords(...asked)),
            isWhole: false,
          }),
        },
      }),
    ],
    ['no_age', async () => ({ queueAges: { heldSince: async () => undefined } })],
    [
      'many_replays',
      async () => {
        const [early = ''] = await published(1, { of: 3 });
        for (let at = 0; at <= frontLimits.replays; at += 1)
          await bus.replay(consumer, early, `y${at}`);
        return {};
      },
    ],
    [
      'far_replay',
      async () => {
        const early = await published(frontLimits.page * frontLimits.replayPages, { of: 4 });
        await bus.replay(consumer, early[0] ?? '', 'y1');
        const found = await bus.ports.replays.find('y1');
        if (!found) throw new Error('The replay is there.');
        const to = bus.clock.now() + 1;
        return {
          // It sent all of them, and the first ones were acknowledged.
          replays: { findAll: async () => [{ ...found, to, sent: early.length }] },
          history: {
            ...bus.ports.history,
            copyRecords: async (...asked) => ({
              ...(await bus.ports.history.copyRecords(...asked)),
              replays: [],
            }),
          },
        };
      },
    ],
    [
      'long_story',
      async () => {
        bus.connections.delete(consumer.id);
        await published(frontLimits.before + 1, { of: 5 });
        bus.connections.set(consumer.id, consumer);
        await published(1, { of: 5, milliseconds: 10 * minute });
        // All before it has left the queue.
        const from = bus.clock.now();
        return { queueAges: { heldSince: async () => from } };
      },
    ],
  ];

  test('each reason has a row here, and a sentence', () => {
    expect(reasons.map(([reason]) => reason)).toEqual(Object.keys(unknownWords));
  });

  test.each(reasons)('%s', async (reason, change) => {
    const [head = ''] = await published(1);
    expect((await frontWith()).unknown).toBeUndefined();
    const changed = await change();
    expect((await frontWith(changed)).unknown).toBe(reason);
    expect(await nextCopy(portsWith(changed), consumer, { messageId: head })).toEqual({
      kind: 'declined',
      reason: `Nothing was skipped: the bus cannot know what is delivered next. ${unknownWords[reason]}`,
    });
  });

  test('more records of a minute than are read at once are told', async () => {
    const [held = ''] = await published(1);
    const acceptedAt = bus.clock.now();
    // Random texts do not compress: a record has more than a hundred kilobytes.
    const pull = () => Array.from({ length: 4_000 }, () => Math.random().toString(36)).join('');
    const pages = limits.handledPages.ofConsumer;
    for (let record = 0; record < 40 * pages; record += 1) {
      bus.clock.advance(1);
      await bus.recordReceive(consumer.id, { messageId: held, acceptedAt, pull: pull() });
    }
    expect((await frontWith()).unknown).toBe('many_records');
  });
});

test('without an age, all is known if as many copies are found as the queue says it holds', async () => {
  const [oldest = ''] = await published(2);
  const ports = portsWith({ queueAges: { heldSince: async () => undefined } });
  const seen = await viewQueue(ports, consumer.id);
  if ('kind' in seen) throw new Error(seen.reason);
  expect([seen.oldest?.entry.messageId, seen.unknown]).toEqual([oldest, undefined]);
  const more = { depth: async () => ({ visible: 3, inFlight: 0 }) };
  expect(await viewQueue({ ...ports, depths: more }, consumer.id)).toMatchObject({
    unknown: 'no_age',
  });
});

test('declines a connection that does not exist, or whose queue is gone', async () => {
  expect(await look('c999999999999')).toMatchObject({ kind: 'declined' });
  bus.connections.set(consumer.id, { ...consumer, queue: 'gone.fifo' });
  expect(await look()).toMatchObject({ reason: expect.stringContaining('does not exist') });
});
