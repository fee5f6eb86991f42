import { randomUUID } from 'node:crypto';
import type { PulledMessage } from '../../lib/kit/client/index.ts';
import type { TestConnection } from '../../lib/local/testing/api.ts';
import { checkedBusHere } from './checked-bus.ts';

const bus = checkedBusHere();

/** A system that commits a link for each story that it is told of, once. */
const committing = (
  consumer: TestConnection,
  producer: TestConnection,
  react: (message: PulledMessage['message'], links: number) => readonly object[],
) => {
  const known = new Set<string>();
  const publish = async (message: PulledMessage['message'], change: object): Promise<void> => {
    const link = producer.compose({
      message_type: 'link.committed',
      cause: message,
      payload: {
        message_type: 'link.committed',
        link_id: randomUUID(),
        asset_id: 'clip-1',
        destination_id: 'bulletin',
        committed_by: 'desk',
        committed_at: message.timestamp,
        compliance_gate_status: 'PENDING',
      },
    });
    await producer.publish(JSON.stringify({ ...link, ...change }));
  };
  return {
    async work(): Promise<void> {
      const pulled = await consumer.pull({ wait: 0 });
      if (pulled.outcome !== 'pulled') return;
      for (const { message, receiptHandle } of pulled.messages) {
        const changes = known.has(message.message_id) ? [] : react(message, known.size);
        known.add(message.message_id);
        for (const change of changes) await publish(message, change);
        await consumer.ack([receiptHandle]);
      }
    },
  };
};

/** What a run says of the reactions of such a system. */
const judged = async (
  react: Parameters<typeof committing>[2],
  named: { readonly reaction?: string } = {},
) => {
  const consumer = await bus.connect('consumer', { receives: ['story.context'] });
  const producer = await bus.connect('producer');
  const id = await bus.begin({
    kind: 'consumer',
    consumer: consumer.id,
    producer: producer.id,
    ...named,
    cases: ['delivery/duplicate', 'delivery/order', 'reactions'],
  });
  const report = await bus.finish(id, committing(consumer, producer, react));
  return Object.fromEntries(report.cases.map(({ case_id, verdict }) => [case_id, verdict]));
};

test('a system that reacts once to each message passes, whether its reaction is named or not', async () => {
  const expected = {
    'delivery/duplicate': 'passed',
    'delivery/order': 'passed',
    'reactions/once': 'passed',
    // Nobody stopped it.
    'reactions/after-crash': 'not run',
    'reactions/acts-first': 'passed',
    'reactions/correlation': 'passed',
    'reactions/own-system': 'passed',
    'reactions/in-time': 'passed',
  };
  expect(await judged(() => [{}])).toEqual(expected);
  expect(await judged(() => [{}], { reaction: 'link.committed' })).toEqual(expected);
});

test('one that reacts twice, or under another correlation, fails', async () => {
  expect(await judged(() => [{}, { message_id: randomUUID() }])).toMatchObject({
    'reactions/once': 'failed',
    'reactions/correlation': 'passed',
  });
  expect(
    await judged((_message, links) => (links === 2 ? [{ correlation_id: randomUUID() }] : [{}])),
  ).toMatchObject({ 'reactions/once': 'passed', 'reactions/correlation': 'failed' });
});

test('a reaction needs a producer, and only a consumer has one', async () => {
  const consumer = await bus.connect('consumer', { receives: ['story.context'] });
  const cases = ['reactions'];
  const without = await bus.start({ kind: 'consumer', consumer: consumer.id, cases });
  expect(without).toMatchObject({ reason: expect.stringContaining('There is no case') });
});
