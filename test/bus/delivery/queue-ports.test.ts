import { type QueuePorts, queueEngines, type Running } from '../../support/engines.ts';
import { correlation, entry, time } from '../../support/entries.ts';

const clock = { now: time };
const options = { max: 10, waitSeconds: 0, visibilitySeconds: 60 };

describe.each(queueEngines.map(engine => [engine.name, engine] as const))(
  'on %s',
  (_name, engine) => {
    let running: Running<QueuePorts>;
    let queue = '';
    let made = 0;

    beforeAll(async () => {
      const started = await engine.start(clock);
      if (!started) throw new Error('This engine should be available everywhere.');
      running = started;
    });
    afterAll(() => running.close());
    beforeEach(async () => {
      made += 1;
      queue = `sombus-test-${made}.fifo`;
      await running.ports.queueAdmin.create(queue);
    });

    const one = (index: number) =>
      entry(`m${index}`, { number: index, correlationId: correlation(1) });
    const receive = () => {
      made += 1;
      return running.ports.inbox.receive(queue, options, `attempt-${made}`);
    };
    const ids = async () => (await receive()).map(({ messageId }) => messageId);

    test('messages are received in the order of the sends, with their attributes and exact text', async () => {
      const { queues } = running.ports;
      for (const index of [1, 2, 3]) expect(await queues.send(queue, one(index))).toBe('sent');
      const received = await receive();
      expect(received.map(({ messageId }) => messageId)).toEqual(['m1', 'm2', 'm3']);
      expect(received[0]).toEqual({
        receiptHandle: expect.any(String),
        messageId: 'm1',
        messageType: 'link.committed',
        correlationId: correlation(1),
        producer: 'c222222222222',
        systemId: 'demo-ncs',
        enqueuedAt: time,
        receiveCount: 1,
        body: '{"é": "m1"}\r\n',
      });
    });

    test('a repeated send is accepted once, plus once for each replay', async () => {
      const { queues } = running.ports;
      for (const replay of [undefined, undefined, 'y1', 'y1', 'y2'])
        await queues.send(queue, one(1), replay);
      expect(await ids()).toEqual(['m1', 'm1', 'm1']);
    });

    test('a queue that was removed is gone', async () => {
      await running.ports.queueAdmin.remove(queue);
      expect(await running.ports.queues.send(queue, one(1))).toBe('gone');
    });

    test('deleted messages are not redelivered; released ones are, in order', async () => {
      const { queues, inbox } = running.ports;
      for (const index of [1, 2, 3]) await queues.send(queue, one(index));
      const [first, second, third] = (await receive()).map(({ receiptHandle }) => receiptHandle);
      if (!first || !second || !third) throw new Error('Three messages were expected.');
      expect(await inbox.delete(queue, [first])).toEqual([]);
      expect(await inbox.release(queue, [third, second], 0)).toEqual([]);
      const again = await receive();
      expect(again.map(({ messageId, receiveCount }) => [messageId, receiveCount])).toEqual([
        ['m2', 2],
        ['m3', 2],
      ]);
      expect(await inbox.delete(queue, [second, third])).toEqual([second, third]);
    });

    test('while one message of a correlation is in flight, no other call gets one of that correlation', async () => {
      const { queues } = running.ports;
      await queues.send(queue, one(1));
      expect(await ids()).toEqual(['m1']);
      await queues.send(queue, one(2));
      await queues.send(queue, entry('other', { correlationId: correlation(2) }));
      expect(await ids()).toEqual(['other']);
    });
  },
);
