import { createHash } from 'node:crypto';
import { derivedUuid, fillText, fixtureBody, fixtureOf, withAt } from '../../lib/checks/fixture.ts';

const context = {
  storyId: 'test-run.t1.a',
  correlationId: 'k1',
  messageId: 'm1',
  startedAt: Date.parse('2026-05-04T09:00:00Z'),
  now: Date.parse('2026-05-04T09:00:07Z'),
  sequenceNumber: 3,
  systemId: 'test-run-1',
};

const textOf = (fixture: Parameters<typeof fixtureBody>[0]): string =>
  Buffer.from(fixtureBody(fixture, context)).toString();

const envelope = {
  som_version: '1.0.0',
  message_id: 'm1',
  correlation_id: 'k1',
  message_type: 'link.committed',
  timestamp: '2026-05-04T09:00:07.000Z',
  originating_system: { system_id: 'test-run-1', system_type: 'custom', vendor: 'som-bus' },
  topic: 'som.link.committed',
};

const link = (payload: object, more: object = {}) => ({
  messageType: 'link.committed',
  payload: payload as Record<string, unknown>,
  ...more,
});

test('a derived id is a UUID of version 8, the same for the same names', () => {
  const digest = createHash('sha256').update('["a","b"]').digest('hex');
  const [, first, second, third, fourth, last] =
    /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(digest) ?? [];
  expect(derivedUuid('a', 'b')).toBe(`${first}-${second}-8${third}-8${fourth}-${last}`);
  expect(derivedUuid('ab')).not.toBe(derivedUuid('a', 'b'));
});

test('texts are filled with the story, the times and ids of names', () => {
  const text = '{story} {story} {start} {now} {now} {uuid a} {uuid b} {uuid a} {message} {other}';
  const [a, b] = ['a', 'b'].map(name => derivedUuid('test-run.t1.a', name));
  expect(fillText(text, context)).toBe(
    'test-run.t1.a test-run.t1.a 2026-05-04T09:00:00.000Z 2026-05-04T09:00:07.000Z ' +
      `2026-05-04T09:00:07.000Z ${a} ${b} ${a} {message} {other}`,
  );
});

describe('a played message', () => {
  test('has the envelope of its run, and its texts filled at any depth', () => {
    const payload = { ref: '{message}{message}', list: ['{now}', { story: '{story}' }], count: 1 };
    expect(JSON.parse(textOf(link(payload)))).toEqual({
      ...envelope,
      payload: {
        ref: 'm1m1',
        list: ['2026-05-04T09:00:07.000Z', { story: 'test-run.t1.a' }],
        count: 1,
      },
    });
  });

  test('may have other members in its envelope, but not what the run itself says', () => {
    const more = {
      som_version: '1.1.0',
      extensions: { 'com.x': '{story}' },
      message_id: 'x',
      correlation_id: 'x',
      message_type: 'x',
      timestamp: 'x',
      originating_system: 'x',
      topic: 'x',
      payload: 'x',
    };
    expect(JSON.parse(textOf(link({}, { envelope: more })))).toEqual({
      ...envelope,
      som_version: '1.1.0',
      extensions: { 'com.x': 'test-run.t1.a' },
      payload: {},
    });
  });

  test('is about the story of its case, if it is about one', () => {
    expect(JSON.parse(textOf(link({ story_id: 'x', a: 1 }))).payload).toEqual({
      story_id: 'test-run.t1.a',
      a: 1,
    });
    const snapshot = { messageType: 'story.context', payload: { slug: 's', sequence_number: 9 } };
    expect(JSON.parse(textOf(snapshot)).payload).toEqual({
      slug: 's',
      story_id: 'test-run.t1.a',
      newsroom_id: 'test-run',
      sequence_number: 3,
      updated_at: '2026-05-04T09:00:07.000Z',
    });
  });

  test('may be written without a character beyond ASCII', () => {
    const plain = textOf(link({ a: '\u007f\u0080é😀' }));
    const escaped = textOf(link({ a: '\u007f\u0080é😀' }, { escaped: true }));
    expect(plain).toContain('\u007f\u0080é😀');
    expect(escaped).toContain('\u007f\\u0080\\u00e9\\ud83d\\ude00');
    expect(JSON.parse(escaped)).toEqual(JSON.parse(plain));
  });

  test('is filled up to the bytes that it has to have, in an extension or in its own text', () => {
    for (const bytes of [1_000, 1_001]) {
      const filled = textOf(link({ a: 'é' }, { bytes }));
      expect(Buffer.byteLength(filled)).toBe(bytes);
      const { extensions, ...rest } = JSON.parse(filled);
      expect(rest).toEqual({ ...envelope, payload: { a: 'é' } });
      expect(extensions).toEqual({ 'com.som-bus.filler': expect.stringMatching(/^x+$/) });
    }
    const own = textOf(link({ a: { b: 1 } }, { bytes: 900, longText: ['a', 'c'] }));
    expect(own).toHaveLength(900);
    expect(JSON.parse(own)).toEqual({
      ...envelope,
      payload: { a: { b: 1, c: expect.stringMatching(/^x+$/) } },
    });
    const small = JSON.parse(textOf(link({}, { bytes: 1 })));
    expect(small.extensions).toEqual({ 'com.som-bus.filler': '' });
  });
});

test('a value is put at a path, and nothing else is changed', () => {
  const before = { a: { b: 1 }, c: [1] };
  expect(withAt(before, ['a', 'd', 'e'], 2)).toEqual({ a: { b: 1, d: { e: 2 } }, c: [1] });
  expect(withAt(before, ['c', 'x'], 2)).toEqual({ a: { b: 1 }, c: { x: 2 } });
  expect(withAt(before, ['a'], 2)).toEqual({ a: 2, c: [1] });
  expect(before).toEqual({ a: { b: 1 }, c: [1] });
});

describe('a message of a file', () => {
  test('is as it is written', () => {
    const message = { type: 'a.b', payload: { c: 1 } };
    const form = { envelope: { topic: 'x' }, bytes: 9, escaped: true } as const;
    expect(fixtureOf({ message })).toStrictEqual({ messageType: 'a.b', payload: { c: 1 } });
    expect(fixtureOf({ message, ...form })).toStrictEqual({
      messageType: 'a.b',
      payload: { c: 1 },
      ...form,
    });
  });

  test('or a snapshot of a story with what differs; of another type of story no phase', () => {
    const { messageType, payload } = fixtureOf({});
    expect(messageType).toBe('story.context');
    expect(payload['lifecycle']).toBeDefined();
    expect(fixtureOf({ story: { slug: 'mine' } }).payload).toEqual({ ...payload, slug: 'mine' });
    const { lifecycle: _, ...rest } = payload;
    const other = { story_type: 'ACTIVE' };
    expect(fixtureOf({ story: other }).payload).toStrictEqual({ ...rest, ...other });
    const both = { ...other, lifecycle: { phase: 'BREAKING' } };
    expect(fixtureOf({ story: both }).payload).toStrictEqual({ ...rest, ...both });
  });
});
