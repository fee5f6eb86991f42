import { connect, Unanswered } from '../../lib/client/index.ts';
import type { TestConnection } from '../../lib/testing/index.ts';
import { checkedBus } from './checked-bus.ts';
import { referenceProducer } from './planted/reference-producer.ts';

let bus: Awaited<ReturnType<typeof checkedBus>>;
beforeAll(async () => {
  bus = await checkedBus();
});
afterAll(() => bus.close());

type Report = Awaited<ReturnType<typeof bus.report>>;

const verdicts = ({ cases }: Report) => Object.fromEntries(cases.map(one => [one.case_id, one.verdict]));

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

test('the reference producer passes a run, and its report says how much of SOM it has used', async () => {
  const connection = await bus.connect('producer');
  const system = (await bus.ports.connections.find(connection.id))?.connection.systemIds[0] ?? '';
  const producer = producerOn(connection, system);
  const messageTypes = ['link.committed', 'story.context', 'telling.started'];
  const id = await bus.begin({ kind: 'producer', producer: connection.id, messageTypes });
  let hasWorked = false;
  const report = await bus.finish(id, {
    async work() {
      if (hasWorked) return producer.next();
      hasWorked = true;
      await producer.work();
      await producer.slip();
    },
  });
  const { 'retries/secret-rotated': rotated, ...others } = verdicts(report);
  expect(rotated).toBe('not run');
  expect([...new Set(Object.values(others))]).toEqual(['passed']);
  expect(report.passed).toBe(true);
  expect(report.coverage?.rows).toContainEqual(
    expect.objectContaining({ message_type: 'story.context', member: 'assets[].status', seen: true }),
  );
});

test('a consumer that acknowledges what it gets passes a run', async () => {
  const connection = await bus.connect('consumer', { receives: ['*'] });
  const id = await bus.begin({ kind: 'consumer', consumer: connection.id });
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
