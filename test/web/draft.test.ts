import { checkInstances } from '../../lib/skills/check-instances.ts';
import type { SkillField } from '../../lib/skills/library.ts';
import { readSkillsFile } from '../../lib/skills/skills-file.ts';
import { instanceText } from '../../web/executor/instance-text.ts';
import {
  check,
  type Draft,
  type FieldDraft,
  instanceOf,
  writtenInstanceOf,
  yamlOf,
} from '../../web/skills/draft.ts';
import { library, rulebook, skillNamed } from '../../web/skills/rulebook.ts';

const named = (name: string) => {
  const skill = skillNamed(name);
  if (!skill) throw new Error(`There is no skill ${name}.`);
  return skill;
};

/** What a reader types into a field of each kind. */
const typed = ({
  kind,
  options = [],
  value_options: values = ['gate-1'],
}: SkillField): FieldDraft =>
  ({
    path: 'premise.actual_outcome',
    path_list: 'premise.actual_outcome\neditorial_source[].credibility',
    item_path: 'item.location',
    enum: options[0] ?? '',
    enum_list: options.slice(0, 1).join('\n'),
    text: 'river',
    text_list: 'north\nsouth',
    value: '0.10',
    number: '0.5',
    integer: '3',
    boolean: 'true',
    authority: 'night',
    row: [options.map(option => (option === 'provider' ? 'north' : 'x'))],
    map: [['archive', values[0] ?? '']],
  })[kind];

const scale = 'chief\nnight';

describe('an instance made in the form', () => {
  test.each(library.skills)('of $name is valid in every field, and in the file', skill => {
    const fields = Object.fromEntries(skill.fields.map(field => [field.name, typed(field)]));
    const filled = 'default_provider' in fields ? { ...fields, default_provider: 'north' } : fields;
    const draft: Draft = { ...filled, instance_label: 'river', authority_scale: scale };
    expect([...check(skill, draft).byField]).toEqual([]);
    const file = readSkillsFile(yamlOf(skill, draft));
    expect(file).toEqual({
      kind: 'submission',
      checked: 'yaml',
      instances: [instanceOf(skill, draft)],
    });
    if (file.kind === 'submission') expect(checkInstances(file, rulebook).valid).toBe(true);
  });

  test('has its values in the types of their kinds', () => {
    const skill = named('raise-flag-on-match');
    const typedAs = (text: string) =>
      instanceOf(skill, { match_value: text }).values['match_value'];
    expect(['5', '-0.5', 'true', '"5"', ' river ', '05x'].map(typedAs)).toEqual([
      5,
      -0.5,
      true,
      '5',
      'river',
      '05x',
    ]);
  });

  test.each(['12345678901234567890123', '0.10000000000000000001', '-1.50'])(
    'keeps %s in the file, and in what it is compared with',
    typedNumber => {
      const skill = named('raise-flag-on-match');
      const draft = { match_value: typedNumber };
      expect(yamlOf(skill, draft)).toContain(`      match_value: ${typedNumber}\n`);
      const line = `"match_value": ${typedNumber}\n`;
      const typedInstance = writtenInstanceOf(skill, draft);
      expect(instanceText(typedInstance)).toContain(line);
      const exact_values = JSON.stringify({ match_value: 0 }).replace('0', typedNumber);
      expect(instanceText({ ...instanceOf(skill, draft), exact_values })).toContain(line);
    },
  );

  test('leaves out what nobody typed', () => {
    expect(instanceOf(named('gate-by-scope'), {})).toEqual({
      skill_id: 'smart-stories/gate-by-scope',
      skill_version: '0.2.2',
      instance_label: undefined,
      values: {},
    });
  });
});

describe('what is wrong', () => {
  test('stands at the field that it is about', () => {
    const skill = named('flag-on-mismatch');
    const { valid, byField } = check(skill, {
      authority_scale: 'chief\nchief',
      watched_field: 'premise.actual_outcom',
    });
    expect(valid).toBe(false);
    expect(byField.get('watched_field')?.join()).toContain(
      'Did you mean "premise.actual_outcome"?',
    );
    expect(byField.get('instance_label')?.join()).toContain('missing');
    expect(byField.get('authority_scale')?.join()).toContain('repeats');
    expect(byField.get('bound_scope')?.join()).toContain('missing');
    expect(byField.has('')).toBe(false);
  });
});
