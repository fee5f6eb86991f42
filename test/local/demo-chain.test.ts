import { demoChain, demoTypes } from '../../lib/local/demo-messages.ts';
import { readMessage } from '../../lib/messages/read-message.ts';

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

const link = ['asset_id', 'compliance_gate_status', 'destination_id', 'link_id', 'message_type'];
const telling = ['link_id', 'message_type', 'telling_id'];

test.each([
  [
    'story.context',
    'assets headline lifecycle sequence_number slug story_id story_type updated_at'.split(' '),
  ],
  [
    'skill.warning.raised',
    'affected_fields blocks detail message_type non_overridable rule_id scope severity skill_id skill_version skill_warning_ref story_id warning_id'.split(
      ' ',
    ),
  ],
  [
    'delivery.media_available',
    ['arrived_at', 'arrived_in', 'asset_id', 'delivery_id', 'locator', 'message_type'],
  ],
  ['link.committed', [...link, 'committed_at', 'committed_by']],
  ['link.gate_changed', link],
  ['system.audit', ['action', 'actor', 'audit_id', 'message_type', 'reason', 'recorded_at', 'target']],
  ['telling.started', [...telling, 'exposure_start']],
  ['telling.ended', [...telling, 'exposure_end']],
  ['telling.exposed', [...telling, 'exposure_end', 'exposure_start']],
  ['link.withdrawn', [...link, 'withdrawn']],
])('the payload of %s has what such a message is for', (type, members) => {
  const message = chain.find(({ message_type }) => message_type === type) ?? {};
  expect(Object.keys(payloadOf(message)).sort()).toEqual([...members].sort());
});

test('all messages speak of one story, one link and one telling', () => {
  for (const member of ['story_id', 'link_id', 'telling_id', 'asset_id']) {
    const values = chain.flatMap(message => payloadOf(message)[member] ?? []);
    expect([member, new Set(values).size]).toEqual([member, 1]);
  }
});
