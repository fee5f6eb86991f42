import { families } from '../../../lib/contract/message-types.ts';
import { factsOf, readMessage } from '../../../lib/som/messages/read-message.ts';
import { bytesOf, envelope, type Json, story } from '../../corpus/messages.ts';
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

describe('what is said of a message that its schema alone does not refuse', () => {
  const saidOf = (message: Json) => {
    const read = readMessage(bytesOf(message));
    return read.ok ? read.message.tolerated : read.violations;
  };
  const ofVersion = (som_version: string) => ({
    ...envelope('story.context', story()),
    som_version,
  });

  test('som_version.pre_1_0, som_version.unsupported_major: which versions the bus accepts', () => {
    expect(saidOf(ofVersion('0.3.0'))).toEqual([
      {
        source: 'conformance',
        rule: 'som_version.pre_1_0',
        message: 'The message declares SOM 0.x; this bus accepts SOM 1.x.',
        path: '/som_version',
      },
    ]);
    expect(saidOf(ofVersion('2.0.0'))).toEqual([
      {
        source: 'policy',
        rule: 'som_version.unsupported_major',
        message: 'The message declares SOM 2.x or later; this bus accepts SOM 1.x.',
        path: '/som_version',
      },
    ]);
  });

  test('message_type.unknown: that there is no such type, or that its name is too long', () => {
    expect(saidOf(envelope('weather.warning', {}))).toEqual([
      {
        source: 'policy',
        rule: 'message_type.unknown',
        message:
          'SOM 1.0 has no message type "weather.warning", and no skill of the library uses it ' +
          'for recall.',
        path: '/message_type',
      },
    ]);
    expect(saidOf(envelope('w'.repeat(300), {}))).toEqual([
      {
        source: 'policy',
        rule: 'message_type.unknown',
        message: 'A message type may have at most 256 characters; this one has 300.',
        path: '/message_type',
      },
    ]);
  });

  test('payload.unvalidated: that the payload was not checked', () => {
    expect(saidOf(envelope('asset.ingested', {}))).toEqual([
      {
        source: 'policy',
        rule: 'payload.unvalidated',
        message: 'SOM 1.0 has no schema for "asset.ingested": the payload was not checked.',
        path: '/payload',
      },
    ]);
  });

  test('payload.message_type_mismatch: both types', () => {
    expect(saidOf(envelope('asset.ingested', { message_type: 'asset.updated' }))).toEqual([
      {
        source: 'policy',
        rule: 'payload.message_type_mismatch',
        message:
          'The payload has "asset.updated", the envelope "asset.ingested"; make them the same.',
        path: '/payload/message_type',
      },
    ]);
  });

  test.each([
    ['9007199254740993.5', '9007199254740993.5'],
    ['-9007199254740993.5', '-9007199254740993.5'],
    ['1.00000000000000000001', '1.00000000000000000001'],
    [`1.${'0'.repeat(60)}1`, `1.${'0'.repeat(38)}…`],
    ['0.12345678901234567890', '1234567890123456789e-19'],
    ['-0.12345678901234567890', '-1234567890123456789e-19'],
    ['1e-400', '1e-400'],
  ])(
    'story-context.type: what is no integer, though a double rounds it to one: %s',
    (number, shown) => {
      const text = JSON.stringify(envelope('story.context', story({ sequence_number: '@' })));
      const read = readMessage(Buffer.from(text.replace('"@"', number)));
      expect(read.ok ? [] : read.violations).toContainEqual({
        source: 'schema',
        rule: 'story-context.type',
        message: `Found ${shown}; expected integer.`,
        path: '/payload/sequence_number',
      });
    },
  );
});

test('only a story has a sequence number: of another type it may be any number', () => {
  const text = JSON.stringify(envelope('asset.ingested', { sequence_number: '@' }));
  const read = readMessage(Buffer.from(text.replace('"@"', '1.00000000000000000001')));
  expect(read).toMatchObject({
    ok: true,
    message: { messageType: 'asset.ingested', tolerated: [{ rule: 'payload.unvalidated' }] },
  });
  expect(read.ok && read.message).not.toHaveProperty('story');
});

test('a version that is no text is not read as one', () => {
  const read = readMessage(
    bytesOf({ ...envelope('story.context', story()), som_version: ['2.0.0'] }),
  );
  expect(read.ok ? [] : read.violations.map(({ rule }) => rule)).toEqual(['envelope.type']);
});

test('message.not_json: a body that is no JSON object has no names', () => {
  expect(readMessage(Buffer.from('{"message_id": '))).toEqual({
    ok: false,
    violations: [expect.objectContaining({ rule: 'message.not_json' })],
  });
});

describe('the facts of a message', () => {
  test.each<[string, Readonly<Record<string, string>>]>([
    [
      'story.context',
      {
        story_id: 'bridge-opening',
        slug: 'BRIDGE',
        headline: 'The new bridge opens on Friday',
        story_type: 'ACTIVE',
        phase: 'DEVELOPING',
        level: 'HIGH',
        sequence_number: '1',
        updated_at: '2026-02-03T10:00:00Z',
      },
    ],
    [
      'telling.started',
      {
        telling_id: '6f1c7c1e-58a5-4d0e-9a53-000000000004',
        link_id: '6f1c7c1e-58a5-4d0e-9a53-000000000003',
        scheduled_start: '2026-02-03T10:00:00Z',
        exposure_start: '2026-02-03T10:02:00Z',
      },
    ],
    [
      'link.committed',
      {
        link_id: '6f1c7c1e-58a5-4d0e-9a53-000000000003',
        asset_id: 'drone-shot',
        destination_id: 'evening',
        committed_by: 'Ines',
        compliance_gate_status: 'PENDING',
      },
    ],
  ])('of a full %s are what a person wants to know', (type, facts) => {
    expect(factsOf(type, bytesOf(fullMessage(type)))).toEqual(facts);
  });

  test('are short texts, also where the payload is not', () => {
    const facts = factsOf(
      'story.context',
      bytesOf(envelope('story.context', story({ headline: 'x'.repeat(10_000), slug: {} }))),
    );
    expect(facts['headline']).toBe(`${'x'.repeat(300)}…`);
    expect(facts).not.toHaveProperty('slug');
  });

  test.each([
    ['9007199254740993', '9007199254740993'],
    ['12345678901234567890123', '12345678901234567890123'],
    [`1${'0'.repeat(250)}7`, `1${'0'.repeat(250)}7`],
    ['9007199254740993.0', '9007199254740993'],
    ['1e2', '100'],
    ['123456789012345678901234567891e3', '123456789012345678901234567891000'],
  ])('keep every digit of %s, so that lists and exports do', (number, told) => {
    const text = JSON.stringify(envelope('story.context', story({ sequence_number: '@' })));
    const facts = factsOf('story.context', Buffer.from(text.replace('"@"', number)));
    expect(facts['sequence_number']).toBe(told);
  });

  test('are none for a type without a schema, or without the members', () => {
    expect(factsOf('asset.context', bytesOf(fullMessage('link.committed')))).toEqual({});
    expect(factsOf('link.committed', bytesOf({ payload: 7 }))).toEqual({});
    expect(factsOf('link.committed', Buffer.from('{'))).toEqual({});
  });
});
