import { connect, Unanswered } from '../../lib/client/index.ts';
import type { TestConnection } from '../../lib/testing/index.ts';
import { checkedBus } from './checked-bus.ts';
import { referenceProducer } from './planted/reference-producer.ts';

let bus: Awaited<ReturnType<typeof checkedBus>>;
beforeAll(async () => {
  bus = await checkedBus();
});
afterAll(() => bus.close());

/** The reference producer on a real bus: whatever it waits for, the bus's clock turns on. */
const producerOn = (connection: TestConnection, system: string) =>
  referenceProducer({
    connect,
    Unanswered,
    secret: () => connection.secret,
    options: {
      ...connection.options,
      system: { system_id: system, system_type: 'ncs' },
      outside: {
        now: () => bus.clock.now(),
        sleep: async milliseconds => bus.clock.turn(milliseconds),
        random: () => 0.5,
      },
    },
    now: () => bus.clock.now(),
    sleep: async milliseconds => bus.clock.turn(milliseconds),
  });

/** Lets time pass until something is done: the bus itself waits when it is to be slow. */
const whileTimePasses = async (work: Promise<void>): Promise<void> => {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    bus.clock.turn(100);
    await fetch(`${bus.service.baseUrl}/health`);
  }
  await done;
};

test('the reference producer passes a run, and its report says how much of SOM it has used', async () => {
  const connection = await bus.connect('producer');
  const system = (await bus.ports.connections.find(connection.id))?.connection.systemIds[0] ?? '';
  const producer = producerOn(connection, system);
  const messageTypes = ['link.committed', 'story.context', 'telling.started'];
  const cases = [
    'messages',
    'stories',
    ...['rate-limited', 'lost-answer', 'token-ended'].map(name => `retries/${name}`),
  ];
  const id = await bus.begin({ kind: 'producer', producer: connection.id, messageTypes, cases });
  let hasWorked = false;
  const report = await bus.finish(id, {
    async work() {
      if (hasWorked) return whileTimePasses(producer.next());
      hasWorked = true;
      await whileTimePasses(producer.work().then(producer.slip));
    },
  });
  expect(report.cases.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
  expect(report.passed).toBe(true);
  expect(report.coverage?.rows).toContainEqual(
    expect.objectContaining({ message_type: 'story.context', member: 'assets[].status', seen: true }),
  );
});

test('a consumer that acknowledges what it gets passes a run', async () => {
  const connection = await bus.connect('consumer', { receives: ['*'] });
  const groups = ['messages', 'later-versions', 'texts', 'subscriptions'];
  const deliveries = ['duplicate', 'order', 'in-time', 'nothing-left', 'after-silence', 'crash'];
  const cases = [...groups, ...deliveries.map(name => `delivery/${name}`)];
  const id = await bus.begin({ kind: 'consumer', consumer: connection.id, cases });
  const report = await bus.finish(id, {
    async work() {
      for await (const delivery of connection.consume({ wait: 0, untilEmpty: true })) await delivery.ack();
    },
  });
  const notRun = report.cases.filter(({ verdict }) => verdict === 'not run').map(one => one.case_id);
  expect(notRun).toEqual([
    'subscriptions/no-system.audit',
    'subscriptions/no-telling.exposed',
    'delivery/crash',
  ]);
  expect(report.cases.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
  expect(report.passed).toBe(true);
});
