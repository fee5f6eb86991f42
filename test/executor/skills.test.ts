import { asset, breaking, counts, instanceOf, type Members, only, stage, storyId } from './stage.ts';

// The ninety cases of checks/executor.yaml, all of which it passes (test/checks), say how a skill behaves. Here is what they leave open.

const phase = instanceOf('raise-flag-on-match', 'r1', {
  match_field: 'lifecycle.phase',
  match_value: 'BREAKING',
  flag_name: 'phase-unsettled',
  clearing_authority: 'duty-editor',
});
const owner = instanceOf('raise-flag-on-match', 'r3', {
  match_field: 'story_owner',
  match_value: 'night-desk',
  flag_name: 'night-owned',
  severity: 'inform',
  clearing_authority: 'duty-editor',
});

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

  test('a field that is left out for a while changes nothing; a change keeps its ref', () => {
    expect(counts(owner, { story_owner: 'night-desk' }, {}, { story_owner: 'night-desk' })).toEqual([
      1, 0, 0,
    ]);
    const { snapshot } = stage([owner]);
    const same = [{ story_owner: 'night-desk' }, { story_owner: {} }];
    expect(same.map(step => snapshot(step)[0]?.skill_warning_ref)).toEqual(
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
  test('nothing was known when the asset came', () => {
    expect(counts(bound, withX, { ...withX, ...outcome('B') })).toEqual([0, 0]);
  });

  test('the value goes back', () => {
    const steps = ['A', 'B', 'A', 'B'].map(one => ({ ...outcome(one), ...withX }));
    expect(counts(bound, ...steps)).toEqual([0, 1, 0, 1]);
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
    const values = { ...bound.values, watched_field: 'story_owner', declared_severity: 'inform' };
    const { snapshot } = stage([{ ...bound, values }]);
    snapshot({ story_owner: 'desk', ...withX });
    const [warning] = snapshot({ story_owner: {}, ...withX });
    expect(warning).toMatchObject({ severity: 'flag', detail: expect.stringContaining('could not be read') });
  });
});

test('select-provider-by-context: a trigger that cannot be read says nothing', () => {
  const blind = instanceOf('select-provider-by-context', 's1', {
    capability: 'speech-to-text',
    trigger_path: 'story_owner',
    trigger_value: 'desk',
    watched_field: 'tags[].value',
    selection_map: [{ when: '11000000', provider: 'ear-a' }],
    default_provider: 'ear-c',
    providers: ['ear-a', 'ear-c'],
  });
  expect(counts(blind, { story_owner: {} })).toEqual([0]);
});

const gates = (...list: readonly object[]) => ({ editorial_gates: list });
const usage = (link_id: string, destination_id: string) => ({ link_id, destination_id, state: 'committed' });
const both = { assets: [asset('x', { usage: [usage('l1', 'test-air'), usage('l2', 'test-web')] })] };

describe('gate-by-scope', () => {
  const gated = (path_map: object) =>
    instanceOf('gate-by-scope', 'g1', {
      scope: 'destination-path',
      gate_scope_kind: 'TEST_CLEARANCE',
      path_map,
    });
  const onAir = { assets: [asset('x', { usage: [usage('l1', 'test-air')] })] };
  const gate = (status: unknown) => gates({ gate_id: 'g-air', gate_type: 'TEST_CLEARANCE', status });

  test('a destination that no gate is named for is held', () => {
    expect(counts(gated({ other: 'g-web' }), { ...onAir, ...gate('APPROVED') })).toEqual([1]);
  });

  test('a status that cannot be read holds', () => {
    const warning = only(gated({ 'test-air': 'g-air' }), { ...onAir, ...gate({}) });
    expect(warning).toMatchObject({ severity: 'hold', detail: expect.stringContaining('could not be read') });
  });
});

describe('hold-while-flagged', () => {
  const holdOn = (scope: 'story' | 'link') =>
    instanceOf('hold-while-flagged', 'h1', {
      gate_type: 'TEST_RESTRICTION',
      blocked_action: 'air',
      scope,
      clears_by: 'legal, on this story',
    });
  const pending = (gate_id: string) => ({ gate_id, gate_type: 'TEST_RESTRICTION', status: 'PENDING' });

  test('two gates hold twice, and each link, if that is the scope', () => {
    expect(counts(holdOn('story'), gates(pending('g-1'), pending('g-2')))).toEqual([2]);
    expect(counts(holdOn('link'), { ...both, ...gates(pending('g-1')) })).toEqual([2]);
  });
});

const present = (is: boolean) => ({ authenticity_credential: { present: is } });
const assets = (...list: readonly object[]): Members => ({ assets: list });

describe('record-provenance-on-ingest', () => {
  const provenance = (subject: string, member: string, more: object = {}) =>
    instanceOf('record-provenance-on-ingest', 'p1', {
      subject_path: subject,
      record_path: `${subject}.${member}`,
      record_kind: 'capture-chain',
      ...more,
    });
  const credential = provenance('assets[]', 'authenticity_credential');

  test('says what the credibility of a subject is until it has a record', () => {
    const fingerprint = provenance('editorial_source[]', 'content_hash', {
      prior_credibility: { WIRE: 'TRUSTED' },
    });
    const source = (source_type: string) => ({
      editorial_source: [{ source_id: 's-1', source_type, credibility: 'UNVERIFIED' }],
    });
    expect(only(fingerprint, source('WIRE')).detail).toContain('s-1 is absent; its credibility is TRUSTED');
    expect(only(fingerprint, source('wire')).detail).toContain('its credibility is UNVERIFIED');
  });

  test('a record that cannot be read is none', () => {
    const warning = only(credential, assets(asset('x', { authenticity_credential: null })));
    expect(warning.detail).toContain('could not be read');
  });

  test('a record elsewhere in the story names its subject as its target', () => {
    const instance = { ...credential, values: { ...credential.values, record_path: 'assertions[]' } };
    const checked = { assertions: [{ target: { kind: 'ASSET', id: 'x' }, claim: {} }] };
    const { detail } = only(instance, { ...assets(asset('x'), asset('y')), ...checked });
    expect(detail).toContain('of y is absent');
  });
});

describe('enrich-on-condition', () => {
  const enriching = (values: object = {}) =>
    instanceOf('enrich-on-condition', 'e1', {
      condition_path: 'assets[].authenticity_credential.present',
      condition_value: false,
      enrichment: 'frame-check',
      enrichment_record_path: 'assertions[]',
      clearing_authority: 'desk-editor',
      applies_to_position: ['PRIMARY'],
      ...values,
    });
  const detection = (detection_class: string, id = 'x') => ({
    assertions: [{ assertion_type: 'DETECTION', target: { kind: 'ASSET', id }, claim: { detection_class } }],
  });
  const wanted = assets(asset('x', present(false)));

  test('asks for the enrichment of the asset whose condition holds, with the reason of the house', () => {
    const { detail } = only(enriching(), assets(asset('y', present(true)), asset('x', present(false))));
    expect(detail).toBe(
      'frame-check is wanted for x: assets[].authenticity_credential.present is false; desk-editor or above clears it.',
    );
    expect(only(enriching({ reason_template: 'ask the desk' }), wanted).detail).toContain('ask the desk');
  });

  test.each([
    ['the same text instead of a boolean', enriching({ condition_value: 'false' }), wanted, 0],
    ['a record of another enrichment', enriching(), { ...wanted, ...detection('other') }, 1],
    ['a record of another asset', enriching(), { ...wanted, ...detection('frame-check', 'y') }, 1],
    [
      'no list of positions',
      enriching({ applies_to_position: undefined }),
      assets(asset('x', { ...present(false), evidential_position: undefined })),
      1,
    ],
    [
      'a record inside the asset',
      enriching({ enrichment_record_path: 'assets[].provenance' }),
      assets(asset('x', { ...present(false), provenance: { author: 'HUMAN' } })),
      0,
    ],
    [
      'a condition of the whole story',
      enriching({ condition_path: 'lifecycle.phase', condition_value: 'BREAKING' }),
      { ...breaking, ...assets(asset('x'), asset('y')) },
      2,
    ],
  ])('%s', (_title, instance, members, expected) => {
    expect(counts(instance, members)).toEqual([expected]);
  });
});

describe('match-and-propose', () => {
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

  test('numbers are shown in decimal notation', () => {
    const tiny = matching({ confidence_threshold: 1e-7 });
    const { detail } = only(tiny, assertions(candidate({ confidence: 2e-7 })));
    expect(detail).toContain('score 0.0000002, threshold 0.0000001');
  });

  test.each([
    ['no score', { confidence: undefined }],
    ['no review', { review: undefined }],
    ['another story', { claim: { story_id: 'other' } }],
    ['another type', { assertion_type: 'FACT_CHECK' }],
  ])('%s', (_title, more) => {
    expect(counts(matching(), assertions(candidate(more)))).toEqual([0]);
  });

  test('of several candidates the best are proposed', () => {
    const two = assertions(candidate(), candidate({ confidence: 0.99 }, 'a-2'));
    expect(only(matching(), two).detail).toContain('a-2');
    expect(counts(matching({ max_candidates: 2 }), two)).toEqual([2]);
  });
});

describe('apply-clearance', () => {
  const clearing = (values: object = {}) =>
    instanceOf('apply-clearance', 'a1', {
      clearance_type: 'TEST_CLEARED',
      version_set_field: 'extensions.com.example.version_group[]',
      current_status: 'current',
      superseded_status: 'superseded',
      scope: 'story',
      clearing_authority: 'duty-editor',
      re_resolution: 'equal-or-higher',
      ...values,
    });
  const entry = (status: string) => ({
    compliance: [{ flag_id: 'c-1', type: 'TEST_CLEARED', status, raised_by: 'legal' }],
  });
  const versions = { extensions: { 'com.example.version_group': ['v1', 'v2'] } };

  test('a version set is told as it is', () => {
    const { detail } = only(clearing(), { ...entry('RESOLVED'), ...versions });
    expect(detail).toContain('is v1, v2; the clearance does not say which version is current');
  });

  test('an entry that is resolved again is told again, and each link has its own', () => {
    expect(counts(clearing(), entry('RESOLVED'), entry('ACTIVE'), entry('RESOLVED'))).toEqual([1, 0, 1]);
    const { scope } = only(clearing({ scope: 'link' }), {
      ...entry('RESOLVED'),
      assets: [asset('x', { usage: [usage('l1', 'air')] })],
    });
    expect(scope).toBe('link:l1');
  });
});
