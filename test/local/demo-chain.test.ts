import { demoChain, demoTypes } from '../../lib/som/messages/demo-messages.ts';
import { readMessage } from '../../lib/som/messages/read-message.ts';

const chain = demoChain('demo-ncs');
const bytesOf = (message: object) => Buffer.from(JSON.stringify(message));
const payloadOf = (message: object) =>
  (message as { readonly payload: Readonly<Record<string, unknown>> }).payload;

test('the chain has a message of each type, and each is caused by the one before', () => {
  expect(chain.map(({ message_type }) => message_type)).toEqual(demoTypes);
  expect(new Set(demoTypes).size).toBe(10);
  const ids = chain.map(({ message_id }) => message_id);
  expect(new Set(ids).size).toBe(10);
  expect(chain.map(message => message['causation_id'])).toEqual([undefined, ...ids.slice(0, -1)]);
  expect(new Set(chain.map(message => message['correlation_id'])).size).toBe(1);
});

test.each(chain.map(message => [message.message_type, message] as const))(
  '%s is valid, and nothing in it is only tolerated',
  (_type, message) => {
    const read = readMessage(bytesOf(message));
    expect(read).toMatchObject({ ok: true, message: { tolerated: [] } });
    expect(message).toMatchObject({
      som_version: '1.0.0',
      originating_system: { system_id: 'demo-ncs', system_type: 'ncs' },
      topic: expect.stringMatching(/^som\.[a-z]+$/),
      timestamp: expect.stringMatching(/^2026-05-04T09:0\d:00Z$/),
    });
  },
);

test('all messages speak of one story, one link and one telling', () => {
  for (const member of ['story_id', 'link_id', 'telling_id', 'asset_id']) {
    const values = chain.flatMap(message => payloadOf(message)[member] ?? []);
    expect([member, new Set(values).size]).toEqual([member, 1]);
  }
});
