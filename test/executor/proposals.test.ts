import { asset, breaking, counts, instanceOf, only, storyId } from './stage.ts';

const matching = (values: object = {}) =>
  instanceOf('match-and-propose', 'c1', {
    confidence_threshold: 0.8,
    confidence_path: 'assertions[].confidence',
    active_story_state: 'DEVELOPING',
    ...values,
  });
const candidate = (more: object = {}, id = 'a-1') => ({
  assertion_id: id,
  assertion_type: 'MATCH',
  target: { kind: 'ASSET', id: 'loose-9' },
  claim: { story_id: storyId },
  confidence: 0.91,
  review: { state: 'PENDING' },
  ...more,
});
const assertions = (...list: readonly object[]) => ({ assertions: list });

describe('match-and-propose', () => {
  test('proposes a pending match at the threshold', () => {
    expect(only(matching(), assertions(candidate()))).toMatchObject({
      scope: `story:${storyId}`,
      severity: 'inform',
      affected_fields: ['assertions[0].confidence'],
      detail: `a-1 proposes loose-9 for ${storyId}: score 0.91, threshold 0.8.`,
    });
  });

  test('a score that cannot be read is proposed, and said', () => {
    const { detail } = only(matching({ confidence_path: 'assertions[].claim' }), assertions(candidate()));
    expect(detail).toContain('its score could not be read (assertions[].claim), threshold 0.8');
  });

  test('numbers are shown in decimal notation', () => {
    const tiny = matching({ confidence_threshold: 1e-7 });
    expect(only(tiny, assertions(candidate({ confidence: 2e-7 }))).detail).toContain(
      'score 0.0000002, threshold 0.0000001',
    );
  });

  test.each([
    ['exactly the threshold', [assertions(candidate({ confidence: 0.8 }))], [1]],
    ['below it', [assertions(candidate({ confidence: 0.62 }))], [0]],
    ['no score', [assertions(candidate({ confidence: undefined }))], [0]],
    ['a decision', [assertions(candidate({ review: { state: 'CONFIRMED' } }))], [0]],
    ['no review', [assertions(candidate({ review: undefined }))], [0]],
    ['another phase', [{ ...breaking, ...assertions(candidate()) }], [0]],
    ['another story', [assertions(candidate({ claim: { story_id: 'other' } }))], [0]],
    [
      'another assertion',
      [
        assertions(
          candidate({ assertion_type: 'FACT_CHECK', confidence: 0.95 }),
          candidate({ confidence: 0.62 }),
        ),
      ],
      [0],
    ],
    [
      'a decision that comes later',
      [assertions(candidate()), assertions(candidate({ review: { state: 'REJECTED' } }))],
      [1, 0],
    ],
    [
      'two candidates, of which one is wanted',
      [assertions(candidate(), candidate({ confidence: 0.99 }, 'a-2'))],
      [1],
    ],
  ])('%s', (_title, steps, expected) => {
    expect(counts(matching(), ...steps)).toEqual(expected);
  });

  test('of several candidates the best are proposed', () => {
    const two = assertions(candidate(), candidate({ confidence: 0.99 }, 'a-2'));
    expect(only(matching(), two).detail).toContain('a-2');
    expect(counts(matching({ max_candidates: 2 }), two)).toEqual([2]);
  });
});

test('surface-on-context-match: a story alone says nothing', () => {
  const instance = instanceOf('surface-on-context-match', 'f1', {
    monitored_source: 'test-feed',
    match_field: 'item.text',
    match_against: 'tags[].value',
    match_threshold: 0.8,
    surface_as: 'enrichment',
    carry: ['provenance'],
    clearing_authority: 'desk-editor',
  });
  expect(counts(instance, { tags: [{ scheme: 'iptc-mediatopic', value: '11000000' }] })).toEqual([0]);
});

const clearing = (values: object = {}) =>
  instanceOf('apply-clearance', 'a1', {
    clearance_type: 'TEST_CLEARED',
    version_set_field: 'extensions.com.example.version_group',
    current_status: 'current',
    superseded_status: 'superseded',
    scope: 'story',
    clearing_authority: 'duty-editor',
    re_resolution: 'equal-or-higher',
    ...values,
  });
const entry = (status: string, type = 'TEST_CLEARED') => ({
  compliance: [{ flag_id: 'c-1', type, status, raised_by: 'legal' }],
});
const versions = (value: unknown) => ({ extensions: { 'com.example.version_group': value } });

describe('apply-clearance', () => {
  test('a version set that is not there is said, and no version is called current', () => {
    expect(only(clearing(), entry('RESOLVED'))).toMatchObject({
      scope: `story:${storyId}`,
      severity: 'inform',
      affected_fields: ['compliance[0].status', 'extensions.com.example.version_group'],
      detail:
        'TEST_CLEARED c-1 is RESOLVED; extensions.com.example.version_group could not be read, so no version is called current or superseded.',
    });
  });

  test('a version set is told as it is', () => {
    const listed = clearing({ version_set_field: 'extensions.com.example.version_group[]' });
    const { detail } = only(listed, { ...entry('RESOLVED'), ...versions(['v1', 'v2']) });
    expect(detail).toContain('is v1, v2; the clearance does not say which version is current');
  });

  test.each([
    ['another type', [entry('RESOLVED', 'OTHER')], [0]],
    ['an active entry', [entry('ACTIVE')], [0]],
    ['a waived entry', [entry('WAIVED')], [0]],
    ['the same entry again', [entry('RESOLVED'), entry('RESOLVED')], [1, 0]],
    ['an entry that is resolved again', [entry('RESOLVED'), entry('ACTIVE'), entry('RESOLVED')], [1, 0, 1]],
  ])('%s', (_title, steps, expected) => {
    expect(counts(clearing(), ...steps)).toEqual(expected);
  });

  test('each link has its own, if that is the scope', () => {
    const usage = [{ link_id: 'l1', destination_id: 'air', state: 'committed' }];
    const warning = only(clearing({ scope: 'link' }), {
      ...entry('RESOLVED'),
      assets: [asset('x', { usage })],
    });
    expect(warning.scope).toBe('link:l1');
  });
});
