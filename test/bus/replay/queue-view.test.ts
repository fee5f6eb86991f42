import type { Connection } from '../../../lib/access/registry/connection.ts';
import type { Entry } from '../../../lib/bus/delivery/log.ts';
import { viewQueue } from '../../../lib/bus/replay/queue-view.ts';
import { commitWithoutLease, correlation, entry } from '../../support/entries.ts';
import { type Bus, startBus, workspace } from '../activity/bus.ts';

let bus: Bus;
let consumer: Connection;
const look = (id = consumer.id) => {
  const find = async (wanted: string) => {
    const connection = bus.connections.get(wanted);
    return connection && { connection, credential: { version: 1 } };
  };
  return viewQueue({ ...bus.ports, connections: { find } }, id);
};

const view = async () => {
  const seen = await look();
  if ('kind' in seen) throw new Error(seen.reason);
  const ids = (entries: readonly Entry[]) => entries.map(({ messageId }) => messageId);
  return { sent: ids(seen.sent), unsent: ids(seen.unsent), isCut: seen.isCut };
};

/** Publishes so many messages of a correlation, one after the other. */
const published = async (count: number, index = 1): Promise<readonly string[]> => {
  const ids: string[] = [];
  for (let number = 1; number <= count; number += 1) {
    bus.clock.advance(1);
    ids.push(await bus.publish(correlation(index)));
  }
  return ids;
};

beforeEach(async () => {
  bus = await startBus();
  consumer = await bus.addConsumer('cbbbbbbbbbbbb');
});
afterEach(() => bus.close());

const options = { max: 2, waitSeconds: 0, visibilitySeconds: 60 };

test('without records of acks, shows as many of the last messages as the queue holds, the oldest first', async () => {
  const { queue = '' } = consumer;
  const ids = await published(4);
  // What was sent to others only is left out.
  bus.connections.clear();
  await bus.addConsumer('cccccccccccca');
  await published(2, 2);
  bus.connections.set(consumer.id, consumer);
  const received = await bus.ports.inbox.receive(queue, options, 'attempt');
  await bus.ports.inbox.delete(
    queue,
    received.map(({ receiptHandle }) => receiptHandle),
  );
  expect(await view()).toEqual({ sent: ids.slice(2), unsent: [], isCut: false });
});

test('shows what waits in the ledger apart: its correlation is blocked', async () => {
  const [first = '', second = ''] = [...(await published(1)), ...(await published(1, 2))];
  const log = { workspace, correlationId: correlation(2) };
  for (const number of [2, 3]) {
    const targets = [{ connection: consumer.id, queue: consumer.queue ?? '' }];
    const one = entry(`waits-${number}`, { ...log, number, targets, acceptedAt: bus.clock.now() });
    await bus.ports.ledger.commit(commitWithoutLease(one, await bus.ports.log.head(log)));
  }
  expect(await view()).toEqual({
    sent: [first, second],
    unsent: ['waits-2', 'waits-3'],
    isCut: false,
  });
});

test('looks at no more than eight hundred places of a longer queue, in at most twenty reads', async () => {
  const ids = await published(850);
  const before = bus.reads();
  expect(await view()).toEqual({ sent: ids.slice(50), unsent: [], isCut: true });
  expect(bus.reads() - before).toBeLessThanOrEqual(20);
});

test('what was acknowledged is not in the queue any more, and what a replay sent is', async () => {
  const [first = '', second = ''] = [...(await published(1)), ...(await published(2, 2))];
  const pulled = await bus.pull(consumer, { ...options, max: 10 });
  await bus.acknowledge(
    consumer,
    pulled.slice(1).map(({ receiptHandle }) => receiptHandle),
  );
  expect((await view()).sent).toEqual([first]);
  const found = await bus.ports.acceptances.find(workspace, second);
  if (!found) throw new Error('The message was accepted.');
  await bus.ports.queues.send(consumer.queue ?? '', found.entry, 'y1');
  const replayed = { kind: 'replayed', connection: consumer.id, workspace, replay: 'y1' } as const;
  await bus.ports.recorder.record({ ...replayed, at: bus.clock.now(), messages: [found.entry] });
  expect((await view()).sent).toEqual([first, second]);
});

test('declines a connection that does not exist, or whose queue is gone', async () => {
  expect(await look('c999999999999')).toMatchObject({ kind: 'declined' });
  bus.connections.set(consumer.id, { ...consumer, queue: 'gone.fifo' });
  expect(await look()).toMatchObject({ reason: expect.stringContaining('does not exist') });
});
