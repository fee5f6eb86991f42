import { type Message, readMessage } from '../../lib/messages/read-message.ts';
import { producer } from '../corpus/connections.ts';
import { bytesOf, envelope, type Json, story } from '../corpus/messages.ts';
import { fullMessage, payloadOf } from '../corpus/payloads.ts';
import { type JudgementOf, judgementOf } from '../support/judgement-of.ts';

const rulesOf = (given: JudgementOf) =>
  given.kind === 'refuse' ? given.violations.map(({ rule, path }) => `${rule} ${path}`) : given.kind;

const acceptedFrom = (message: unknown): Message => {
  const read = readMessage(bytesOf(message));
  if (!read.ok) throw new Error('the example is not valid');
  return read.message;
};

const message = envelope('story.context', story());

describe('grants', () => {
  const send = (changes: Parameters<typeof producer>[0]) =>
    rulesOf(judgementOf(bytesOf(message), producer(changes), {}));

  test.each([[['*']], [['story.context']], [['story.*']], [['telling.*', 'story.*']]])(
    '%j grants story.context',
    grants => {
      expect(send({ grants })).toBe('accept');
    },
  );

  test.each([[[]], [['telling.*']], [['story']], [['story.context.*']], [['stor*']], [['STORY.CONTEXT']]])(
    'producer.message_type_not_allowed: %j does not grant story.context',
    grants => {
      expect(send({ grants })).toEqual(['producer.message_type_not_allowed /message_type']);
    },
  );

  test('producer.system_id_not_allowed: only the listed systems may send, spelled exactly', () => {
    expect(send({ systemIds: ['desk-2', 'desk-1'] })).toBe('accept');
    for (const systemIds of [[], ['desk-2'], ['DESK-1'], ['desk-*']]) {
      expect(send({ systemIds })).toEqual(['producer.system_id_not_allowed /originating_system/system_id']);
    }
  });

  test('both are reported together', () => {
    expect(send({ systemIds: [], grants: [] })).toEqual([
      'producer.system_id_not_allowed /originating_system/system_id',
      'producer.message_type_not_allowed /message_type',
    ]);
  });

  test('grants are checked only for a valid message, and earlier messages only for a permitted one', () => {
    const nobody = producer({ systemIds: [], grants: [] });
    expect(rulesOf(judgementOf(bytesOf({ ...message, topic: 'x' }), nobody, {}))).toEqual([
      'envelope.pattern /topic',
    ]);
    expect(rulesOf(judgementOf(bytesOf(message), nobody, { accepted: acceptedFrom(message) }))).toHaveLength(
      2,
    );
  });
});

describe('a later 1.x', () => {
  const later = (changes: Json) => ({
    ...envelope('story.context', story({ mood: 'festive', ...changes })),
    som_version: '1.1.0',
  });

  test('its additions are tolerated in the verdict, with what the sequence tolerates', () => {
    const first = judgementOf(bytesOf(later({})), producer(), {});
    expect(first).toMatchObject({
      kind: 'accept',
      tolerated: [{ rule: 'story-context.additionalProperties', path: '/payload' }],
      story: { sequenceNumber: 1n, members: expect.arrayContaining(['mood']) },
    });
    const before = first.kind === 'accept' ? { story: first.story } : {};
    const next = judgementOf(bytesOf(later({ sequence_number: 3 })), producer(), before);
    expect(next.kind === 'accept' && next.tolerated.map(({ rule }) => rule)).toEqual([
      'story-context.additionalProperties',
      'sequence_number.gap',
    ]);
  });

  test('its additions to a message without a story are tolerated in the verdict', () => {
    const payload = { ...payloadOf('telling.ended'), mood: 'festive' };
    const telling = { ...envelope('telling.ended', payload), som_version: '1.1.0' };
    expect(judgementOf(bytesOf(telling), producer(), {})).toMatchObject({
      kind: 'accept',
      tolerated: [{ rule: 'telling-event.additionalProperties', path: '/payload' }],
    });
  });
});

describe('duplicates', () => {
  const accepted = acceptedFrom(message);

  test('the same content is a duplicate in any spelling', () => {
    const reversed = Object.fromEntries(Object.entries(message).reverse());
    const pretty = Buffer.from(JSON.stringify(reversed, null, 4));
    expect(judgementOf(pretty, producer(), { accepted })).toMatchObject({ kind: 'duplicate' });
  });

  test('message_id.reused: different content with an accepted id is refused', () => {
    const other = { ...message, topic: 'som.other' };
    expect(rulesOf(judgementOf(bytesOf(other), producer(), { accepted }))).toEqual([
      'message_id.reused /message_id',
    ]);
  });

  test('message_id.reused: it is checked before the sequence of the story', () => {
    const other = { ...message, topic: 'som.other' };
    const first = judgementOf(bytesOf(message), producer(), {});
    const state = first.kind === 'accept' && first.story !== undefined ? { story: first.story } : {};
    expect(rulesOf(judgementOf(bytesOf(other), producer(), { accepted, ...state }))).toEqual([
      'message_id.reused /message_id',
    ]);
    expect(judgementOf(bytesOf(message), producer(), { accepted, ...state }).kind).toBe('duplicate');
  });
});

describe('sequence', () => {
  const following = (last: Json, next: Json): JudgementOf => {
    const first = judgementOf(bytesOf(envelope('story.context', story(last))), producer(), {});
    if (first.kind !== 'accept' || first.story === undefined) throw new Error('the example is not valid');
    const given = story({ sequence_number: 2, ...next });
    const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    return judgementOf(bytesOf(envelope('story.context', present)), producer(), { story: first.story });
  };

  test('sequence_number.not_increasing: an equal or smaller number is refused', () => {
    const rules = ['sequence_number.not_increasing /payload/sequence_number'];
    expect(rulesOf(following({ sequence_number: 2 }, {}))).toEqual(rules);
    expect(rulesOf(following({ sequence_number: 9 }, {}))).toEqual(rules);
    expect(rulesOf(following({ sequence_number: 1 }, {}))).toBe('accept');
  });

  test('sequence_number.not_increasing: numbers are compared to the last digit', () => {
    const text = JSON.stringify(envelope('story.context', story({ sequence_number: 1 })));
    const numbered = (n: string) =>
      Buffer.from(text.replace('"sequence_number":1', `"sequence_number":${n}`));
    const first = judgementOf(numbered('9007199254740992'), producer(), {});
    const state = first.kind === 'accept' && first.story !== undefined ? { story: first.story } : {};
    expect(rulesOf(judgementOf(numbered('9007199254740992.0'), producer(), state))).toEqual([
      'sequence_number.not_increasing /payload/sequence_number',
    ]);
    const next = judgementOf(numbered('9007199254740993'), producer(), state);
    expect(next).toMatchObject({ kind: 'accept', tolerated: [] });
    expect(judgementOf(numbered('9007199254740994'), producer(), state)).toMatchObject({
      kind: 'accept',
      tolerated: [{ rule: 'sequence_number.gap' }],
    });
  });

  test('sequence_number.gap: a jump is accepted and reported', () => {
    expect(following({}, { sequence_number: 5 })).toMatchObject({
      kind: 'accept',
      tolerated: [{ source: 'sequence', rule: 'sequence_number.gap', path: '/payload/sequence_number' }],
    });
    expect(following({}, {})).toMatchObject({ kind: 'accept', tolerated: [] });
  });

  test('sequence_number.gap: the first snapshot may start anywhere', () => {
    const first = envelope('story.context', story({ sequence_number: 1000 }));
    expect(judgementOf(bytesOf(first), producer(), {})).toMatchObject({ kind: 'accept', tolerated: [] });
  });

  test('updated_at.backwards: earlier instants are refused in any time zone', () => {
    const rules = ['updated_at.backwards /payload/updated_at'];
    expect(
      rulesOf(following({ updated_at: '2026-02-03T10:00:00Z' }, { updated_at: '2026-02-03T10:59:59+01:00' })),
    ).toEqual(rules);
    expect(
      rulesOf(
        following({ updated_at: '2026-02-03T10:00:00.002Z' }, { updated_at: '2026-02-03T10:00:00.0019Z' }),
      ),
    ).toEqual(rules);
    expect(
      rulesOf(following({ updated_at: '2026-02-03T10:00:00Z' }, { updated_at: '2026-02-03T11:00:00+01:00' })),
    ).toBe('accept');
    expect(
      rulesOf(following({ updated_at: '2026-02-03T10:00:00+01:00' }, { updated_at: '2026-02-03T09:30:00Z' })),
    ).toBe('accept');
  });

  test('snapshot.members_missing: a snapshot without a member of the last one is refused', () => {
    expect(rulesOf(following({ newsroom_id: 'n' }, {}))).toEqual(['snapshot.members_missing /payload']);
    expect(rulesOf(following({}, { newsroom_id: 'n' }))).toBe('accept');
  });

  test('snapshot.members_missing: lifecycle may go when the story leaves ACTIVE', () => {
    expect(rulesOf(following({}, { story_type: 'KILLED', lifecycle: undefined }))).toBe('accept');
  });

  test('snapshot.members_missing: nested members may go', () => {
    expect(rulesOf(following({ story_meaning: { why: 'w' } }, { story_meaning: {} }))).toBe('accept');
  });

  test('snapshot.assets_dropped: a snapshot without an asset of the last one is refused', () => {
    const assets = [{ asset_id: 'drone-shot', asset_type: 'VIDEO', status: 'READY' }];
    expect(rulesOf(following({}, { assets }))).toEqual(['snapshot.assets_dropped /payload/assets']);
    expect(rulesOf(following({ assets }, {}))).toBe('accept');
    expect(rulesOf(following({}, { assets: undefined }))).toEqual([
      'snapshot.members_missing /payload',
      'snapshot.assets_dropped /payload/assets',
    ]);
  });

  test('asset.type_changed: each asset with a changed type is reported, with its path', () => {
    const asset = (asset_id: string, asset_type: string) => ({ asset_id, asset_type, status: 'READY' });
    const assets = [asset('new', 'CG'), asset('drone-shot', 'AUDIO'), asset('ribbon-map', 'MAP')];
    expect(rulesOf(following({}, { assets }))).toEqual([
      'asset.type_changed /payload/assets',
      'asset.type_changed /payload/assets',
    ]);
  });

  test('asset.type_changed: an asset that is listed twice keeps its first type', () => {
    const asset = (asset_type: string) => ({ asset_id: '__proto__', asset_type, status: 'READY' });
    expect(rulesOf(following({ assets: [asset('CG'), asset('MAP')] }, { assets: [asset('CG')] }))).toBe(
      'accept',
    );
    expect(rulesOf(following({ assets: [asset('CG'), asset('MAP')] }, { assets: [asset('MAP')] }))).toEqual([
      'asset.type_changed /payload/assets',
    ]);
  });

  test('story_type.left_terminal: a finished story changes only between the final types', () => {
    const final = ['KILLED', 'SPIKED', 'ARCHIVED'];
    const gone = { lifecycle: undefined };
    for (const last of final) {
      for (const next of final)
        expect(rulesOf(following(without(last), { ...gone, story_type: next }))).toBe('accept');
      for (const next of ['PLANNED', 'ORPHAN']) {
        expect(rulesOf(following(without(last), { ...gone, story_type: next }))).toEqual([
          'story_type.left_terminal /payload/story_type',
        ]);
      }
      expect(rulesOf(following(without(last), { story_type: 'ACTIVE' }))).toEqual([
        'story_type.left_terminal /payload/story_type',
      ]);
    }
    expect(rulesOf(following({}, { ...gone, story_type: 'ORPHAN' }))).toBe('accept');
  });

  test('all sequence violations are reported together', () => {
    const given = following(
      { ...without('KILLED'), newsroom_id: 'n', sequence_number: 3, updated_at: '2026-02-04T10:00:00Z' },
      { assets: [{ asset_id: 'drone-shot', asset_type: 'CG', status: 'READY' }] },
    );
    expect(rulesOf(given)).toEqual([
      'sequence_number.not_increasing /payload/sequence_number',
      'updated_at.backwards /payload/updated_at',
      'snapshot.members_missing /payload',
      'snapshot.assets_dropped /payload/assets',
      'story_type.left_terminal /payload/story_type',
      'asset.type_changed /payload/assets',
    ]);
  });

  test('other families have no sequence rules', () => {
    expect(judgementOf(bytesOf(fullMessage('telling.started')), producer(), {})).not.toHaveProperty('story');
  });
});

/** A story of a type that has no lifecycle. */
const without = (story_type: string): Json => ({ story_type, lifecycle: undefined });
