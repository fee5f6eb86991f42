import { asset, breaking, counts, instanceOf, only, stage } from './stage.ts';

const phase = instanceOf('raise-flag-on-match', 'r1', {
  match_field: 'lifecycle.phase',
  match_value: 'BREAKING',
  flag_name: 'phase-unsettled',
  clearing_authority: 'duty-editor',
});
const unverified = instanceOf('raise-flag-on-match', 'r2', {
  match_field: 'editorial_source[].credibility',
  match_value: 'UNVERIFIED',
  flag_name: 'SOURCE-OPEN',
  severity: 'inform',
  clearing_authority: 'desk-editor',
});
const owner = instanceOf('raise-flag-on-match', 'r3', {
  match_field: 'story_owner',
  match_value: 'night-desk',
  flag_name: 'night-owned',
  severity: 'inform',
  clearing_authority: 'duty-editor',
});
const sources = (...states: readonly string[]) => ({
  editorial_source: states.map((credibility, index) => ({ source_id: `s-${index}`, credibility })),
});
const orphan = { story_type: 'ORPHAN', lifecycle: undefined };

describe('raise-flag-on-match', () => {
  test('declares, once, with all that a person needs', () => {
    expect(only(phase, breaking)).toEqual({
      warning_id: expect.any(String),
      skill_id: 'smart-stories/raise-flag-on-match',
      skill_version: '0.2.2',
      story_id: 'harbour-fire',
      scope: 'story:harbour-fire',
      severity: 'flag',
      rule_id: 'r1',
      non_overridable: false,
      affected_fields: ['lifecycle.phase'],
      detail:
        'phase-unsettled: lifecycle.phase is BREAKING, which is BREAKING; duty-editor or above clears it.',
      blocks: [],
      skill_warning_ref: 'r1/story:harbour-fire/1',
    });
  });

  test('any element of a list counts, and is named', () => {
    expect(only(unverified, sources('TRUSTED', 'UNVERIFIED'))).toMatchObject({
      severity: 'inform',
      affected_fields: ['editorial_source[1].credibility'],
    });
  });

  test('what cannot be read is flagged, and no match is claimed', () => {
    const { severity, detail } = only(owner, { story_owner: { name: 'night-desk' } });
    expect(severity).toBe('flag');
    expect(detail).toContain('story_owner could not be read');
  });

  test.each([
    ['another value', phase, [{}], [0]],
    ['an absent value', phase, [{ story_type: 'PLANNED', lifecycle: undefined }], [0]],
    ['another letter case', owner, [{ story_owner: 'Night-Desk' }], [0]],
    [
      'another JSON type',
      { ...owner, values: { ...owner.values, match_value: 1 } },
      [{ story_owner: '1' }],
      [0],
    ],
    ['a story that stays as it is', phase, [breaking, { ...breaking, headline: 'Larger' }], [1, 0]],
    ['a match that comes later', phase, [{}, breaking, breaking], [0, 1, 0]],
    ['a match that ends and comes again', phase, [breaking, {}, breaking], [1, 0, 1]],
    ['an ORPHAN', unverified, [{ ...orphan, ...sources('UNVERIFIED') }], [1]],
    ['an ARCHIVED story', unverified, [{ ...orphan, story_type: 'ARCHIVED', ...sources('UNVERIFIED') }], [0]],
    [
      'a field that is left out for a while',
      owner,
      [{ story_owner: 'night-desk' }, {}, { story_owner: 'night-desk' }],
      [1, 0, 0],
    ],
    [
      'a list that is put in another order',
      unverified,
      [sources('UNVERIFIED', 'TRUSTED'), sources('TRUSTED', 'UNVERIFIED')],
      [1, 0],
    ],
    [
      'a match that can no longer be read',
      owner,
      [{ story_owner: 'night-desk' }, { story_owner: {} }],
      [1, 1],
    ],
  ])('%s', (_title, instance, steps, expected) => {
    expect(counts(instance, ...steps)).toEqual(expected);
  });

  test('each time that a declaration opens has a number; a change keeps it', () => {
    const { snapshot } = stage([phase]);
    const refs = [breaking, {}, breaking].flatMap(step => snapshot(step).map(one => one.skill_warning_ref));
    expect(refs).toEqual(['r1/story:harbour-fire/1', 'r1/story:harbour-fire/2']);
    const changing = stage([owner]);
    const same = [{ story_owner: 'night-desk' }, { story_owner: {} }];
    expect(same.map(step => changing.snapshot(step)[0]?.skill_warning_ref)).toEqual(
      Array(2).fill('r3/story:harbour-fire/1'),
    );
  });
});

const bound = instanceOf('flag-on-mismatch', 'm1', {
  watched_field: 'premise.actual_outcome',
  bound_scope: 'asset',
  compare_via: 'version_history',
  clearing_authority: 'duty-editor',
});
const outcome = (text: string) => ({ premise: { actual_outcome: text } });
const withX = { assets: [asset('x')] };

describe('flag-on-mismatch', () => {
  test.each([
    ['nothing is bound', [outcome('A'), outcome('B')], [0, 0]],
    ['nothing was known when the asset came', [withX, { ...withX, ...outcome('B') }], [0, 0]],
    [
      'the values are equal',
      [
        { ...outcome('A'), ...withX },
        { ...outcome('A'), ...withX },
      ],
      [0, 0],
    ],
    [
      'the asset is stale, and stays so',
      [outcome('A'), outcome('B'), outcome('B')].map(one => ({ ...one, ...withX })),
      [0, 1, 0],
    ],
    ['the value goes back', ['A', 'B', 'A', 'B'].map(one => ({ ...outcome(one), ...withX })), [0, 1, 0, 1]],
    [
      'a later asset is made of the new value',
      [
        { ...outcome('A'), ...withX },
        { ...outcome('B'), assets: [asset('x'), asset('y')] },
      ],
      [0, 1],
    ],
  ])('%s', (_title, steps, expected) => {
    expect(counts(bound, ...steps)).toEqual(expected);
  });

  test('names the old value, the new one and the asset, also after a restart', () => {
    const { snapshot, restart } = stage([bound]);
    snapshot({ ...outcome('one lane shut'), ...withX });
    restart();
    const [warning] = snapshot({ ...outcome('bridge shut'), ...withX });
    expect(warning).toMatchObject({ severity: 'flag', affected_fields: ['premise.actual_outcome'] });
    for (const word of ['one lane shut', 'bridge shut', 'x']) expect(warning?.detail).toContain(word);
  });

  test('what cannot be read is flagged, whatever severity is configured', () => {
    const quiet = {
      ...bound,
      values: { ...bound.values, watched_field: 'story_owner', declared_severity: 'inform' },
    };
    const { snapshot } = stage([quiet]);
    snapshot({ story_owner: 'desk', ...withX });
    const [warning] = snapshot({ story_owner: {}, ...withX });
    expect(warning).toMatchObject({ severity: 'flag', detail: expect.stringContaining('could not be read') });
  });
});

const selecting = (values: object = {}) =>
  instanceOf('select-provider-by-context', 's1', {
    capability: 'speech-to-text',
    trigger_path: 'assets[].acquisition_state',
    trigger_value: 'CAPTURED',
    watched_field: 'tags[].value',
    selection_map: [
      { when: '11000000', provider: 'ear-a' },
      { when: '15000000', provider: 'ear-b' },
    ],
    default_provider: 'ear-c',
    providers: ['ear-a', 'ear-b', 'ear-c'],
    ...values,
  });
const captured = { assets: [asset('x', { acquisition_state: 'CAPTURED' })] };
const tags = (...values: readonly string[]) => ({
  tags: values.map(value => ({ scheme: 'iptc-mediatopic', value })),
});

describe('select-provider-by-context', () => {
  test.each([
    ['the tag of a row', selecting(), { ...captured, ...tags('15000000') }, 'ear-b'],
    [
      'the first row, whatever the order of the tags',
      selecting(),
      { ...captured, ...tags('15000000', '11000000') },
      'ear-a',
    ],
    [
      'an edited map',
      selecting({ selection_map: [{ when: '11000000', provider: 'ear-b' }] }),
      { ...captured, ...tags('11000000') },
      'ear-b',
    ],
    ['no row', selecting(), { ...captured, ...tags('99000000') }, 'ear-c (default'],
    ['no tags', selecting(), captured, 'ear-c (default'],
    [
      'an object',
      selecting({ watched_field: 'story_owner' }),
      { ...captured, story_owner: {} },
      'ear-c (default, as story_owner could not be read)',
    ],
  ])('selects by %s', (_title, instance, members, said) => {
    const warning = only(instance, members);
    expect(warning.detail).toContain(`speech-to-text: ${said}`);
    expect(warning).toMatchObject({ severity: 'inform', affected_fields: [], blocks: [] });
  });

  test.each([
    ['a trigger with another value', [{ assets: [asset('x', { acquisition_state: 'CAPTURING' })] }], [0]],
    ['a trigger that is absent', [{}], [0]],
    [
      'a context that stays',
      [
        { ...captured, ...tags('11000000') },
        { ...captured, ...tags('11000000'), headline: 'More' },
      ],
      [1, 0],
    ],
    [
      'a context that moves',
      [
        { ...captured, ...tags('11000000') },
        { ...captured, ...tags('15000000') },
      ],
      [1, 1],
    ],
  ])('%s', (_title, steps, expected) => {
    expect(counts(selecting(), ...steps)).toEqual(expected);
  });

  test('a trigger that cannot be read says nothing', () => {
    const blind = selecting({ trigger_path: 'story_owner', trigger_value: 'desk' });
    expect(counts(blind, { story_owner: {} })).toEqual([0]);
  });
});
