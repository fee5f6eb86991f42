import { numberAsWritten } from '../../lib/platform/json/as-written.ts';
import { yamlAsWritten } from '../../lib/platform/json/yaml-as-written.ts';
import { checkInstances } from '../../lib/skills/check-instances.ts';
import type { Skill, SkillField } from '../../lib/skills/library.ts';
import { linesIn } from '../connections/words.ts';
import { rulebook } from './rulebook.ts';

/** What a reader typed into one field: one text, or one for each row and column. */
export type FieldDraft = string | readonly (readonly string[])[];

/**
 * An instance as far as it is filled in: its fields, and the members that every instance has, by
 * their names.
 */
export type Draft = Readonly<Record<string, FieldDraft>>;

const textIn = (draft: FieldDraft | undefined): string =>
  typeof draft === 'string' ? draft.trim() : '';

const rowsIn = (draft: FieldDraft | undefined): readonly (readonly string[])[] =>
  (typeof draft === 'object' ? draft : []).filter(row => row.some(cell => cell !== ''));

const numberOr = (text: string): number | string =>
  /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;

const literals: Readonly<Record<string, boolean>> = { true: true, false: false };

const listOf = (draft: FieldDraft | undefined): readonly string[] | undefined => {
  const list = linesIn(textIn(draft));
  return list.length === 0 ? undefined : list;
};

const rowsOf = (draft: FieldDraft | undefined, columns: readonly string[]) => {
  const rows = rowsIn(draft).map(row =>
    Object.fromEntries(columns.map((column, at) => [column, row[at] ?? ''])),
  );
  return rows.length === 0 ? undefined : rows;
};

const mapOf = (draft: FieldDraft | undefined) => {
  const pairs = rowsIn(draft).map(([key = '', value = '']) => [key, value] as const);
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
};

const textOrNothing = (text: string): string | undefined => (text === '' ? undefined : text);

/** The value that a field has in an instance; undefined while nothing is typed. */
const fieldValue = ({ kind, options = [] }: SkillField, draft: FieldDraft | undefined): unknown => {
  const text = textIn(draft);
  switch (kind) {
    case 'path_list':
    case 'enum_list':
    case 'text_list':
      return listOf(draft);
    case 'row':
      return rowsOf(draft, options);
    case 'map':
      return mapOf(draft);
    case 'number':
    case 'integer':
      return text === '' ? undefined : numberOr(text);
    case 'boolean':
      return text === '' ? undefined : (literals[text] ?? text);
    case 'value':
      // In quotes it is text, as in YAML: "5" is not 5.
      if (/^".*"$/.test(text)) return text.slice(1, -1);
      return text === '' ? undefined : (literals[text] ?? numberOr(text));
    default:
      return textOrNothing(text);
  }
};

/** The instance that a draft stands for, in the order of the library. */
export const instanceOf = (skill: Skill, draft: Draft) => {
  const values = skill.fields.flatMap(field => {
    const value = fieldValue(field, draft[field.name]);
    return value === undefined ? [] : [[field.name, value] as const];
  });
  const scale = listOf(draft['authority_scale']);
  return {
    skill_id: skill.skill_id,
    skill_version: skill.skill_version,
    instance_label: textOrNothing(textIn(draft['instance_label'])),
    values: Object.fromEntries(values),
    ...(scale ? { authority_scale: scale } : {}),
  };
};

/** The same instance, of which `textAsWritten` gives each number as it was typed. */
export const writtenInstanceOf = (skill: Skill, draft: Draft) => {
  const instance = instanceOf(skill, draft);
  const written = Object.entries(instance.values).map(([name, value]) => {
    const isNumber = typeof value === 'number';
    return [name, isNumber ? numberAsWritten(value, textIn(draft[name])) : value] as const;
  });
  return { ...instance, values: Object.fromEntries(written) };
};

/** What the bus would say about an instance. */
export interface Findings {
  readonly valid: boolean;
  /** By the name of the field; problems of no single field are under the empty name. */
  readonly byField: ReadonlyMap<string, readonly string[]>;
}

/** The member that a problem is about: problems begin with it. */
const memberOf = (problem: string): string => {
  const [, member = ''] = /^(?:values\.)?([a-z_]+)(?=[ .[])/.exec(problem) ?? [];
  return member;
};

/** Checks a draft as a house's registration is checked. */
export const check = (skill: Skill, draft: Draft): Findings => {
  const submission = {
    kind: 'submission',
    checked: 'instance',
    instances: [instanceOf(skill, draft)],
  } as const;
  const [report] = checkInstances(submission, rulebook).instances;
  const known = new Set([
    'instance_label',
    'authority_scale',
    ...skill.fields.map(({ name }) => name),
  ]);
  const byField = new Map<string, readonly string[]>();
  for (const problem of report?.problems ?? []) {
    const member = memberOf(problem);
    const name = known.has(member) ? member : '';
    byField.set(name, [...(byField.get(name) ?? []), problem]);
  }
  return { valid: report?.valid ?? false, byField };
};

/** A skills file with this one instance. */
export const yamlOf = (skill: Skill, draft: Draft): string =>
  yamlAsWritten({ skills: [writtenInstanceOf(skill, draft)] }, 100);
