import { families } from '../../../lib/contract/message-types.ts';
import { readMessage } from '../../../lib/som/messages/read-message.ts';
import { bytesOf, envelope, story } from '../../corpus/messages.ts';
import { fullMessage, payloadTypes } from '../../corpus/payloads.ts';

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
        reviews: [],
      },
    },
  });
});

test('a refused message is named by the ids and the type that it has, as far as they are some', () => {
  const wrong = { ...envelope('story.context', story()), topic: 'no topic' };
  const named = (changes: object) => {
    const read = readMessage(bytesOf({ ...wrong, ...changes }));
    return read.ok ? 'accepted' : read.named;
  };
  const all = {
    messageId: '6f1c7c1e-58a5-4d0e-9a53-000000000001',
    messageType: 'story.context',
    correlationId: '6f1c7c1e-58a5-4d0e-9a53-000000000002',
  };
  const { messageId: _id, ...withoutId } = all;
  const { messageType: _type, ...withoutType } = all;
  const { correlationId: _correlation, ...withoutCorrelation } = all;
  expect(named({})).toEqual(all);
  expect(named({ message_id: 'no-uuid' })).toEqual(withoutId);
  expect(named({ message_type: 'Story Context' })).toEqual(withoutType);
  expect(named({ message_type: 'w'.repeat(256) })).toEqual({
    ...all,
    messageType: 'w'.repeat(256),
  });
  expect(named({ message_type: 'w'.repeat(257) })).toEqual(withoutType);
  expect(named({ correlation_id: 'no-uuid' })).toEqual(withoutCorrelation);
});

test('these examples cover every message type with a schema', () => {
  expect([...payloadTypes].sort()).toEqual([...families.keys()].sort());
});

test('ids in capitals are the same ids, and the body stays as it is', () => {
  const message = envelope('story.context', story());
  const ids = ['message_id', 'correlation_id'] as const;
  const capitals = Object.fromEntries(ids.map(name => [name, String(message[name]).toUpperCase()]));
  const body = bytesOf({ ...message, ...capitals });
  expect(readMessage(body)).toMatchObject({
    ok: true,
    message: { messageId: message['message_id'], correlationId: message['correlation_id'], body },
  });
  expect(readMessage(bytesOf({ ...message, ...capitals, topic: 'x' }))).toMatchObject({
    ok: false,
    named: { messageId: message['message_id'], correlationId: message['correlation_id'] },
  });
});

test('of sixty violations the first fifty are reported', () => {
  const names = Array.from({ length: 60 }, (_, at) => `unknown_${at}`);
  const members = Object.fromEntries(names.map(name => [name, 1]));
  const read = readMessage(bytesOf(envelope('story.context', story(members))));
  const messages = read.ok ? [] : read.violations.map(({ message }) => message);
  expect(messages.map(text => /"(unknown_\d+)"/.exec(text)?.[1])).toEqual(names.slice(0, 50));
});
