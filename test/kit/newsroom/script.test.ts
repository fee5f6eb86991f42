import { isEnded } from '../../../lib/kit/executor/evaluate.ts';
import { derivedId, houseIds, instant } from '../../../lib/kit/newsroom/day.ts';
import { roleTable, systemOf } from '../../../lib/kit/newsroom/roles.ts';
import { script, withCoverage } from '../../../lib/kit/newsroom/script.ts';
import {
  coverageAsset,
  filled,
  mergedAssets,
  nextState,
  type State,
  type StorySnapshot,
  snapshotOf,
  stageOf,
} from '../../../lib/kit/newsroom/story.ts';
import { dated } from './whole-day.ts';

const day = dated('2026-11-22');
const beats = script(day);

test('a beat is a whole message: the clip of a passer-by is the first of the day', () => {
  const story = 'tip-clip.day-20261122';
  const clip = `${story}/clip`;
  const now = '2026-11-22T06:05:00.000Z';
  expect(beats[0]).toEqual({
    by: 'mam',
    story: 'tip-clip',
    note: 'a phone video of the girder, filed as an orphan',
    at: Date.parse(now),
    message: {
      som_version: '1.0.0',
      message_id: derivedId('beat', story, '1'),
      correlation_id: houseIds.correlation(story),
      message_type: 'story.context',
      timestamp: now,
      originating_system: { system_id: 'fennel-mam', system_type: 'archive' },
      topic: 'som.story.context',
      payload: {
        story_id: story,
        story_type: 'ORPHAN',
        slug: 'TIP-CLIP',
        headline: 'Phone video of a bridge girder',
        newsroom_id: 'fennel-demo',
        editorial_source: [
          {
            source_id: 'passer-by',
            source_type: 'USER_GENERATED',
            provider: 'a passer-by',
            credibility: 'UNVERIFIED',
            received_at: now,
          },
        ],
        editorial_gates: [
          {
            gate_id: 'clip-gate',
            gate_type: 'VERIFICATION',
            status: 'PENDING',
            blocks: [{ kind: 'ASSET', ref: clip }],
          },
        ],
        assertions: [
          {
            assertion_id: 'clip-match',
            assertion_type: 'MATCH',
            target: { kind: 'ASSET', id: clip },
            claim: { story_id: 'sorrel-bridge.day-20261122' },
            asserted_at: now,
            confidence: 0.88,
            review: { state: 'PENDING' },
            provenance: { author: 'MODEL', model: 'quay-match', model_version: '1.4' },
          },
        ],
        assets: [
          {
            asset_id: clip,
            asset_type: 'VIDEO',
            status: 'READY',
            evidential_position: 'PRIMARY',
            produced_by: 'fennel-mam',
          },
        ],
        sequence_number: 1,
        updated_at: now,
      },
    },
  });
});

test('the beats follow the clock, whichever story they are of', () => {
  expect(
    beats.map(({ story, at }) => `${new Date(at).toISOString().slice(11, 16)} ${story}`),
  ).toEqual([
    '06:05 tip-clip',
    '06:50 sorrel-bridge',
    '08:20 sorrel-bridge',
    '09:40 sorrel-bridge',
    '10:25 sorrel-bridge',
    '11:00 sorrel-bridge',
    '11:45 night-market',
    '12:20 sorrel-bridge',
    '14:00 sorrel-bridge',
    '14:40 night-market',
    '16:15 sorrel-bridge',
    '18:05 sorrel-bridge',
  ]);
});

describe('a story of the newsroom system', () => {
  const story = 'night-market.day-20261122';
  const [first, later] = beats
    .filter(beat => beat.story === 'night-market')
    .map(({ message }) => message.payload);
  const coverage = {
    asset_id: `${story}/coverage`,
    asset_type: 'VIDEO',
    status: 'READY',
    produced_by: 'fennel-mam',
    media_refs: [{ locator: { store: 'fennel-mam', ref: `coverage/${story}` } }],
  };

  test('has after its first snapshot what was delivered for it', () => {
    expect(coverageAsset(story)).toEqual(coverage);
    expect(first).not.toHaveProperty('assets');
    expect(later).toEqual({
      ...first,
      headline: later?.headline,
      assets: [coverage],
      sequence_number: 3,
      updated_at: '2026-11-22T14:40:00.000Z',
    });
    expect(later?.headline).not.toBe(first?.headline);
  });

  test('is sent again a minute after its first snapshot, with what was delivered', () => {
    const again = { sequence_number: 2, updated_at: '2026-11-22T11:46:00.000Z' };
    expect(withCoverage(beats, houseIds.correlation(story))).toEqual({
      ...first,
      ...again,
      assets: [coverage],
    });
    expect(withCoverage(beats, houseIds.correlation('tip-clip.day-20261122'))).toBeUndefined();
    expect(withCoverage(beats, houseIds.correlation('unknown'))).toBeUndefined();
  });
});

describe('a snapshot after a change', () => {
  const stage = stageOf(day, 'ferry', '10:00');
  const one = { asset_id: 'one', asset_type: 'VIDEO', status: 'READY' } as const;
  const other = { ...one, asset_id: 'other' } as const;
  const change = { time: '10:00', sequence: 4, note: 'a note' } as const;
  const empty: State = { members: { slug: 'FERRY', headline: 'A ferry' } };
  const now = '2026-11-22T10:00:00.000Z';

  test('keeps what the change does not name', () => {
    expect(nextState(empty, change, stage)).toStrictEqual(empty);
    expect(nextState(empty, { ...change, assets: [one] }, stage)).toStrictEqual({
      members: { ...empty.members, assets: [one] },
    });
    const before = { members: { ...empty.members, assets: [one, other] } };
    const ready = { ...other, status: 'IN_PRODUCTION' } as const;
    const set = { headline: '{story ferry}' };
    expect(nextState(before, { ...change, set, assets: [ready] }, stage)).toEqual({
      members: { slug: 'FERRY', headline: 'ferry.day-20261122', assets: [one, ready] },
    });
  });

  test('names the phase that it enters, since when, and the one before', () => {
    const developing = nextState(empty, { ...change, phase: 'DEVELOPING' }, stage);
    const phase = { phase: 'DEVELOPING', phase_entered_at: now };
    expect(developing).toEqual({ ...empty, phase });
    const later = stageOf(day, 'ferry', '11:00');
    expect(nextState(developing, change, later)).toEqual(developing);
    expect(nextState(developing, { ...change, phase: 'BREAKING' }, later).phase).toEqual({
      phase: 'BREAKING',
      phase_entered_at: '2026-11-22T11:00:00.000Z',
      previous_phase: 'DEVELOPING',
    });
  });

  test('is of the type that its story has, or that the change gives it', () => {
    const phase = { phase: 'DEVELOPING', phase_entered_at: now } as const;
    const story = { name: 'ferry', by: 'ncs', start: empty.members, changes: [] } as const;
    const common = {
      story_id: 'ferry.day-20261122',
      ...empty.members,
      sequence_number: 4,
      updated_at: now,
    };
    const shown = (
      type: 'ACTIVE' | 'ORPHAN',
      killed?: 'KILLED',
      state: State = { ...empty, phase },
    ) =>
      snapshotOf(
        { day, story: { ...story, type }, change: { ...change, ...(killed && { type: killed }) } },
        state,
      );
    expect(shown('ACTIVE')).toEqual({ ...common, story_type: 'ACTIVE', lifecycle: phase });
    expect(shown('ACTIVE', 'KILLED')).toEqual({ ...common, story_type: 'KILLED' });
    expect(shown('ORPHAN')).toEqual({ ...common, story_type: 'ORPHAN' });
    expect(shown('ACTIVE', undefined, empty)).toEqual({ ...common, story_type: 'ORPHAN' });
  });
});

test('assets are replaced by their ids, and others are added behind them', () => {
  const asset = (asset_id: string, status: 'READY' | 'PREPARED') =>
    ({ asset_id, asset_type: 'VIDEO', status }) as const;
  const before = [asset('a', 'READY'), asset('b', 'READY')];
  expect(mergedAssets(before, [asset('c', 'READY'), asset('a', 'PREPARED')])).toEqual([
    asset('a', 'PREPARED'),
    asset('b', 'READY'),
    asset('c', 'READY'),
  ]);
});

test('a story has ended when it is killed, spiked or archived', () => {
  const types = ['ACTIVE', 'ORPHAN', 'KILLED', 'SPIKED', 'ARCHIVED'];
  expect(types.filter(story_type => isEnded({ story_type } as StorySnapshot))).toEqual(
    types.slice(2),
  );
});

test('only a text that is a reference as a whole is filled in', () => {
  const stage = stageOf(day, 'ferry', '10:00');
  const ferry = 'ferry.day-20261122';
  const deck = `${ferry}/deck`;
  const template = {
    now: '{now}',
    at: '{at 09:30}',
    asset: ['{asset deck}', 7, null, true],
    story: { id: '{story harbour}' },
    link: '{link deck}',
    others: ['at {now}', '{now} at', '{unknown}', '', '{}'],
  };
  expect(filled(template, stage)).toEqual({
    now: instant(day.at('10:00')),
    at: instant(day.at('09:30')),
    asset: [deck, 7, null, true],
    story: { id: 'harbour.day-20261122' },
    link: houseIds.link(houseIds.correlation(ferry), deck, 'quay-bulletin'),
    others: template.others,
  });
});

test('each role sends as a system of its own name', () => {
  expect(Object.keys(roleTable).map(role => systemOf(role as keyof typeof roleTable))).toEqual([
    { system_id: 'fennel-ncs', system_type: 'ncs' },
    { system_id: 'fennel-mam', system_type: 'archive' },
    { system_id: 'fennel-skill', system_type: 'skill_worker' },
    { system_id: 'fennel-graphics', system_type: 'graphics' },
    { system_id: 'fennel-standards', system_type: 'compliance_engine' },
    { system_id: 'fennel-playout', system_type: 'automation' },
    { system_id: 'fennel-cms', system_type: 'custom' },
    { system_id: 'fennel-automation', system_type: 'automation' },
  ]);
});
