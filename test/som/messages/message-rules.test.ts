import { readFileSync } from 'node:fs';
import { pendingSpecTypes, typesWithoutSchema } from '../../../lib/contract/message-types.ts';
import { readMessage } from '../../../lib/som/messages/read-message.ts';
import { bytesOf, envelope, type Json, story } from '../../corpus/messages.ts';
import { fullMessage, payloadOf } from '../../corpus/payloads.ts';
import { describeShared, sharedPath } from '../../shared.ts';

const rulesOf = (message: unknown) => {
  const read = readMessage(bytesOf(message));
  return read.ok ? [] : read.violations.map(({ rule, path }) => `${rule} ${path}`);
};

const toleratedOf = (message: unknown) => {
  const read = readMessage(bytesOf(message));
  return read.ok ? read.message.tolerated.map(({ rule, path }) => `${rule} ${path}`) : 'refused';
};

const at = (version: string, changes: Json = {}): Json => ({
  ...envelope('story.context', story(changes)),
  som_version: version,
});

describe('size', () => {
  const sized = (bytes: number): Buffer => {
    const message = bytesOf(envelope('story.context', story({ headline: '' })));
    const headline = 'h'.repeat(bytes - message.byteLength);
    return bytesOf(envelope('story.context', story({ headline })));
  };

  test('message.too_large: 240,000 bytes are accepted, one more is refused', () => {
    expect(readMessage(sized(240_000)).ok).toBe(true);
    expect(readMessage(sized(240_001))).toEqual({
      ok: false,
      violations: [
        {
          source: 'policy',
          rule: 'message.too_large',
          message: 'The body has 240001 bytes; at most 240000 are allowed.',
        },
      ],
    });
  });

  test('message.too_large: it counts bytes, not characters, and comes before any parsing', () => {
    expect(readMessage(Buffer.from('é'.repeat(120_001)))).toMatchObject({
      violations: [{ rule: 'message.too_large' }],
    });
  });
});

describe('versions', () => {
  test.each(['0.3.2', '0.9.0', '00.1.0', '0.99.99'])(
    'som_version.pre_1_0: %s is refused',
    version => {
      expect(rulesOf(at(version))).toEqual(['som_version.pre_1_0 /som_version']);
    },
  );

  test.each(['2.0.0', '10.0.0', '999999999999999999999.0.0'])(
    'som_version.unsupported_major: %s is refused',
    version => {
      expect(rulesOf(at(version))).toEqual(['som_version.unsupported_major /som_version']);
    },
  );

  test.each(['1.0.0', '1.0.7', '1.1.0', '01.0.0', '1.999999999999999999999.0'])(
    'SOM %s is taken',
    version => {
      expect(rulesOf(at(version))).toEqual([]);
    },
  );

  test('som_version.pre_1_0: other violations are reported with it', () => {
    expect(rulesOf({ ...at('0.3.2'), topic: 'x', source: {} }).sort()).toEqual([
      'envelope.false_schema /source',
      'envelope.pattern /topic',
      'som_version.pre_1_0 /som_version',
    ]);
  });
});

describe('a later 1.x', () => {
  const newMember = {
    assets: [{ asset_id: 'a', asset_type: 'HOLOGRAM', status: 'MELTING', depth: 3 }],
  };

  test('tolerates new members and new enum values, and reports which', () => {
    expect(toleratedOf(at('1.1.0', newMember))).toEqual([
      'story-context.enum /payload/assets/0/asset_type',
      'story-context.enum /payload/assets/0/status',
      'story-context.additionalProperties /payload/assets/0',
    ]);
  });

  test('1.0.z tolerates nothing', () => {
    expect(rulesOf(at('1.0.9', newMember)).sort()).toEqual([
      'story-context.additionalProperties /payload/assets/0',
      'story-context.anyOf /payload/assets/0/asset_type',
      'story-context.enum /payload/assets/0/asset_type',
      'story-context.enum /payload/assets/0/status',
      'story-context.pattern /payload/assets/0/asset_type',
    ]);
  });

  test('refuses everything else, and then reports only that', () => {
    expect(
      rulesOf({ ...at('1.1.0', { ...newMember, sources: [], slug: 1 }), extra: 1 }).sort(),
    ).toEqual(['story-context.false_schema /payload/sources', 'story-context.type /payload/slug']);
  });

  test('is accepted even with more additions than are reported', () => {
    const assets = Array.from({ length: 80 }, (_, i) => ({
      ...newMember.assets[0],
      asset_id: `a${i}`,
    }));
    const read = readMessage(bytesOf(at('1.1.0', { assets })));
    expect(read.ok && read.message.tolerated.length).toBe(50);
    const wrongLast = [...assets, { asset_id: 1, asset_type: 'VIDEO', status: 'READY' }];
    expect(rulesOf(at('1.1.0', { assets: wrongLast }))).toEqual([
      'story-context.type /payload/assets/80/asset_id',
    ]);
  });

  test('payload.unvalidated: an unknown message type of a later 1.x is tolerated', () => {
    const message = { ...envelope('weather.warning', { any: 'thing' }), som_version: '1.2.0' };
    expect(toleratedOf(message)).toEqual(['payload.unvalidated /payload']);
  });
});

describe('message types', () => {
  test('message_type.unknown: a type longer than 256 characters is refused in every version', () => {
    const long = (characters: number) => ({
      ...envelope('w'.repeat(characters), {}),
      som_version: '1.2.0',
    });
    expect(rulesOf(long(256))).toEqual([]);
    expect(rulesOf(long(257))).toEqual(['message_type.unknown /message_type']);
  });

  test('message_type.unknown: a type that has no schema and that no skill recalls is refused', () => {
    expect(rulesOf(envelope('weather.warning', {}))).toEqual([
      'message_type.unknown /message_type',
    ]);
    expect(rulesOf(envelope('constructor', {}))).toEqual(['message_type.unknown /message_type']);
  });

  test('message_type.unknown: a text that cannot be a type is a schema failure only', () => {
    expect(rulesOf(envelope('Story Context', {}))).toEqual(['envelope.pattern /message_type']);
  });

  test.each([...typesWithoutSchema])(
    'payload.unvalidated: %s is accepted unchecked, with no family',
    type => {
      const read = readMessage(bytesOf(envelope(type, { anything: [{ goes: true }] })));
      expect(read).toMatchObject({
        ok: true,
        message: {
          family: null,
          tolerated: [{ source: 'policy', rule: 'payload.unvalidated', path: '/payload' }],
        },
      });
    },
  );

  test('payload.unvalidated: it includes the types of the envelope examples of SOM 1.0', () => {
    expect([...typesWithoutSchema]).toEqual(
      expect.arrayContaining(['skill.run.completed', 'skill.suggestion.created']),
    );
  });

  test('payload.unvalidated: the envelope is still checked', () => {
    expect(rulesOf({ ...envelope('asset.ingested', {}), topic: 'x' })).toEqual([
      'envelope.pattern /topic',
    ]);
  });

  test('payload.message_type_mismatch: a payload that names a different type is refused', () => {
    const payload = { ...payloadOf('telling.ended'), exposure_start: '2026-02-03T10:00:00Z' };
    expect(rulesOf(envelope('telling.exposed', payload))).toEqual([
      'payload.message_type_mismatch /payload/message_type',
    ]);
    expect(rulesOf(envelope('asset.ingested', { message_type: 'asset.updated' }))).toEqual([
      'payload.message_type_mismatch /payload/message_type',
    ]);
  });

  test('payload.message_type_mismatch: a payload with the same type, or none, is accepted', () => {
    const { message_type: _type, ...payload } = payloadOf('system.audit');
    expect(rulesOf(envelope('system.audit', payload))).toEqual([]);
    expect(rulesOf(fullMessage('system.audit'))).toEqual([]);
  });
});

describe('responses', () => {
  test('a payload that is not an object is one failure', () => {
    for (const payload of [null, 'x', [], 7]) {
      expect(rulesOf(envelope('story.context', payload))).toEqual(['envelope.type /payload']);
    }
  });

  test('at most 50 violations are reported, those of the whole message included', () => {
    const assets = Array.from({ length: 500 }, () => ({}));
    const rules = rulesOf(at('2.0.0', { assets, updated_at: 'x' }));
    expect(rules).toHaveLength(50);
    expect(rules[0]).toBe('som_version.unsupported_major /som_version');
  });

  test('no text is longer than 300 characters or shows more than 40 of a value', () => {
    const secret = 'S'.repeat(5000);
    const read = readMessage(
      bytesOf({
        ...at('1.0.0', {
          [secret]: 1,
          story_type: secret,
          assets: [{ asset_type: secret, [secret]: 1 }],
        }),
        message_id: secret,
        timestamp: secret,
        topic: secret,
        [secret]: 1,
        extensions: { [secret]: 1 },
        originating_system: { system_id: 's', system_type: secret },
      }),
    );
    const messages = read.ok ? [] : read.violations.map(({ message }) => message);
    expect(messages.length).toBeGreaterThan(8);
    expect(
      messages.filter(message => message.length > 300 || message.includes('S'.repeat(41))),
    ).toEqual([]);
  });
});

describe('content', () => {
  test('the hash is SHA-256 of the body, base64url', () => {
    const body = Buffer.from(
      '{"correlation_id":"6f1c7c1e-58a5-4d0e-9a53-000000000002","message_id":"6f1c7c1e-58a5-4d0e-9a53-000000000001","message_type":"asset.ingested","originating_system":{"system_id":"desk-1","system_type":"ncs"},"payload":{},"som_version":"1.0.0","timestamp":"2026-02-03T10:00:00Z","topic":"som.x"}',
    );
    const read = readMessage(body);
    // printf '%s' '<text>' | openssl dgst -sha256 -binary | base64 | tr '+/' '-_' | tr -d =
    expect(read).toMatchObject({
      ok: true,
      message: { body, bodyHash: 'ysimggFD_vQ9WcRql7BV6kswSN7X5XEneLrbyDHTzDM' },
    });
  });
});

describe('a sequence number beyond a double', () => {
  const withNumber = (number: string, name = 'sequence_number') => {
    const text = JSON.stringify(envelope('story.context', story({ sequence_number: '@' })));
    return readMessage(Buffer.from(text.replace('"sequence_number":"@"', `"${name}" : ${number}`)));
  };

  const numberOf = (number: string, name?: string) => {
    const read = withNumber(number, name);
    return read.ok
      ? read.message.story?.sequenceNumber
      : read.violations.map(({ rule, path }) => [rule, path]);
  };

  test.each([
    ['7', 7n],
    ['7.0', 7n],
    ['1e2', 100n],
    ['9007199254740993', 9007199254740993n],
    ['9007199254740993.0', 9007199254740993n],
    ['1e23', 10n ** 23n],
    ['123456789012345678901234567890', 123456789012345678901234567890n],
  ])('%s is read to the last digit', (number, expected) => {
    expect(numberOf(number)).toBe(expected);
    expect(numberOf(number, 'sequence_n\\u0075mber')).toBe(expected);
  });

  test.each(['1.00000000000000000001', '1e-400', '9007199254740993.5', '-1e-400'])(
    'story-context.type: %s is not an integer, although a double would round it to one',
    number => {
      expect(numberOf(number)).toEqual([['story-context.type', '/payload/sequence_number']]);
    },
  );

  test('a number of the same name elsewhere, or in a text, is not taken for it', () => {
    const text = JSON.stringify(
      envelope(
        'story.context',
        story({ headline: '"sequence_number":12345678901234567890', extensions: '@' }),
      ),
    );
    const body = Buffer.from(
      text.replace('"@"', '{"com.example.x":{"sequence_number":0.12345678901234567890}}'),
    );
    const read = readMessage(body);
    expect(read.ok && read.message.story?.sequenceNumber).toBe(1n);
  });
});

describeShared('som-1.0', 'the library of skills', () => {
  test('the pending-spec types are those in the library facts', () => {
    const facts = JSON.parse(
      readFileSync(sharedPath('som-1.0', 'skills', 'library-facts.json'), 'utf8'),
    ) as {
      message_types: Record<string, { spec: string }>;
    };
    const pending = Object.entries(facts.message_types).filter(
      ([, { spec }]) => spec === 'pending-spec',
    );
    expect([...pendingSpecTypes].sort()).toEqual(pending.map(([type]) => type).sort());
  });
});
