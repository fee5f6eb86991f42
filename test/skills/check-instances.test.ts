import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkInstances } from '../../lib/skills/check-instances.ts';
import { skillRulebook } from '../../lib/skills/describe-library.ts';
import { readSkillsFile } from '../../lib/skills/skills-file.ts';
import { nextLibrary } from './next-library.ts';

const check = (instances: readonly unknown[], rulebook = skillRulebook) =>
  checkInstances({ kind: 'submission', checked: 'list', instances }, rulebook);

const problemsOf = (instance: unknown): readonly string[] => check([instance]).instances[0]?.problems ?? [];

const flag = (change: Record<string, unknown> = {}, values: Record<string, unknown> = {}) => ({
  skill_id: 'smart-stories/raise-flag-on-match',
  instance_label: 'flash-stories',
  values: {
    match_field: 'priority.level',
    match_value: 'FLASH',
    flag_name: 'look',
    clearing_authority: 'desk',
    ...values,
  },
  authority_scale: ['chief', 'desk'],
  ...change,
});

const select = (values: Record<string, unknown> = {}) => ({
  skill_id: 'smart-stories/select-provider-by-context',
  instance_label: 'voices',
  values: {
    capability: 'voice',
    trigger_path: 'premise.premise_changed',
    trigger_value: true,
    watched_field: 'tags[].value',
    selection_map: [{ when: '04000000', provider: 'voice-b' }],
    default_provider: 'voice-a',
    providers: ['voice-a', 'voice-b'],
    ...values,
  },
});

describe('valid instances', () => {
  const file = readSkillsFile(readFileSync(join(__dirname, '../corpus/skills/valid.yaml'), 'utf8'));
  const report = file.kind === 'submission' ? checkInstances(file, skillRulebook) : undefined;

  test('our own corpus is valid, for every skill of the library', () => {
    expect(report?.instances.flatMap(({ problems }) => problems)).toEqual([]);
    expect(report).toMatchObject({ valid: true, library_version: '0.2.2', checked: 'yaml', problems: [] });
    expect(new Set(report?.instances.map(({ skill_id }) => skill_id)).size).toBe(10);
  });

  test('a report names every instance', () => {
    expect(report?.instances[0]).toEqual({
      index: 0,
      instance_label: 'harbour-map-versions',
      skill_id: 'smart-stories/apply-clearance',
      valid: true,
      problems: [],
    });
  });

  test('consumer is accepted with any value', () => {
    for (const consumer of ['c', 7, null, ['x'], { y: 1 }])
      expect(problemsOf(flag({ consumer }))).toEqual([]);
  });

  test('literals may be text, numbers and booleans', () => {
    for (const match_value of ['x', 0, -1.5, true, false])
      expect(problemsOf(flag({}, { match_value }))).toEqual([]);
  });

  test('an optional scale may be left out, and an authority is then not compared', () => {
    const instance = {
      skill_id: 'smart-stories/match-and-propose',
      instance_label: 'ferry',
      values: {
        confidence_threshold: 1,
        confidence_path: 'assertions[].confidence',
        active_story_state: 'open',
        confirming_role: 'anyone',
      },
    };
    expect(problemsOf(instance)).toEqual([]);
  });
});

describe('a problem is a sentence that names field, value found and what is allowed', () => {
  const id = 'smart-stories/raise-flag-on-match';
  test.each<[string, unknown, string]>([
    ['no map', 'x', 'An instance is a map with skill_id, instance_label and values; this one is "x".'],
    [
      'a misspelt skill',
      flag({ skill_id: 'smart-stories/rise-flag-on-match' }),
      `skill_id is "smart-stories/rise-flag-on-match", which is not a skill of library 0.2.2. Did you mean "${id}"?`,
    ],
    [
      'a skill that is no text',
      flag({ skill_id: 7 }),
      'skill_id is 7, but has to be text: write it in quotes.',
    ],
    [
      'a version that is no text',
      flag({ skill_version: 0.2 }),
      'skill_version is 0.2, but has to be text: write it in quotes.',
    ],
    [
      'a version that is not carried',
      flag({ skill_version: '9.9.9' }),
      'skill_version is "9.9.9", which the bus does not carry; it carries "0.2.2".',
    ],
    [
      'a label of blanks',
      flag({ instance_label: ' \t' }),
      'instance_label is empty text; it has to say something.',
    ],
    [
      'a NUL in a label',
      flag({ instance_label: 'a\u0000' }),
      'instance_label is "a\\u0000", which holds a control character or half a surrogate pair.',
    ],
    [
      'half a surrogate pair',
      flag({}, { flag_name: '\ud800' }),
      'values.flag_name is "\\ud800", which holds a control character or half a surrogate pair.',
    ],
    [
      'a misspelt member',
      flag({ skill_verison: '0.2.1' }),
      'The instance has "skill_verison"; an instance has "skill_id", "skill_version", "instance_label", "values", "authority_scale", "consumer" and nothing else. Did you mean "skill_version"?',
    ],
    [
      'a field beside values',
      flag({ severity: 'flag' }),
      'severity is beside values, but is a field of raise-flag-on-match: move it into values.',
    ],
    [
      'a label inside values',
      flag({}, { instance_label: 'x' }),
      'values.instance_label is not a field of raise-flag-on-match: instance_label belongs beside values, not in it.',
    ],
    [
      'values that are a list',
      flag({ values: [] }),
      'values is an empty list, but has to be a map: raise-flag-on-match needs "match_field", "match_value", "flag_name", "clearing_authority".',
    ],
    [
      'a misspelt field',
      flag({}, { severty: 'flag' }),
      'values has "severty", which is not a field of raise-flag-on-match; its fields are "match_field", "match_value", "flag_name", "severity", "clearing_authority". Did you mean "severity"?',
    ],
    [
      'a merge key',
      flag({}, { '<<': {} }),
      'values has "<<", which is not a field of raise-flag-on-match; its fields are "match_field", "match_value", "flag_name", "severity", "clearing_authority".',
    ],
    ['a null', flag({}, { severity: null }), 'values.severity is nothing (null); allowed: "flag", "inform".'],
    [
      'a misspelt option',
      flag({}, { severity: 'Inform' }),
      'values.severity is "Inform"; allowed: "flag", "inform". Did you mean "inform"?',
    ],
    [
      'a misspelt path',
      flag({}, { match_field: 'priority.levle' }),
      'values.match_field is "priority.levle", which is not a path of SOM 1.0 story.context: priority has no "levle"; it has "level", "reason", "escalated_by", "escalated_at". Did you mean "priority.level"?',
    ],
    [
      'an infinite literal',
      flag({}, { match_value: Number.POSITIVE_INFINITY }),
      'values.match_value is Infinity, but has to be one text, number, true or false.',
    ],
    [
      'an empty literal',
      flag({}, { match_value: '' }),
      'values.match_value is empty text; it has to say something.',
    ],
    [
      'an authority that is not ranked',
      flag({}, { clearing_authority: 'deks' }),
      'values.clearing_authority is "deks"; the instance\'s authority_scale has "chief", "desk". Did you mean "desk"?',
    ],
    [
      'a repeated authority',
      flag({ authority_scale: ['desk', 'chief', 'desk'] }),
      'authority_scale[2] repeats "desk": every authority has one rank.',
    ],
    [
      'an authority that is no text',
      flag({ authority_scale: ['desk', 4] }),
      'authority_scale[1] is 4, but has to be text: write it in quotes.',
    ],
    [
      'a default provider that is not registered',
      select({ default_provider: 'voice-c' }),
      'values.default_provider is "voice-c", which is not in values.providers: "voice-a", "voice-b". Did you mean "voice-a"?',
    ],
    [
      'a row that is no map',
      select({ selection_map: ['x'] }),
      'values.selection_map[0] is "x", but has to be a row with "when", "provider".',
    ],
    [
      'a row with a number',
      select({ selection_map: [{ when: 4, provider: 'voice-a' }] }),
      'values.selection_map[0].when is 4, but has to be text: write it in quotes.',
    ],
    [
      'an empty list',
      select({ providers: [] }),
      'values.providers is an empty list, but has to be a list with at least one entry.',
    ],
  ])('%s', (_title, instance, problem) => {
    expect(problemsOf(instance)).toEqual([problem]);
  });

  test('a removed field that has a new name says which', () => {
    const hold = {
      skill_id: 'smart-stories/hold-while-flagged',
      instance_label: 'names',
      values: { flag_type: 'NAMES', blocked_action: 'air', scope: 'story', clears_by: 'the desk' },
      authority_scale: ['desk'],
    };
    expect(problemsOf(hold)).toEqual([
      "values.gate_type is missing. The kind of gate that holds, in the house's own words; it is compared with editorial_gates[].gate_type.",
      'values.flag_type was taken out of hold-while-flagged in library 0.2.0: write gate_type instead.',
    ]);
  });

  test('an item path needs dots between names, and is not resolved', () => {
    const surface = (match_field: unknown) => ({
      skill_id: 'smart-stories/surface-on-context-match',
      instance_label: 'tides',
      values: {
        monitored_source: 'feed:tides',
        match_field,
        match_against: 'slug',
        match_threshold: 0.5,
        surface_as: 'enrichment',
        carry: ['x'],
        clearing_authority: 'desk',
      },
      authority_scale: ['desk'],
    });
    expect(problemsOf(surface('any.port[].name'))).toEqual([]);
    expect(problemsOf(surface('any..name'))).toEqual([
      'values.match_field is "any..name", which is not a dot path: write names with dots between them.',
    ]);
  });

  test('map keys are texts too, and odd ones are quoted', () => {
    const gate = (path_map: unknown) => ({
      skill_id: 'smart-stories/gate-by-scope',
      instance_label: 'embargo',
      values: { scope: 'destination-path', gate_scope_kind: 'EMBARGO', path_map },
    });
    expect(problemsOf(gate({}))).toEqual([
      'values.path_map is an empty map, but has to be a map with at least one key, each with a text.',
    ]);
    expect(problemsOf(gate({ ' ': 'x' }))).toEqual([
      'values.path_map has the key " ", which is empty or holds a control character.',
    ]);
    expect(problemsOf(gate({ 'a\nb': 1 }))).toEqual([
      'values.path_map["a\\nb"] is 1, but has to be text: write it in quotes.',
    ]);
  });
});

describe('all problems of an instance', () => {
  test('are reported together', () => {
    const problems = problemsOf(
      flag(
        { instance_label: undefined, authority_scale: [] },
        { match_field: 'slgu', severity: 'hold', more: 1 },
      ),
    );
    expect(problems).toHaveLength(5);
  });

  test('stop after fifty, and say so', () => {
    const values = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`f${index}`, 1]));
    const problems = problemsOf(flag({}, values));
    expect(problems).toHaveLength(51);
    expect(problems[50]).toBe('There are more than these 50 problems: fix them, then check again.');
  });

  test('are one line each, for any value', () => {
    const problems = problemsOf(flag({ 'a\nb': 1 }, { match_field: 'x\ny', severity: 'a\nb', 'c\nd': 1 }));
    expect(problems).toHaveLength(4);
    expect(problems.join('')).not.toContain('\n');
  });

  test('inherited members do not count', () => {
    const instance = JSON.parse(
      '{"skill_id":"constructor","instance_label":"x","values":{"__proto__":{"a":1}},"__proto__":{"y":1}}',
    );
    expect(problemsOf(instance)).toEqual([
      expect.stringContaining('skill_id is "constructor"'),
      expect.stringContaining('The instance has "__proto__"'),
    ]);
  });
});

describe('a list', () => {
  test('refuses a label the second time, naming the first', () => {
    const { instances } = check([flag(), flag({ skill_id: 'none' }), flag()]);
    expect(instances.map(({ valid }) => valid)).toEqual([true, false, false]);
    expect(instances[2]?.problems).toEqual([
      'instance_label is "flash-stories", which an earlier instance of the list has already: every label has to be unique.',
    ]);
  });

  test('may hold 200 instances', () => {
    const many = Array.from({ length: 200 }, (_, index) => flag({ instance_label: `label-${index}` }));
    expect(check(many).valid).toBe(true);
  });

  test('of more than 200 is one problem, and none is checked', () => {
    const many = Array.from({ length: 201 }, (_, index) => flag({ instance_label: `label-${index}` }));
    expect(check(many)).toEqual({
      valid: false,
      library_version: '0.2.2',
      checked: 'list',
      instances: [],
      problems: [
        'There are 201 instances, but one call checks at most 200; none was checked. Send them in parts.',
      ],
    });
  });

  test('that is empty is one problem', () => {
    expect(check([])).toMatchObject({
      valid: false,
      instances: [],
      problems: ['There is no instance to check: the list is empty.'],
    });
  });

  test('gives a long label and skill back shortened, so that a response stays small', () => {
    const [instance] = check([
      flag({ instance_label: 'l'.repeat(5_000), skill_id: 's'.repeat(5_000) }),
    ]).instances;
    expect(instance?.instance_label).toHaveLength(200);
    expect(JSON.stringify(instance).length).toBeLessThan(2_000);
  });
});

describe('an instance that names a carried version other than the current one', () => {
  const both = { ...skillRulebook, catalogue: [nextLibrary, ...skillRulebook.catalogue] as const };
  const declare = (change: Record<string, unknown> = {}, values: Record<string, unknown> = {}) => ({
    skill_id: 'smart-stories/declare-context-on-commit',
    instance_label: 'gallery',
    values: {
      destination_scope: ['dest-*'],
      declared_fields: ['slug', 'tags[].value'],
      match_field: 'story_type',
      match_value: 'ACTIVE',
      ...values,
    },
    ...change,
  });

  test('is checked against that version', () => {
    expect(check([declare({ skill_version: '0.3.0' })], both)).toMatchObject({
      valid: true,
      library_version: '0.2.2',
    });
  });

  test('without its version is checked against the current one', () => {
    expect(check([declare()], both).instances[0]?.problems).toEqual([
      expect.stringContaining('not a skill of library 0.2.2'),
    ]);
  });

  test('has every path of a list resolved, and refused values refused', () => {
    const wrong = {
      declared_fields: ['slug', 'usage[].state', 'assets[].state'],
      match_field: 'tags[].label',
    };
    expect(check([declare({ skill_version: '0.3.0' }, wrong)], both).instances[0]?.problems).toEqual([
      expect.stringMatching(/^values\.declared_fields\[1\] is "usage\[\]\.state", which is not a path/),
      expect.stringMatching(/^values\.declared_fields\[2\] is "assets\[\]\.state", which is not a path/),
      'values.match_field is "tags[].label", which is not allowed here: a tag label is for display only.',
    ]);
  });
});
