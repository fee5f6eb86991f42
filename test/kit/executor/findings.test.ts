import { gateByScope, holdWhileFlagged } from '../../../lib/kit/executor/gates.ts';
import {
  flagOnMismatch,
  raiseFlagOnMatch,
  selectProviderByContext,
} from '../../../lib/kit/executor/matches.ts';
import {
  applyClearance,
  matchAndPropose,
  surfaceOnContextMatch,
} from '../../../lib/kit/executor/proposals.ts';
import { enrichOnCondition, recordProvenanceOnIngest } from '../../../lib/kit/executor/records.ts';
import { type Copy, type ReadySkill, shown, Values } from '../../../lib/kit/executor/skill.ts';
import { instanceOf, type Members, snapshot } from './stage.ts';

/** All that a skill finds in a story, when its items are seen for the first time. */
const found = (
  skill: ReadySkill,
  values: Members,
  story: Members,
  firstSeen = (_item: string, now: Copy): Copy => now,
) => skill(new Values(instanceOf('any', 'one', values)))(snapshot(1, story), firstSeen);

const quiet = (...anchors: readonly string[]) => anchors.map(anchor => ({ anchor, holds: false }));

/** A finding about the whole story, which withholds nothing. */
const told = (anchor: string, severity: string, field: string | undefined, detail: string) => ({
  anchor,
  holds: true,
  scope: 'story:harbour-fire',
  severity,
  fields: field === undefined ? [] : [field],
  detail,
  blocks: [],
});

describe('record-provenance-on-ingest', () => {
  const fingerprint = {
    subject_path: 'editorial_source[]',
    record_path: 'editorial_source[].content_hash',
    record_kind: 'source-fingerprint',
    prior_credibility: { WIRE: 'TRUSTED' },
  };

  test('tells of each source without a record, with the credibility of its class', () => {
    const sources = [
      { source_id: 's1', source_type: 'WIRE' },
      { source_id: 's2', source_type: 'WIRE', content_hash: 'abc' },
      { source_id: 's3', source_type: 'OFFICIAL', content_hash: null },
      { source_id: 's4', content_hash: { sha256: 'abc' } },
      { source_id: 's5', content_hash: [] },
      { source_type: 'WIRE', asset_type: 'VIDEO' },
    ];
    expect(found(recordProvenanceOnIngest, fingerprint, { editorial_source: sources })).toEqual([
      told(
        's1',
        'inform',
        'editorial_source[0].content_hash',
        'source-fingerprint of s1 is absent; its credibility is TRUSTED until there is a record.',
      ),
      ...quiet('s2'),
      told(
        's3',
        'inform',
        'editorial_source[2].content_hash',
        'source-fingerprint of s3 could not be read (editorial_source[].content_hash); ' +
          'its credibility is UNVERIFIED until there is a record.',
      ),
      ...quiet('s4', 's5'),
      told(
        'editorial_source[5]',
        'inform',
        'editorial_source[5].content_hash',
        'source-fingerprint of editorial_source[5] is absent; ' +
          'its credibility is TRUSTED until there is a record.',
      ),
    ]);
  });

  test('looks for a record in another list by its target', () => {
    const values = {
      subject_path: 'assets[]',
      record_path: 'assertions[]',
      record_kind: 'check',
      prior_credibility: { VIDEO: 'LOW' },
    };
    const assets = ['a', 'b'].map(asset_id => ({ asset_id, asset_type: 'VIDEO' }));
    const assertions = [{ assertion_id: 'one', target: { kind: 'ASSET', id: 'a' } }];
    expect(found(recordProvenanceOnIngest, values, { assets, assertions })).toEqual([
      ...quiet('a'),
      told(
        'b',
        'inform',
        'assertions[]',
        'check of b is absent; its credibility is LOW until there is a record.',
      ),
    ]);
  });

  test.each([
    ['asset_id', 'source_id'],
    ['source_id', 'gate_id'],
    ['gate_id', 'assertion_id'],
    ['assertion_id', 'flag_id'],
    ['flag_id', 'other_id'],
  ])('calls a thing by its %s, before its %s', (name, other) => {
    const values = { ...fingerprint, subject_path: 'tags[]', record_path: 'tags[].value' };
    const tags = [{ [other]: 'other', [name]: 'this', value: 1 }];
    expect(found(recordProvenanceOnIngest, values, { tags })).toEqual(quiet('this'));
  });
});

describe('enrich-on-condition', () => {
  const path = 'assets[].authenticity_credential.present';
  const values = {
    condition_path: path,
    condition_value: false,
    enrichment: 'frame-check',
    enrichment_record_path: 'assertions[]',
    clearing_authority: 'duty-editor',
    reason_template: 'It may be staged.',
    applies_to_position: ['PRIMARY'],
  };
  const missing = { authenticity_credential: { present: false } };
  const asset = (asset_id: string, more: object = missing) => ({
    asset_id,
    evidential_position: 'PRIMARY',
    ...more,
  });
  const wanted = (id: string, field: string, why: string, more = ' It may be staged.') =>
    told(
      id,
      'inform',
      field,
      `frame-check is wanted for ${id}: ${path} ${why}; duty-editor or above clears it.${more}`,
    );

  test('tells of each asset whose condition holds, or cannot be read', () => {
    const assets = [
      asset('a'),
      asset('b', { authenticity_credential: { present: true } }),
      asset('c', {}),
      asset('d', { authenticity_credential: null }),
      asset('e', { ...missing, evidential_position: 'SECONDARY' }),
      { asset_id: 'f', ...missing },
      asset('g', { authenticity_credential: false }),
    ];
    expect(found(enrichOnCondition, values, { assets })).toEqual([
      wanted('a', 'assets[0].authenticity_credential.present', 'is false'),
      ...quiet('b'),
      wanted('c', 'assets[2].authenticity_credential.present', 'could not be read'),
      wanted('d', 'assets[3].authenticity_credential', 'could not be read'),
      wanted('g', 'assets[6].authenticity_credential', 'could not be read'),
    ]);
    const { applies_to_position: _, reason_template: __, ...open } = values;
    expect(found(enrichOnCondition, open, { assets: assets.slice(4, 6) })).toEqual([
      wanted('e', 'assets[0].authenticity_credential.present', 'is false', ''),
      wanted('f', 'assets[1].authenticity_credential.present', 'is false', ''),
    ]);
  });

  test('looks for its record in the claims about an asset', () => {
    const about = (id: string, claim: unknown) => ({ target: { kind: 'ASSET', id }, claim });
    const assertions = [
      about('a', { check: 'frame-check' }),
      about('b', { check: 'colour-check' }),
      about('c', null),
      about('d', 'frame-check'),
    ];
    const assets = ['a', 'b', 'c', 'd'].map(id => asset(id));
    expect(found(enrichOnCondition, values, { assets, assertions })).toEqual([
      ...quiet('a'),
      ...['b', 'c', 'd'].map((id, at) =>
        wanted(id, `assets[${at + 1}].authenticity_credential.present`, 'is false'),
      ),
    ]);
  });

  test('takes no text for a claim that names something', () => {
    const assertions = [{ target: { kind: 'ASSET', id: 'a' }, claim: 'x' }];
    const story = { assets: [asset('a')], assertions };
    expect(found(enrichOnCondition, { ...values, enrichment: 'x' }, story)).toMatchObject([
      { holds: true },
    ]);
  });

  test('looks for its record in the asset itself', () => {
    const inside = { ...values, enrichment_record_path: 'assets[].checks' };
    const assets = [
      asset('a', { ...missing, checks: ['frame-check'] }),
      asset('b', { ...missing, checks: null }),
    ];
    expect(found(enrichOnCondition, inside, { assets })).toEqual([
      ...quiet('a'),
      wanted('b', 'assets[1].authenticity_credential.present', 'is false'),
    ]);
  });
});

describe('match-and-propose', () => {
  const values = {
    confidence_threshold: 0.8,
    confidence_path: 'assertions[].confidence',
    active_story_state: 'DEVELOPING',
  };
  const matching = (id: string, confidence: unknown, more: object = {}) => ({
    assertion_id: id,
    assertion_type: 'MATCH',
    target: { kind: 'ASSET', id: `clip-${id}` },
    claim: { story_id: 'harbour-fire' },
    review: { state: 'PENDING' },
    ...(confidence !== undefined && { confidence }),
    ...more,
  });
  const proposed = (id: string, at: number, said: string) =>
    told(
      id,
      'inform',
      `assertions[${at}].confidence`,
      `${id} proposes clip-${id} for harbour-fire: ${said}, threshold 0.8.`,
    );
  const assertions = [
    matching('low', 0.79),
    matching('edge', 0.8),
    matching('best', 0.95),
    matching('odd', 'high'),
    matching('none', undefined),
    matching('done', 0.99, { review: { state: 'APPROVED' } }),
    matching('other', 0.99, { claim: { story_id: 'ferry' } }),
    matching('fact', 0.99, { assertion_type: 'FACT_CHECK' }),
  ];

  test('proposes the best pending ones from the threshold on, those without a score first', () => {
    const unread = 'its score could not be read (assertions[].confidence)';
    expect(found(matchAndPropose, { ...values, max_candidates: 3 }, { assertions })).toEqual([
      proposed('odd', 3, unread),
      proposed('best', 2, 'score 0.95'),
      proposed('edge', 1, 'score 0.8'),
      ...quiet('low', 'none', 'done'),
    ]);
    expect(found(matchAndPropose, values, { assertions: assertions.slice(0, 3) })).toEqual([
      proposed('best', 2, 'score 0.95'),
      ...quiet('low', 'edge'),
    ]);
  });

  test('keeps the order of those whose scores are equal or could not be read', () => {
    const equal = ['one', 'two'].flatMap(id => [matching(id, 0.9), matching(`${id}-odd`, null)]);
    const all = found(matchAndPropose, { ...values, max_candidates: 9 }, { assertions: equal });
    expect(all.map(({ anchor }) => anchor)).toEqual(['one-odd', 'two-odd', 'one', 'two']);
  });

  test('proposes nothing in another phase', () => {
    const other = { ...values, active_story_state: 'BREAKING' };
    expect(found(matchAndPropose, other, { assertions: assertions.slice(0, 3) })).toEqual(
      quiet('low', 'edge', 'best'),
    );
  });
});

test('surface-on-context-match finds nothing in a story alone', () => {
  expect(found(surfaceOnContextMatch, {}, { slug: 'ANY' })).toEqual([]);
});

const links = {
  assets: [
    {
      asset_id: 'x',
      usage: [
        { link_id: 'l1', destination_id: 'air' },
        { link_id: 'l2', destination_id: 'web' },
      ],
    },
    { asset_id: 'y', usage: [{ link_id: 'l3', destination_id: 'screen' }] },
    { asset_id: 'z' },
  ],
};

describe('apply-clearance', () => {
  const values = {
    clearance_type: 'RIGHTS',
    version_set_field: 'assets[].version',
    current_status: 'CURRENT',
    superseded_status: 'OLD',
    scope: 'story',
  };
  const compliance = [
    { flag_id: 'open', type: 'RIGHTS', status: 'ACTIVE' },
    { flag_id: 'done', type: 'RIGHTS', status: 'RESOLVED' },
    { flag_id: 'other', type: 'MUSIC', status: 'RESOLVED' },
  ];
  const cleared = (scope: string, versions: string) => ({
    anchor: JSON.stringify(['done', scope]),
    holds: true,
    scope,
    severity: 'inform',
    fields: ['compliance[1].status', 'assets[].version'],
    detail: `RIGHTS done is RESOLVED; ${versions}.`,
    blocks: [],
  });
  const unread = 'assets[].version could not be read, so no version is called CURRENT or OLD';
  const story = 'story:harbour-fire';

  test.each([
    [
      'two',
      [{ version: 1 }, { version: '2' }],
      'assets[].version is 1, 2; the clearance does not say which version is CURRENT',
    ],
    ['none', [], unread],
    ['one that cannot be read', [{ version: 1 }, { version: null }], unread],
  ])('tells which versions there are: %s', (_what, assets, versions) => {
    expect(found(applyClearance, values, { compliance, assets })).toEqual([
      ...quiet(JSON.stringify(['open', story])),
      cleared(story, versions),
    ]);
  });

  test('tells it of each link', () => {
    expect(found(applyClearance, { ...values, scope: 'link' }, { compliance, ...links })).toEqual([
      ...quiet(...['l1', 'l2', 'l3'].map(id => JSON.stringify(['open', `link:${id}`]))),
      ...['l1', 'l2', 'l3'].map(id => cleared(`link:${id}`, unread)),
    ]);
  });
});

const gateOf = (gate_id: string, status?: unknown, gate_type = 'CLEARANCE') => ({
  gate_id,
  gate_type,
  ...(status !== undefined && { status }),
});

describe('gate-by-scope', () => {
  const values = {
    gate_scope_kind: 'CLEARANCE',
    path_map: { air: 'g-air', web: 'g-web' },
  };
  const linked = (id: string, severity: string, path: string, detail: string) => ({
    anchor: id,
    holds: true,
    scope: `link:${id}`,
    severity,
    fields: [path],
    detail,
    blocks: severity === 'hold' ? [`link:${id}`] : [],
  });
  const anyStatus = 'editorial_gates[].status';
  const unnamed = linked(
    'l3',
    'hold',
    anyStatus,
    'Withheld: no gate is named for screen; APPROVED is needed.',
  );

  test('withholds a link until the gate of its destination is approved', () => {
    const gates = [gateOf('g-air', 'APPROVED', 'OTHER'), gateOf('g-air', 'PENDING')];
    const missing = 'Withheld: web needs gate g-web APPROVED; it is missing.';
    expect(found(gateByScope, values, { ...links, editorial_gates: gates })).toEqual([
      linked(
        'l1',
        'hold',
        'editorial_gates[1].status',
        'Withheld: air needs gate g-air APPROVED; it is PENDING.',
      ),
      linked('l2', 'hold', anyStatus, missing),
      unnamed,
    ]);
  });

  test('takes the first of its gates that is not approved, and says what permits a link', () => {
    const gates = [
      gateOf('g-air', 'APPROVED'),
      gateOf('g-air'),
      gateOf('g-air', 'REJECTED'),
      gateOf('g-web', 'APPROVED'),
    ];
    const unread = 'editorial_gates[].status could not be read';
    const recorded = { ...values, record_permits: true, blocks_label: 'Not yet' };
    const story = { ...links, editorial_gates: gates };
    const held = (label: string) => `${label}: air needs gate g-air APPROVED; ${unread}.`;
    expect(found(gateByScope, recorded, story)).toEqual([
      linked('l1', 'hold', 'editorial_gates[1].status', held('Not yet')),
      linked(
        'l2',
        'inform',
        'editorial_gates[3].status',
        'Permitted: web needs gate g-web APPROVED; it is APPROVED.',
      ),
      { ...unnamed, detail: unnamed.detail.replace('Withheld', 'Not yet') },
    ]);
    expect(found(gateByScope, values, story)).toEqual([
      linked('l1', 'hold', 'editorial_gates[1].status', held('Withheld')),
      ...quiet('l2'),
      unnamed,
    ]);
  });

  test('says nothing of a story without such a gate', () => {
    const editorial_gates = [gateOf('g-air', 'PENDING', 'OTHER')];
    expect(found(gateByScope, values, { ...links, editorial_gates })).toEqual([]);
  });
});

test('hold-while-flagged withholds an action while a gate is pending, or cannot be read', () => {
  const values = {
    gate_type: 'CLEARANCE',
    blocked_action: 'air',
    clears_by: 'legal',
    scope: 'story',
  };
  const editorial_gates = [
    gateOf('one', 'PENDING'),
    gateOf('two', 'APPROVED'),
    gateOf('three', null),
    gateOf('four', 'PENDING', 'OTHER'),
  ];
  const held = (id: string, scope: string, at: number, why: string) => ({
    anchor: JSON.stringify([id, scope]),
    holds: true,
    scope,
    severity: 'hold',
    fields: [`editorial_gates[${at}].status`],
    detail: `air is withheld by gate ${id} of type CLEARANCE: ${why}. It clears by: legal.`,
    blocks: ['air harbour-fire'],
  });
  const unread = 'editorial_gates[].status could not be read';
  const scope = 'story:harbour-fire';
  expect(found(holdWhileFlagged, values, { ...links, editorial_gates })).toEqual([
    held('one', scope, 0, 'it is PENDING'),
    ...quiet(JSON.stringify(['two', scope])),
    held('three', scope, 2, unread),
  ]);
  const perLink = { ...values, scope: 'link' };
  const first = { ...links, editorial_gates: editorial_gates.slice(0, 1) };
  expect(found(holdWhileFlagged, perLink, first)).toEqual(
    ['link:l1', 'link:l2', 'link:l3'].map(link => held('one', link, 0, 'it is PENDING')),
  );
});

describe('raise-flag-on-match', () => {
  const values = {
    match_field: 'tags[].value',
    match_value: 7,
    flag_name: 'SEVEN',
    clearing_authority: 'duty-editor',
  };
  const raised = (tags: readonly unknown[], more: object = {}) =>
    found(raiseFlagOnMatch, { ...values, ...more }, { tags });
  const match = 'SEVEN: tags[].value is 7, which is 7; duty-editor or above clears it.';

  test('raises a flag for a value that is exactly the same', () => {
    const both = [{ value: '7' }, { value: null }, { value: 7 }];
    expect(raised(both)).toEqual([told('harbour-fire', 'flag', 'tags[2].value', match)]);
    const inform = { severity: 'inform' };
    expect(raised(both, inform)).toEqual([told('harbour-fire', 'inform', 'tags[2].value', match)]);
    expect(raised([{ value: '7' }])).toEqual(quiet('harbour-fire'));
    expect(raised([])).toEqual([]);
  });

  test('raises a flag for what cannot be read, however it was configured', () => {
    const unread =
      'SEVEN: tags[].value could not be read, so whether it is 7 is not known; ' +
      'duty-editor or above clears it.';
    expect(raised([{ value: 1 }, { value: [] }], { severity: 'inform' })).toEqual([
      told('harbour-fire', 'flag', 'tags[1].value', unread),
    ]);
    expect(raised([7])).toEqual([told('harbour-fire', 'flag', 'tags[0]', unread)]);
  });
});

describe('flag-on-mismatch', () => {
  const values = {
    watched_field: 'tags[].value',
    bound_scope: 'asset',
    clearing_authority: 'duty-editor',
  };
  const assets = [{ asset_id: 'x' }];
  const compared = (copy: Copy, tags: readonly unknown[], more: object = {}) =>
    found(flagOnMismatch, { ...values, ...more }, { assets, tags }, () => copy);

  test('tells that an asset was made when a field had another value', () => {
    const tags = [{ value: 'a' }, { value: 2 }];
    const detail =
      'tags[].value is a, 2, and x was made when it was a; duty-editor or above clears it.';
    expect(compared(['a'], tags)).toEqual([told('x', 'flag', 'tags[0].value', detail)]);
    const inform = { declared_severity: 'inform' };
    expect(compared(['a'], tags, inform)).toEqual([told('x', 'inform', 'tags[0].value', detail)]);
    expect(compared(['a', 2], tags)).toEqual(quiet('x'));
    expect(compared([], tags)).toEqual([]);
    expect(compared(['a'], [])).toEqual([]);
    expect(compared(['a'], tags, { bound_scope: 'item' })).toEqual([]);
  });

  test('flags what cannot be read, now or then', () => {
    const unread = (copy: string, now: string) =>
      `tags[].value could not be read: the copy of x is ${copy}, the story's value is ${now}; ` +
      'duty-editor or above clears it.';
    const inform = { declared_severity: 'inform' };
    expect(compared('unreadable', [{ value: 'a' }], inform)).toEqual([
      told('x', 'flag', 'tags[0].value', unread('unreadable', 'a')),
    ]);
    expect(compared(['a'], [{ value: 'b' }, { value: null }], inform)).toEqual([
      told('x', 'flag', 'tags[0].value', unread('a', 'unreadable')),
    ]);
    expect(compared('unreadable', [{ value: null }])).toEqual([
      told('x', 'flag', 'tags[0].value', unread('unreadable', 'unreadable')),
    ]);
  });
});

describe('select-provider-by-context', () => {
  const values = {
    trigger_path: 'priority.level',
    trigger_value: 'HIGH',
    capability: 'captions',
    watched_field: 'tags[].value',
    selection_map: [
      { when: 'sport', provider: 'fast' },
      { when: 'court', provider: 'careful' },
    ],
    default_provider: 'usual',
  };
  const selected = (tags: readonly unknown[]) =>
    found(selectProviderByContext, values, { priority: { level: 'HIGH' }, tags });
  const named = (words: string) => [
    told('harbour-fire', 'inform', undefined, `captions: ${words}; default_provider is usual.`),
  ];

  test('names the provider of the first row that a value matches', () => {
    const both = [{ value: 'court' }, { value: 'sport' }];
    expect(selected(both)).toEqual(named('fast (tags[].value has sport)'));
    expect(selected(both.slice(0, 1))).toEqual(named('careful (tags[].value has court)'));
    expect(selected([{ value: 'arts' }])).toEqual(
      named('usual (default, as no row matches tags[].value)'),
    );
    expect(selected([{ value: null }])).toEqual(
      named('usual (default, as tags[].value could not be read)'),
    );
  });

  test('names none unless it is triggered', () => {
    const triggered = (priority: unknown) =>
      found(selectProviderByContext, values, { priority, tags: [] });
    expect(triggered({ level: 'LOW' })).toEqual(quiet('harbour-fire'));
    expect(triggered({ level: null })).toEqual([]);
    expect(triggered({})).toEqual([]);
  });
});

test('numbers are shown in decimal notation, without groups', () => {
  expect([12_345.5, 1e21, 0.000_000_1, true, 'x', null].map(shown)).toEqual([
    '12345.5',
    '1000000000000000000000',
    '0.0000001',
    'true',
    'x',
    'null',
  ]);
});

describe('the values of an instance', () => {
  const values = new Values(
    instanceOf('any', 'one', {
      text: 'a',
      number: 3,
      flag: true,
      texts: ['a', 1],
      map: { a: 1 },
      rows: [{ when: 1 }, 'x'],
    }),
  );
  const leftOut = (name: string, what: string) =>
    `The instance one of smart-stories/any is left out: its ${name} is not ${what}.`;

  test('are of the type that the skill wants', () => {
    expect(values.text('text')).toBe('a');
    expect(['text', 'number', 'flag'].map(name => values.scalar(name))).toEqual(['a', 3, true]);
    expect(values.number('number')).toBe(3);
    expect(['flag', 'text', 'none'].map(name => values.flag(name))).toEqual([true, false, false]);
    expect(values.optionalTexts('texts')).toEqual(['a', '1']);
    expect(values.textMap('map')).toEqual(new Map([['a', '1']]));
    expect(values.textMap('none')).toEqual(new Map());
    expect(values.rows('rows')).toEqual([new Map([['when', '1']]), new Map([['0', 'x']])]);
  });

  test('that may be absent are not there if they are of another type', () => {
    expect(values.optionalText('number')).toBeUndefined();
    expect(values.optionalNumber('text')).toBeUndefined();
    expect(values.optionalTexts('text')).toBeUndefined();
  });

  test('that are of another type are told', () => {
    expect(() => values.text('number')).toThrow(leftOut('number', 'a text'));
    expect(() => values.number('text')).toThrow(leftOut('text', 'a number'));
    expect(() => values.scalar('map')).toThrow(leftOut('map', 'a text, a number or a boolean'));
    expect(() => values.textMap('texts')).toThrow(leftOut('texts', 'a map'));
    expect(() => values.textMap('text')).toThrow(leftOut('text', 'a map'));
    expect(() => values.rows('map')).toThrow(leftOut('map', 'a list of rows'));
  });
});
