import { rules } from '../../../lib/contract/rules.ts';
import {
  follow,
  parseStoryState,
  type StoryState,
  storyStateOf,
  storyStateText,
  toldOfSnapshot,
} from '../../../lib/som/stories/sequence-rules.ts';

const asset = (id: string, type: string) => ({ id, type });
const review = (id: string, state: string) => ({ id, state });

const last: StoryState = {
  storyId: 'bridge',
  sequenceNumber: 5n,
  updatedAt: '2026-02-03T12:00:00Z',
  storyType: 'ACTIVE',
  members: ['story_id', 'lifecycle', 'assets'],
  assets: [asset('a', 'IMAGE'), asset('b', 'VIDEO')],
  reviews: [],
};
const next: StoryState = { ...last, sequenceNumber: 6n };

type Told = ReturnType<typeof follow>['refused'];

const linesOf = (violations: Told): readonly string[] =>
  violations.map(({ rule, path, message }) => `${rule} ${path}: ${message}`);

const refusedOf = (change: Partial<StoryState>, before: Partial<StoryState> = {}) => {
  const all = follow({ ...last, ...before }, { ...next, ...change }, { readsLast: true });
  return linesOf(all.refused);
};

const toldOf = (change: Partial<StoryState>, before: Partial<StoryState> = {}) => {
  const all = follow({ ...last, ...before }, { ...next, ...change }, { readsLast: true });
  return linesOf(all.tolerated);
};

test('a snapshot that goes on as it should is neither refused nor told of', () => {
  expect(follow(last, next, { readsLast: true })).toEqual({
    refused: [],
    tolerated: [],
    state: next,
  });
});

describe('the number of a snapshot', () => {
  test.each([
    [5n, '5'],
    [4n, '4'],
    [0n, '0'],
  ])('sequence_number.not_increasing: %s after 5', (sequenceNumber, found) => {
    expect(refusedOf({ sequenceNumber })).toEqual([
      'sequence_number.not_increasing /payload/sequence_number: ' +
        `Found ${found}; the last accepted snapshot has 5. Send a greater number.`,
    ]);
  });

  test('sequence_number.not_increasing: a long number is shortened', () => {
    const before = { sequenceNumber: 10n ** 60n };
    const number = `1${'0'.repeat(39)}…`;
    expect(refusedOf({ sequenceNumber: 10n ** 60n }, before)[0]).toContain(
      `Found ${number}; the last accepted snapshot has ${number}.`,
    );
  });

  test('sequence_number.gap: 7 after 5 is told', () => {
    expect([toldOf({ sequenceNumber: 7n }), refusedOf({ sequenceNumber: 7n })]).toEqual([
      [
        'sequence_number.gap /payload/sequence_number: ' +
          'Found 7 after 5; the snapshots between were not accepted.',
      ],
      [],
    ]);
  });
});

describe('the time of a snapshot', () => {
  test('updated_at.backwards: a second earlier', () => {
    expect(refusedOf({ updatedAt: '2026-02-03T11:59:59Z' })).toEqual([
      'updated_at.backwards /payload/updated_at: Found 2026-02-03T11:59:59Z; the last accepted ' +
        'snapshot has 2026-02-03T12:00:00Z. Send the same time or a later one.',
    ]);
  });

  test.each(['2026-02-03T13:00:00+01:00', '2026-02-03T12:00:00.001Z', 'no time'])(
    'may be %s',
    updatedAt => {
      expect(refusedOf({ updatedAt })).toEqual([]);
    },
  );

  test('is not compared with what is no time', () => {
    expect(refusedOf({}, { updatedAt: 'no time' })).toEqual([]);
  });
});

describe('the members of a snapshot', () => {
  const missing = (names: string) =>
    `snapshot.members_missing /payload: Missing ${names}, which the last accepted snapshot has: ` +
    'every snapshot must be complete.';

  test('snapshot.members_missing: one that the last had', () => {
    expect(refusedOf({ members: ['more', 'lifecycle', 'story_id'] })).toEqual([
      missing('"assets"'),
    ]);
  });

  test('snapshot.members_missing: a lifecycle, while the story is active', () => {
    const members = ['story_id', 'assets'];
    expect(refusedOf({ members })).toEqual([missing('"lifecycle"')]);
    expect(refusedOf({ members, storyType: 'KILLED' })).toEqual([]);
    expect(refusedOf({ members: ['assets'], storyType: 'KILLED' })).toEqual([
      missing('"story_id"'),
    ]);
  });

  test('snapshot.members_missing: five are named, the rest is counted', () => {
    const five = ['a', 'b', 'c', 'd', 'e'];
    const names = '"a", "b", "c", "d", "e"';
    expect(refusedOf({ members: [] }, { members: five })).toEqual([missing(names)]);
    expect(refusedOf({ members: [] }, { members: [...five, 'f', 'g'] })).toEqual([
      missing(`${names} and 2 more`),
    ]);
  });
});

describe('the assets of a snapshot', () => {
  const changed = (words: string) =>
    `asset.type_changed /payload/assets: ${words}, and its type must not change.`;

  test('snapshot.assets_dropped: one that the last had', () => {
    expect(refusedOf({ assets: [asset('c', 'IMAGE'), asset('a', 'IMAGE')] })).toEqual([
      'snapshot.assets_dropped /payload/assets: Missing "b", which the last accepted snapshot ' +
        'has: keep an asset that is no longer used, as INVALIDATED.',
    ]);
  });

  test('may be more, and in another order', () => {
    expect(refusedOf({ assets: [...last.assets, asset('c', 'AUDIO')] })).toEqual([]);
    expect(refusedOf({ assets: [asset('c', 'AUDIO'), ...last.assets.toReversed()] })).toEqual([]);
  });

  test('asset.type_changed: of one that the last had', () => {
    const words = 'Found "AUDIO"; the asset "b" was first sent as "VIDEO"';
    expect(refusedOf({ assets: [asset('a', 'IMAGE'), asset('b', 'AUDIO')] })).toEqual([
      changed(words),
    ]);
    // Beside one that is as it was.
    expect(refusedOf({ assets: [...last.assets, asset('b', 'AUDIO')] })).toEqual([changed(words)]);
  });

  test('asset.type_changed: of two that changed places', () => {
    expect(refusedOf({ assets: [asset('b', 'IMAGE'), asset('a', 'VIDEO')] })).toEqual([
      changed('Found "IMAGE"; the asset "b" was first sent as "VIDEO"'),
      changed('Found "VIDEO"; the asset "a" was first sent as "IMAGE"'),
    ]);
  });

  const twice = [asset('c', 'IMAGE'), asset('d', 'AUDIO'), asset('c', 'TEXT'), asset('d', 'AUDIO')];

  test('asset.type_changed: of one that a snapshot lists with two types', () => {
    const line = changed('Found "TEXT"; the same snapshot lists the asset "c" as "IMAGE"');
    expect(refusedOf({ assets: [...last.assets, ...twice] })).toEqual([line]);
    const first = follow(undefined, { ...next, assets: twice }, { readsLast: false });
    expect([linesOf(first.refused), first.tolerated]).toEqual([[line], []]);
  });

  test('are stored as they were listed first', () => {
    const kept = follow(undefined, { ...next, assets: twice }, { readsLast: true });
    expect(kept.state).toEqual({ ...next, assets: twice.slice(0, 2) });
    // Without a copy, if none is listed twice.
    expect(follow(last, next, { readsLast: true }).state.assets).toBe(next.assets);
  });

  test('asset.type_changed: fifty are told, of the first snapshot too', () => {
    const many = (type: string, count: number) =>
      Array.from({ length: count }, (_, n) => asset(`n${n}`, type));
    const assets = [...many('IMAGE', 60), ...many('VIDEO', 60)];
    expect(refusedOf({ assets: many('VIDEO', 60) }, { assets: many('IMAGE', 60) })).toHaveLength(
      50,
    );
    expect(follow(undefined, { ...next, assets }, { readsLast: true }).refused).toHaveLength(50);
  });
});

describe('the type of a story', () => {
  test.each(['KILLED', 'SPIKED', 'ARCHIVED'])(
    'story_type.left_terminal: %s is the end',
    storyType => {
      expect(refusedOf({}, { storyType })).toEqual([
        `story_type.left_terminal /payload/story_type: Found "ACTIVE"; the story is ${storyType} ` +
          'and may only change to KILLED, SPIKED or ARCHIVED.',
      ]);
      expect(refusedOf({ storyType: 'ARCHIVED' }, { storyType })).toEqual([]);
      expect(refusedOf({ storyType })).toEqual([]);
    },
  );
});

describe('the reviews of a snapshot', () => {
  const reopened = (index: number, id: string, was: string) =>
    `assertion.review_reopened /payload/assertions/${index}/review/state: The review of "${id}" ` +
    `was ${was} and is PENDING again.`;

  test.each(['CONFIRMED', 'REJECTED'])(
    'assertion.review_reopened: one that was %s is pending',
    was => {
      const reviews = [review('other', 'PENDING'), review('one', 'PENDING')];
      expect(toldOf({ reviews }, { reviews: [review('one', was)] })).toEqual([
        reopened(1, 'one', was),
      ]);
    },
  );

  test.each([
    ['PENDING', 'PENDING'],
    ['', 'PENDING'],
    ['CONFIRMED', 'REJECTED'],
    ['CONFIRMED', ''],
  ])('may change from "%s" to "%s"', (was, state) => {
    expect(toldOf({ reviews: [review('one', state)] }, { reviews: [review('one', was)] })).toEqual(
      [],
    );
  });

  test('count as the last of one assertion says', () => {
    const pending = [review('one', 'PENDING'), review('one', 'CONFIRMED')];
    const settled = [review('one', 'CONFIRMED')];
    expect(toldOf({ reviews: pending }, { reviews: settled })).toEqual([]);
    expect(toldOf({ reviews: [review('one', 'PENDING')] }, { reviews: pending })).toEqual([
      reopened(0, 'one', 'CONFIRMED'),
    ]);
    expect(
      toldOf({ reviews: [review('one', 'PENDING'), review('one', '')] }, { reviews: settled }),
    ).toEqual([reopened(0, 'one', 'CONFIRMED')]);
  });
});

test('everything that is wrong is told, the numbers first', () => {
  const wrong: StoryState = {
    ...last,
    updatedAt: '2026-02-03T11:00:00Z',
    members: [],
    assets: [asset('a', 'TEXT'), asset('c', 'IMAGE'), asset('c', 'TEXT')],
    storyType: 'PLANNED',
  };
  const before = { ...last, storyType: 'KILLED' };
  const { refused } = follow(before, wrong, { readsLast: true });
  expect(refused.map(({ rule }) => rule)).toEqual([
    'sequence_number.not_increasing',
    'updated_at.backwards',
    'snapshot.members_missing',
    'snapshot.assets_dropped',
    'story_type.left_terminal',
    'asset.type_changed',
    'asset.type_changed',
  ]);
});

test('who may not read the last snapshot is told each rule once, without its values', () => {
  const change = {
    assets: [asset('a', 'TEXT'), asset('b', 'TEXT'), asset('c', 'IMAGE'), asset('c', 'TEXT')],
    sequenceNumber: 9n,
  };
  const { refused, tolerated } = follow(last, { ...next, ...change }, { readsLast: false });
  expect(linesOf(refused)).toEqual([
    `asset.type_changed /payload/assets: ${rules['asset.type_changed'].meaning}`,
    // What the snapshot itself says is no secret.
    'asset.type_changed /payload/assets: Found "TEXT"; the same snapshot lists the asset "c" as ' +
      '"IMAGE", and its type must not change.',
  ]);
  expect(linesOf(tolerated)).toEqual([
    `sequence_number.gap /payload/sequence_number: ${rules['sequence_number.gap'].meaning}`,
  ]);
});

describe('what is told of a snapshot by itself', () => {
  const story = {
    updated_at: '2026-02-03T12:00:00Z',
    editorial_source: [
      { source_id: 'wire-1', received_at: '2026-02-03T12:00:00Z' },
      { source_id: 'wire-2', received_at: '2026-02-03T12:00:01Z' },
      { received_at: 'no time' },
    ],
    content_refs: [{ source_id: 'wire-1' }, {}, { source_id: 'wire-3' }],
  };

  test('are sources that are not listed, and those that came later', () => {
    expect(linesOf(toldOfSnapshot(story))).toEqual([
      'content_refs.source_unresolved /payload/content_refs/2/source_id: Found "wire-3"; ' +
        'editorial_source lists no such source_id.',
      'editorial_source.received_after_update /payload/editorial_source/1/received_at: Found ' +
        '2026-02-03T12:00:01Z; the snapshot was updated at 2026-02-03T12:00:00Z.',
    ]);
  });

  test('is nothing, if it has no sources or no time', () => {
    expect(toldOfSnapshot({ updated_at: story.updated_at })).toEqual([]);
    expect(toldOfSnapshot({ ...story, updated_at: 'no time', content_refs: 'none' })).toEqual([]);
    expect([toldOfSnapshot('text'), toldOfSnapshot(null)]).toEqual([[], []]);
  });
});

describe('the state of a story', () => {
  const payload = {
    story_id: 'bridge',
    sequence_number: 5,
    updated_at: last.updatedAt,
    story_type: 'ACTIVE',
    assets: [{ asset_id: 'a', asset_type: 'IMAGE' }, 'no asset'],
    assertions: [
      { assertion_id: 'one', review: { state: 'PENDING' } },
      { assertion_id: 'two' },
      'no assertion',
    ],
  };
  const state: StoryState = {
    storyId: 'bridge',
    sequenceNumber: 5n,
    updatedAt: last.updatedAt,
    storyType: 'ACTIVE',
    members: Object.keys(payload),
    assets: [asset('a', 'IMAGE'), asset('', '')],
    reviews: [review('one', 'PENDING'), review('two', ''), review('', '')],
  };
  const none: StoryState = {
    ...{ storyId: '', sequenceNumber: 0n, updatedAt: '', storyType: '' },
    ...{ members: [], assets: [], reviews: [] },
  };

  test('is what a payload has of it', () => {
    expect(storyStateOf(payload)).toEqual(state);
    expect(storyStateOf(payload, '9007199254740993').sequenceNumber).toBe(9007199254740993n);
    expect([storyStateOf(null), storyStateOf('text')]).toEqual([none, none]);
    expect(storyStateOf({ assets: 'none', assertions: {} })).toEqual({
      ...none,
      members: ['assets', 'assertions'],
    });
  });

  test('is read as it was written, with every digit', () => {
    const large = { ...state, sequenceNumber: 9007199254740993n };
    expect(parseStoryState(storyStateText(large))).toEqual(large);
    const more = JSON.stringify({ ...JSON.parse(storyStateText(large)), more: 1 });
    expect(parseStoryState(more)).toEqual(large);
  });

  test.each<[keyof StoryState, unknown]>([
    ['storyId', 5],
    ['sequenceNumber', 5],
    ['sequenceNumber', '-5'],
    ['sequenceNumber', '5.0'],
    ['updatedAt', null],
    ['storyType', undefined],
    ['members', 'story_id'],
    ['members', ['story_id', 5]],
    ['assets', {}],
    ['assets', [asset('a', 'IMAGE'), 'b']],
    ['assets', [{ id: 'a' }]],
    ['assets', [{ type: 'IMAGE' }]],
    ['reviews', {}],
    ['reviews', [review('a', ''), 'b']],
    ['reviews', [{ id: 'a' }]],
    ['reviews', [{ state: '' }]],
  ])('is none if its %s is %j', (name, value) => {
    const written = JSON.parse(storyStateText(state));
    expect(parseStoryState(JSON.stringify({ ...written, [name]: value }))).toBeUndefined();
  });

  test.each(['[]', '"text"', 'null'])('is none in %s', text => {
    expect(parseStoryState(text)).toBeUndefined();
  });
});
