import { families } from '../../lib/contract/message-types.ts';
import { readMessage } from '../../lib/messages/read-message.ts';
import { bytesOf, envelope, story } from '../corpus/messages.ts';
import { fullMessage, payloadTypes } from '../corpus/payloads.ts';

test.each([...families])('a full %s is accepted as %s', (type, family) => {
  const read = readMessage(bytesOf(fullMessage(type)));
  expect(read).toMatchObject({ ok: true, message: { family, messageType: type, tolerated: [] } });
});

test('a read message has what the ledger needs', () => {
  expect(readMessage(bytesOf(envelope('story.context', story())))).toEqual({
    ok: true,
    message: {
      messageId: '6f1c7c1e-58a5-4d0e-9a53-000000000001',
      messageType: 'story.context',
      correlationId: '6f1c7c1e-58a5-4d0e-9a53-000000000002',
      systemId: 'desk-1',
      family: 'story-context',
      tolerated: [],
      body: bytesOf(envelope('story.context', story())),
      bodyHash: expect.stringMatching(/^[\w-]{43}$/),
      story: {
        storyId: 'bridge-opening',
        sequenceNumber: 1n,
        updatedAt: '2026-02-03T10:00:00Z',
        storyType: 'ACTIVE',
        members: [
          'story_id',
          'slug',
          'headline',
          'story_type',
          'lifecycle',
          'sequence_number',
          'updated_at',
          'tags',
          'assets',
        ],
        assets: [
          { id: 'drone-shot', type: 'VIDEO' },
          { id: 'ribbon-map', type: 'x-animated_map' },
        ],
      },
    },
  });
});

test('these examples cover every message type with a schema', () => {
  expect([...payloadTypes].sort()).toEqual([...families.keys()].sort());
});
