import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkInstances } from '../../lib/skills/check-instances.ts';
import { skillRulebook } from '../../lib/skills/describe-library.ts';
import { readSkillsFile } from '../../lib/skills/skills-file.ts';
import { yamlFile } from '../../scripts/yaml-file.ts';
import { nextLibrary } from './next-library.ts';

const check = (instances: readonly unknown[], rulebook = skillRulebook) =>
  checkInstances({ kind: 'submission', checked: 'list', instances }, rulebook);

const problemsOf = (instance: unknown): readonly string[] =>
  check([instance]).instances[0]?.problems ?? [];

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

interface Case {
  readonly what: string;
  readonly instance?: unknown;
  readonly change?: Record<string, unknown>;
  readonly values?: Record<string, unknown>;
  readonly select?: Record<string, unknown>;
  readonly problem: string;
}
const cases: readonly Case[] = [
  ...(yamlFile('test/skills/cases/problems.yaml') as readonly Case[]),
  {
    what: 'half a surrogate pair, which YAML cannot write',
    values: { flag_name: '\ud800' },
    problem:
      'values.flag_name is "\\ud800", which holds a control character or half a surrogate pair.',
  },
];

describe('valid instances', () => {
  const file = readSkillsFile(readFileSync(join(__dirname, '../corpus/skills/valid.yaml'), 'utf8'));
  const report = file.kind === 'submission' ? checkInstances(file, skillRulebook) : undefined;

  test('our own corpus is valid, for every skill of the library', () => {
    expect(report?.instances.flatMap(({ problems }) => problems)).toEqual([]);
    expect(report).toMatchObject({
      valid: true,
      library_version: '0.2.2',
      checked: 'yaml',
      problems: [],
    });
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
  test.each(cases)('$what', ({ instance, change, values, select: selected, problem }) => {
    const given = instance ?? (selected ? select(selected) : flag(change, values));
    expect(problemsOf(given)).toEqual([problem]);
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
  test('come in the order of its members', () => {
    expect(problemsOf({ values: {}, gate_scope_kind: 'E', lable: 'a' })).toEqual([
      'skill_id is missing: it says which skill is configured, as <namespace>/<name>.',
      'instance_label is missing: it names the instance, and its warnings carry it as rule_id.',
      'The instance has "gate_scope_kind"; an instance has "skill_id", "skill_version", ' +
        '"instance_label", "values", "authority_scale", "consumer" and nothing else.',
      'The instance has "lable"; an instance has "skill_id", "skill_version", ' +
        '"instance_label", "values", "authority_scale", "consumer" and nothing else.',
    ]);
    expect(problemsOf(flag({ authority_scale: undefined }))).toEqual([
      'authority_scale is missing: raise-flag-on-match compares authorities, so the instance ' +
        "has to carry the house's scale, a list of authority names, the most senior first.",
    ]);
    expect(problemsOf(flag({ authority_scale: ['desk', 7, 'desk'] }))).toEqual([
      'authority_scale[1] is 7, but has to be text: write it in quotes.',
      'authority_scale[2] repeats "desk": every authority has one rank.',
    ]);
    expect(problemsOf(flag({ instance_label: 7, severity: 'hold' }))).toEqual([
      'instance_label is 7, but has to be text: write it in quotes.',
      'severity is beside values, but is a field of raise-flag-on-match: move it into values.',
    ]);
  });

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
    const values = Object.fromEntries(
      Array.from({ length: 30_000 }, (_, index) => [`f${index}`, 1]),
    );
    const problems = problemsOf(flag({}, values));
    expect(problems).toHaveLength(51);
    expect(problems[50]).toBe('There are more than these 50 problems: fix them, then check again.');
  });

  test('are one line each, for any value', () => {
    const problems = problemsOf(
      flag({ 'a\nb': 1 }, { match_field: 'x\ny', severity: 'a\nb', 'c\nd': 1 }),
    );
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
    const many = Array.from({ length: 200 }, (_, index) =>
      flag({ instance_label: `label-${index}` }),
    );
    expect(check(many).valid).toBe(true);
  });

  test('of more than 200 is one problem, and none is checked', () => {
    const many = Array.from({ length: 201 }, (_, index) =>
      flag({ instance_label: `label-${index}` }),
    );
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
    expect(
      check([declare({ skill_version: '0.3.0' }, wrong)], both).instances[0]?.problems,
    ).toEqual([
      expect.stringMatching(
        /^values\.declared_fields\[1\] is "usage\[\]\.state", which is not a path/,
      ),
      expect.stringMatching(
        /^values\.declared_fields\[2\] is "assets\[\]\.state", which is not a path/,
      ),
      'values.match_field is "tags[].label", which is not allowed here: a tag label is for display only.',
    ]);
  });
});
