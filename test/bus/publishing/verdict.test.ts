import { emptyHead, type LedgerState, type LedgerView } from '../../../lib/bus/delivery/log.ts';
import { consult, guestReadersOf, readsSnapshot } from '../../../lib/bus/publishing/verdict.ts';
import { type RuleId, rules } from '../../../lib/contract/rules.ts';
import { type Message, readMessage } from '../../../lib/som/messages/read-message.ts';
import { parseStoryState, storyStateText } from '../../../lib/som/stories/sequence-rules.ts';
import { producer } from '../../corpus/connections.ts';
import { bytesOf, envelope, type Json, story } from '../../corpus/messages.ts';
import { fullMessage, payloadOf } from '../../corpus/payloads.ts';
import { type Before, type JudgementOf, judgementOf } from '../../support/judgement-of.ts';

const rulesOf = (given: JudgementOf) =>
  given.kind === 'refuse'
    ? given.violations.map(({ rule, path }) => `${rule} ${path}`)
    : given.kind;

const acceptedFrom = (message: unknown): Message => {
  const read = readMessage(bytesOf(message));
  if (!read.ok) throw new Error('the example is not valid');
  return read.message;
};

/** What is remembered of a story after a snapshot, as it is stored. */
const rememberedOf = (given: JudgementOf): Before => {
  if (given.kind !== 'accept' || !given.story) throw new Error('the example is not valid');
  return { story: parseStoryState(storyStateText(given.story)) };
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

  test.each([
    [[]],
    [['telling.*']],
    [['story']],
    [['story.context.*']],
    [['stor*']],
    [['STORY.CONTEXT']],
  ])('producer.message_type_not_allowed: %j does not grant story.context', grants => {
    expect(send({ grants })).toEqual(['producer.message_type_not_allowed /message_type']);
  });

  test('producer.system_id_not_allowed: only the listed systems may send, spelled exactly', () => {
    expect(send({ systemIds: ['desk-2', 'desk-1'] })).toBe('accept');
    for (const systemIds of [[], ['desk-2'], ['DESK-1'], ['desk-*']]) {
      expect(send({ systemIds })).toEqual([
        'producer.system_id_not_allowed /originating_system/system_id',
      ]);
    }
  });

  test('grants are checked only for a valid message, and earlier messages only for a permitted one', () => {
    const nobody = producer({ systemIds: [], grants: [] });
    expect(rulesOf(judgementOf(bytesOf({ ...message, topic: 'x' }), nobody, {}))).toEqual([
      'envelope.pattern /topic',
    ]);
    expect(
      rulesOf(judgementOf(bytesOf(message), nobody, { accepted: acceptedFrom(message) })),
    ).toEqual([
      'producer.system_id_not_allowed /originating_system/system_id',
      'producer.message_type_not_allowed /message_type',
    ]);
  });
});

test('the additions of a later 1.x are tolerated in the verdict, with what the sequence tolerates', () => {
  const later = (changes: Json) => ({
    ...envelope('story.context', story({ mood: 'festive', ...changes })),
    som_version: '1.1.0',
  });
  const first = judgementOf(bytesOf(later({})), producer(), {});
  expect(first).toMatchObject({
    tolerated: [{ rule: 'story-context.additionalProperties', path: '/payload' }],
    story: { sequenceNumber: 1n, members: expect.arrayContaining(['mood']) },
  });
  const next = judgementOf(bytesOf(later({ sequence_number: 3 })), producer(), rememberedOf(first));
  expect(next.kind === 'accept' && next.tolerated.map(({ rule }) => rule)).toEqual([
    'story-context.additionalProperties',
    'sequence_number.gap',
  ]);
  const payload = { ...payloadOf('telling.ended'), mood: 'festive' };
  const telling = { ...envelope('telling.ended', payload), som_version: '1.1.0' };
  expect(judgementOf(bytesOf(telling), producer(), {})).toMatchObject({
    kind: 'accept',
    tolerated: [{ rule: 'telling-event.additionalProperties', path: '/payload' }],
  });
});

test('message_id.reused: other content with an accepted id is refused, before the sequence; the same is a duplicate', () => {
  const state = rememberedOf(judgementOf(bytesOf(message), producer(), {}));
  const other = { ...message, topic: 'som.other' };
  const accepted = acceptedFrom(message);
  for (const before of [{ accepted }, { accepted, ...state }]) {
    expect(rulesOf(judgementOf(bytesOf(other), producer(), before))).toEqual([
      'message_id.reused /message_id',
    ]);
    expect(judgementOf(bytesOf(message), producer(), before).kind).toBe('duplicate');
  }
});

describe('sequence', () => {
  /** The judgement of a snapshot after another one; what is undefined in it is left out. */
  const following = (last: Json, next: Json): JudgementOf => {
    const first = judgementOf(bytesOf(envelope('story.context', story(last))), producer(), {});
    const given = bytesOf(envelope('story.context', story({ sequence_number: 2, ...next })));
    return judgementOf(given, producer(), rememberedOf(first));
  };

  const asset = (asset_id: string, asset_type: string) => ({
    asset_id,
    asset_type,
    status: 'READY',
  });
  /** A story of a type that has no lifecycle. */
  const without = (story_type: string): Json => ({ story_type, lifecycle: undefined });
  const at = (updated_at: string) => ({ updated_at });
  const drone = asset('drone-shot', 'VIDEO');
  const same = (type: string) => asset('__proto__', type);
  const dropped = 'snapshot.assets_dropped /payload/assets';
  const missing = 'snapshot.members_missing /payload';

  test.each<[string, Json, Json]>([
    [
      'an instant in another time zone',
      at('2026-02-03T10:00:00Z'),
      at('2026-02-03T11:00:00+01:00'),
    ],
    ['a later one that looks earlier', at('2026-02-03T10:00:00+01:00'), at('2026-02-03T09:30:00Z')],
    ['a new member', {}, { newsroom_id: 'n' }],
    ['no lifecycle once it is not ACTIVE', {}, without('KILLED')],
    ['less within a member', { story_meaning: { why: 'w' } }, { story_meaning: {} }],
    [
      'another asset, and another order',
      { assets: [drone] },
      { assets: [asset('new', 'CG'), drone] },
    ],
    [
      'an asset that was listed twice',
      { assets: [same('CG'), same('CG')] },
      { assets: [same('CG')] },
    ],
    ['another type of story', {}, without('ORPHAN')],
  ])('takes %s', (_what, last, next) => {
    expect(following(last, next)).toMatchObject({ kind: 'accept', tolerated: [] });
  });

  test.each([2, 9])('sequence_number.not_increasing: 2 after %i', number => {
    const rules = ['sequence_number.not_increasing /payload/sequence_number'];
    expect(rulesOf(following({ sequence_number: number }, {}))).toEqual(rules);
  });

  test.each([
    ['2026-02-03T10:00:00Z', '2026-02-03T10:59:59+01:00'],
    ['2026-02-03T10:00:00.002Z', '2026-02-03T10:00:00.0019Z'],
  ])('updated_at.backwards: after %s comes %s', (last, next) => {
    expect(rulesOf(following(at(last), at(next)))).toEqual([
      'updated_at.backwards /payload/updated_at',
    ]);
  });

  test('snapshot.members_missing: a snapshot without a member of the last one is refused', () => {
    expect(rulesOf(following({ newsroom_id: 'n' }, {}))).toEqual([missing]);
  });

  test('snapshot.assets_dropped: a snapshot without an asset of the last one is refused', () => {
    for (const assets of [[drone], [drone, asset('new', 'CG')]])
      expect(rulesOf(following({}, { assets }))).toEqual([dropped]);
    expect(rulesOf(following({}, { assets: undefined }))).toEqual([missing, dropped]);
  });

  test('asset.type_changed: each asset with a changed type is reported, with its path', () => {
    const assets = [asset('new', 'CG'), asset('drone-shot', 'AUDIO'), asset('ribbon-map', 'MAP')];
    const changed = 'asset.type_changed /payload/assets';
    expect(rulesOf(following({}, { assets }))).toEqual([changed, changed]);
    for (const [last, next] of [
      [[same('CG'), same('CG')], [same('MAP')]],
      [[same('CG')], [same('CG'), same('MAP')]],
    ])
      expect(rulesOf(following({ assets: last }, { assets: next }))).toEqual([changed]);
  });

  test.each(['KILLED', 'SPIKED', 'ARCHIVED'])(
    'story_type.left_terminal: a story that is %s changes only between the final types',
    last => {
      for (const next of ['KILLED', 'SPIKED', 'ARCHIVED'])
        expect(rulesOf(following(without(last), without(next)))).toBe('accept');
      for (const next of [without('PLANNED'), without('ORPHAN'), { story_type: 'ACTIVE' }])
        expect(rulesOf(following(without(last), next))).toEqual([
          'story_type.left_terminal /payload/story_type',
        ]);
    },
  );

  test('sequence_number.gap: a jump is accepted and reported; the first snapshot may start anywhere', () => {
    expect(following({ sequence_number: 1000 }, { sequence_number: 1002 })).toMatchObject({
      kind: 'accept',
      tolerated: [
        { source: 'sequence', rule: 'sequence_number.gap', path: '/payload/sequence_number' },
      ],
    });
  });

  test('sequence_number.not_increasing: numbers are compared to the last digit', () => {
    const text = JSON.stringify(envelope('story.context', story({ sequence_number: 1 })));
    const numbered = (n: string, before: Before = {}) =>
      judgementOf(Buffer.from(text.replace('number":1', `number":${n}`)), producer(), before);
    const first = numbered('9007199254740993');
    expect(first).toMatchObject({ tolerated: [] });
    const state = rememberedOf(first);
    expect(rulesOf(numbered('9007199254740993.0', state))).toEqual([
      'sequence_number.not_increasing /payload/sequence_number',
    ]);
    expect(numbered('9007199254740994', state)).toMatchObject({ kind: 'accept', tolerated: [] });
    expect(numbered('9007199254740995', state)).toMatchObject({
      tolerated: [{ rule: 'sequence_number.gap' }],
    });
  });

  test('all its violations are reported together', () => {
    const given = following(
      {
        ...without('KILLED'),
        newsroom_id: 'n',
        sequence_number: 3,
        updated_at: '2026-02-04T10:00:00Z',
      },
      { assets: [asset('drone-shot', 'CG')] },
    );
    expect(rulesOf(given)).toEqual([
      'sequence_number.not_increasing /payload/sequence_number',
      'updated_at.backwards /payload/updated_at',
      missing,
      dropped,
      'story_type.left_terminal /payload/story_type',
      'asset.type_changed /payload/assets',
    ]);
  });

  test('other families have no sequence rules', () => {
    expect(judgementOf(bytesOf(fullMessage('telling.started')), producer(), {})).not.toHaveProperty(
      'story',
    );
  });
});

describe('a sender that may not read the last snapshot', () => {
  const assets = Array.from({ length: 12 }, (_, at) => ({
    ...{ asset_id: `secret-${at}`, asset_type: 'VIDEO', status: 'READY' },
  }));
  const last = story({ sequence_number: 7_001, updated_at: '2026-05-04T09:17:31Z', assets });
  const before = rememberedOf(
    judgementOf(bytesOf(envelope('story.context', last)), producer(), {}),
  );
  const judged = (changes: Json, readsLast: boolean) => {
    const bytes = bytesOf(
      envelope('story.context', story({ updated_at: '2026-05-04T09:17:31Z', ...changes })),
    );
    return judgementOf(bytes, producer(), { ...before, readsLast });
  };

  test('sequence_number.not_increasing, updated_at.backwards, snapshot.members_missing, snapshot.assets_dropped: is told the rules and no values', () => {
    const changes = { sequence_number: 1, updated_at: '2020-01-01T00:00:00Z', tags: undefined };
    const refused = judged(changes, false);
    if (refused.kind !== 'refuse') throw new Error('it was accepted');
    expect(refused.violations).toEqual(
      [
        ['sequence_number.not_increasing', '/payload/sequence_number'],
        ['updated_at.backwards', '/payload/updated_at'],
        ['snapshot.members_missing', '/payload'],
        ['snapshot.assets_dropped', '/payload/assets'],
      ].map(([rule = '', path]) => ({
        ...{ source: 'sequence', rule, path, message: rules[rule as RuleId].meaning },
      })),
    );
    expect(judged(changes, true)).toMatchObject({
      violations: expect.arrayContaining([
        expect.objectContaining({ message: expect.stringContaining('7001') }),
      ]),
    });
  });

  test('asset.type_changed: is told once, however many assets are guessed', () => {
    const guessed = assets.map(one => ({ ...one, asset_type: 'AUDIO' }));
    const changes = { sequence_number: 7_002, assets: guessed };
    expect(rulesOf(judged(changes, false))).toEqual(['asset.type_changed /payload/assets']);
    expect(rulesOf(judged(changes, true))).toHaveLength(12);
  });

  test('sequence_number.gap: is told without the last number', () => {
    const accepted = judged({ sequence_number: 7_009, assets }, false);
    expect(accepted).toMatchObject({
      kind: 'accept',
      tolerated: [{ rule: 'sequence_number.gap', message: rules['sequence_number.gap'].meaning }],
    });
  });
});

describe('asset.type_changed: an asset that one snapshot lists with two types', () => {
  const asset = (asset_type: string, asset_id = 'a') => ({
    ...{ asset_id, asset_type, status: 'READY' },
  });
  const judged = (assets: readonly Json[], before: Before = {}, sequence_number = 1) =>
    judgementOf(
      bytesOf(envelope('story.context', story({ sequence_number, assets }))),
      producer(),
      before,
    );

  test('is refused in a first snapshot', () => {
    expect(judged([asset('VIDEO'), asset('AUDIO')])).toMatchObject({
      kind: 'refuse',
      violations: [
        {
          rule: 'asset.type_changed',
          message:
            'Found "AUDIO"; the same snapshot lists the asset "a" as "VIDEO", and its type must not change.',
          path: '/payload/assets',
        },
      ],
    });
    expect(rulesOf(judged([asset('VIDEO'), asset('VIDEO')]))).toBe('accept');
  });

  test('is refused in a later one, known or new', () => {
    const before = rememberedOf(judged([asset('VIDEO')]));
    const changed = ['asset.type_changed /payload/assets'];
    expect(rulesOf(judged([asset('VIDEO'), asset('AUDIO')], before, 2))).toEqual(changed);
    const fresh = [asset('VIDEO'), asset('VIDEO', 'b'), asset('AUDIO', 'b')];
    expect(rulesOf(judged(fresh, before, 2))).toEqual(changed);
  });
});

describe('who may read the last snapshot of a story', () => {
  const guestSince = '2026-03-01T00:00:00Z';
  const invited = Date.parse(guestSince);
  const readers = (organisations: readonly string[], acceptedAt: number) => ({
    guestReaders: { organisations, acceptedAt },
  });
  const guest = producer({ organisation: 'oguest222222', guestSince });

  test('the house may, whoever had part in it', () => {
    expect(readsSnapshot({}, producer())).toBe(true);
    expect(readsSnapshot(readers(['oguest222222'], invited), producer())).toBe(true);
  });

  test.each<[string, Parameters<typeof readsSnapshot>[0], boolean]>([
    ['that sent or received it', readers(['oother222222', 'oguest222222'], invited + 1), true],
    ['as its invitation began', readers(['oguest222222'], invited), true],
    ['before its invitation', readers(['oguest222222'], invited - 1), false],
    ['if only other guests had part in it', readers(['oother222222'], invited), false],
    ['if no guest had part in it', {}, false],
  ])('a guest %s: %#', (_what, story, reads) => {
    expect(readsSnapshot(story, guest)).toBe(reads);
  });
});

describe('the guests that may read a message', () => {
  const guestSince = '2026-03-01T00:00:00Z';
  const house = producer({ id: 'chouse222222' });
  const guest = producer({ id: 'cguest222222', organisation: 'oguest222222', guestSince });
  const others = ['cother222222', 'cother333333'].map(id =>
    producer({ id, organisation: 'oother222222', guestSince }),
  );
  const targetsFor = (...ids: readonly string[]) => ({
    acceptedAt: 7_000,
    targets: ids.map(connection => ({ connection, queue: `${connection}.fifo` })),
  });

  test('are its sender and those that it is for, each organisation once', () => {
    const entry = targetsFor('chouse222222', 'cother222222', 'cother333333');
    expect(guestReadersOf(guest, [house, ...others], entry)).toEqual({
      organisations: ['oguest222222', 'oother222222'],
      acceptedAt: 7_000,
    });
  });

  test('are none if it is only for the house', () => {
    const ofHouse = targetsFor('chouse222222');
    expect(guestReadersOf(house, [house, guest, ...others], ofHouse)).toBeUndefined();
    expect(guestReadersOf(house, [guest], targetsFor('cguest222222'))).toEqual({
      organisations: ['oguest222222'],
      acceptedAt: 7_000,
    });
  });
});

describe('a refusal by what the ledger knows', () => {
  const last = acceptedFrom(envelope('story.context', story({ sequence_number: 7 })));
  const next = (sequence_number: number) =>
    acceptedFrom(envelope('story.context', story({ sequence_number })));
  const withStory: LedgerState = {
    head: emptyHead,
    story: { state: last.story as NonNullable<Message['story']>, version: 1 },
  };
  const acceptedAs = ({ messageId, bodyHash, correlationId }: Message): LedgerState => ({
    ...withStory,
    accepted: { messageId, bodyHash, correlationId, number: 1, attempt: 'another' },
  });

  /** A ledger whose reads find one state after the other. */
  const ledgerThatKnows = (...states: readonly LedgerState[]) => {
    const keys: unknown[] = [];
    const ledger: LedgerView = {
      read: async key => {
        const state = states[keys.length];
        keys.push(key);
        if (!state) throw new Error('it was read too often');
        return state;
      },
      bodyOf: async () => undefined,
    };
    return { ledger, keys };
  };

  const key = {
    workspace: 'waaaaaaaaaaaa',
    messageId: '6f1c7c1e-58a5-4d0e-9a53-000000000001',
    correlationId: '6f1c7c1e-58a5-4d0e-9a53-000000000002',
    storyId: 'bridge-opening',
  };

  test('counts only if a second read does not find the message either', async () => {
    const { ledger, keys } = ledgerThatKnows(withStory, withStory);
    const { judgement, state } = await consult(ledger, producer(), next(7));
    expect(judgement).toMatchObject({
      kind: 'refuse',
      violations: [{ rule: 'sequence_number.not_increasing' }],
    });
    expect(state).toBe(withStory);
    expect(keys).toEqual([key, key]);
  });

  test('is none if another attempt has committed this message in between', async () => {
    const message = next(7);
    const found = acceptedAs(message);
    const { ledger } = ledgerThatKnows(withStory, found);
    const { judgement, state } = await consult(ledger, producer(), message);
    expect(judgement.kind).toBe('duplicate');
    expect(state).toBe(found);
  });

  test('message_id.reused: counts at once, as an acceptance does', async () => {
    const reused = ledgerThatKnows({ ...acceptedAs(last) });
    const { judgement } = await consult(reused.ledger, producer(), next(8));
    expect(judgement).toMatchObject({ violations: [{ rule: 'message_id.reused' }] });
    const fresh = ledgerThatKnows(withStory);
    expect(await consult(fresh.ledger, producer(), next(8))).toMatchObject({
      judgement: { kind: 'accept' },
    });
    expect([reused.keys, fresh.keys]).toEqual([[key], [key]]);
  });

  test('a message that is no snapshot reads no story', async () => {
    const { ledger, keys } = ledgerThatKnows({ head: emptyHead });
    await consult(ledger, producer(), acceptedFrom(fullMessage('telling.started')));
    const { storyId: _none, ...withoutStory } = key;
    expect(keys).toEqual([withoutStory]);
  });
});

test('at most 50 remarks are told of an accepted message, those of the sequence last', () => {
  const members = Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => [`mood_${index}`, 'festive']),
  );
  const later = (changes: Json) => ({
    ...envelope('story.context', story(changes)),
    som_version: '1.1.0',
  });
  const before = rememberedOf(judgementOf(bytesOf(later({})), producer(), {}));
  const judged = judgementOf(
    bytesOf(later({ ...members, sequence_number: 3 })),
    producer(),
    before,
  );
  const told = judged.kind === 'accept' ? judged.tolerated.map(({ rule }) => rule) : [];
  expect(told).toEqual(Array.from({ length: 50 }, () => 'story-context.additionalProperties'));
});
