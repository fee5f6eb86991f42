import type { TestConnection } from '../../../lib/local/testing/api.ts';
import { TurnableClock } from '../../../lib/local/testing/clock.ts';
import { Inboxes } from '../../../lib/local/testing/expectation.ts';

const messageOf = (id: string, payload: object) => ({
  messageId: id,
  messageType: 'link.committed',
  receiptHandle: `handle-${id}`,
  message: { message_id: id, message_type: 'link.committed', payload },
});

/** A consumer that gets these messages with its first pull, and then none. */
const consumerWith = (...messages: readonly ReturnType<typeof messageOf>[]) => {
  const acknowledged: string[] = [];
  const pages = [messages];
  const consumer = {
    id: 'c1',
    pull: async () => ({ outcome: 'pulled', messages: pages.shift() ?? [] }),
    ack: async (handles: readonly string[]) => acknowledged.push(...handles),
  } as unknown as TestConnection;
  const inboxes = new Inboxes(new TurnableClock());
  return { inboxes, consumer, acknowledged };
};

const far = messageOf('m1', { a: 2, b: 2 });
const near = messageOf('m2', { a: 1, b: 2 });
const matcher = { payload: { a: 1, b: 1 } };

test('the message that differs least is compared, and the others are named', async () => {
  const { inboxes, consumer } = consumerWith(far, messageOf('m3', {}), near);
  // All of them came with this one.
  await inboxes.take(consumer, { message_id: 'm3' }, 1_000);
  await expect(inboxes.take(consumer, matcher, 0)).rejects.toThrow(
    [
      '2 messages came within 0, but not the expected one.',
      'The closest is link.committed m2:',
      '  payload.b  expected 1, received 2',
      'Also received:',
      '  link.committed m1',
    ].join('\n'),
  );
});

test('a message is taken once, and acknowledged when it came', async () => {
  const { inboxes, consumer, acknowledged } = consumerWith(far, near);
  const taken = await inboxes.take(consumer, { message_id: 'm2' }, 1_000);
  expect([taken, acknowledged]).toEqual([near, ['handle-m1', 'handle-m2']]);
  await expect(inboxes.take(consumer, { message_id: 'm2' }, 0)).rejects.toThrow('One message came');
  inboxes.clear();
  await expect(inboxes.take(consumer, { message_id: 'm1' }, 0)).rejects.toThrow('No message came');
});
