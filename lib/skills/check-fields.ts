import { nearest } from '../platform/json/nearest.ts';
import {
  describeValue,
  hint,
  isText,
  listing,
  own,
  textProblem,
} from '../platform/json/submitted.ts';
import { isJsonObject, type JsonObject } from '../platform/json/value.ts';
import type { FieldKind, Skill, SkillField } from './library.ts';
import type { StoryPaths } from './story-paths.ts';

/** The texts of a field that have to be members of another field, with the place of each. */
const mentions = (field: SkillField, value: unknown): readonly (readonly [string, string])[] => {
  const { key } = field.member_of ?? {};
  if (key === undefined) return isText(value) ? [[`values.${field.name}`, value]] : [];
  if (!Array.isArray(value)) return [];
  return value.flatMap((row: unknown, index) => {
    const text = isJsonObject(row) ? own(row, key) : undefined;
    return isText(text) ? [[`values.${field.name}[${index}].${key}`, text] as const] : [];
  });
};

/**
 * Values that are missing from the list field that has to hold them. A list that holds anything but
 * texts is skipped.
 */
function* checkMembership(skill: Skill, values: JsonObject): Iterable<string> {
  for (const field of skill.fields) {
    if (!field.member_of) continue;
    const list = own(values, field.member_of.field);
    if (!Array.isArray(list) || list.length === 0 || !list.every(isText)) continue;
    const members = new Set<string>(list);
    for (const [where, text] of mentions(field, own(values, field.name))) {
      if (members.has(text)) continue;
      yield `${where} is ${describeValue(text)}, which is not in values.${field.member_of.field}: ` +
        `${listing(members)}.${hint(nearest(text, members))}`;
    }
  }
}

interface InstanceContext {
  readonly paths: StoryPaths;
  /** The instance's authorities, senior first; undefined when it gives no usable scale. */
  readonly scale: readonly string[] | undefined;
}

interface FieldContext extends InstanceContext {
  readonly field: SkillField;
}

type Problems = Iterable<string>;

type Check = (value: unknown, where: string, context: FieldContext) => Problems;

const none: Problems = [];

const text: Check = (value, where) => {
  const error = textProblem(value);
  if (error === undefined) return none;
  return [`${where} ${error}.`];
};

/** A check of a text; of anything else is said that it is none. */
const whenText =
  (check: (value: string, where: string, context: FieldContext) => Problems): Check =>
  (value, where, context) =>
    isText(value) ? check(value, where, context) : text(value, where, context);

/** Nothing when the value is allowed; otherwise a sentence with the allowed values. */
const oneOf =
  (allowed: readonly string[], introduction = 'allowed:') =>
  (value: unknown, where: string): Problems => {
    if (typeof value === 'string' && allowed.includes(value)) return none;
    const near = typeof value === 'string' ? nearest(value, allowed) : undefined;
    return [
      `${where} is ${describeValue(value)}; ${introduction} ${listing(allowed)}.${hint(near)}`,
    ];
  };

const option: Check = (value, where, { field }) => oneOf(field.options ?? [])(value, where);

const path = whenText((value, where, { field: { never = {} }, paths }) => {
  const reason = Object.hasOwn(never, value) ? never[value] : undefined;
  if (reason !== undefined)
    return [`${where} is ${describeValue(value)}, which is not allowed here: ${reason}.`];
  const error = paths.error(value);
  if (error === undefined) return none;
  return [
    `${where} is ${describeValue(value)}, which is not a path of SOM 1.0 story.context: ` +
      `${error}.${hint(paths.repair(value))}`,
  ];
});

const itemPathForm = /^[^\s.[\]{}"']+(\[\])?(\.[^\s.[\]{}"']+(\[\])?)*$/;

const itemPath = whenText((value, where) => {
  if (itemPathForm.test(value)) return none;
  return [
    `${where} is ${describeValue(value)}, which is not a dot path: write names with dots between them.`,
  ];
});

const authority = whenText((value, where, { scale }) => {
  if (scale === undefined) return none;
  return oneOf(scale, "the instance's authority_scale has")(value, where);
});

const value: Check = (literal, where, context) => {
  if (typeof literal === 'boolean') return none;
  if (typeof literal === 'number' && Number.isFinite(literal)) return none;
  if (typeof literal === 'string') return text(literal, where, context);
  return [`${where} is ${describeValue(literal)}, but has to be one text, number, true or false.`];
};

const rangeOf = ({ range: { min, max } = {} }: SkillField): string => {
  if (max === undefined) return ` of at least ${min ?? 'any size'}`;
  return ` from ${min ?? 'any size'} to ${max}`;
};

const bounded =
  (form: string, fits: (value: number) => boolean): Check =>
  (number, where, { field }) => {
    const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = field.range ?? {};
    if (typeof number === 'number' && fits(number) && number >= min && number <= max) return none;

    const range = field.range ? rangeOf(field) : '';
    const correction = typeof number === 'string' ? ' Write it without quotes.' : '';
    return [`${where} is ${describeValue(number)}, but has to be ${form}${range}.${correction}`];
  };

const boolean: Check = (flag, where) => {
  if (typeof flag === 'boolean') return none;
  return [`${where} is ${describeValue(flag)}, but has to be true or false, without quotes.`];
};

const listOf = (each: Check): Check =>
  function* (list, where, context) {
    if (!Array.isArray(list) || list.length === 0) {
      yield `${where} is ${describeValue(list)}, but has to be a list with at least one entry.`;
      return;
    }
    for (const [index, entry] of list.entries()) yield* each(entry, `${where}[${index}]`, context);
  };

const row: Check = function* (candidate, where, context) {
  const { field } = context;
  const { options: keys = [] } = field;
  if (!isJsonObject(candidate)) {
    yield `${where} is ${describeValue(candidate)}, but has to be a row with ${listing(keys)}.`;
    return;
  }
  for (const key of keys) {
    const entry = own(candidate, key);
    if (entry === undefined)
      yield `${where}.${key} is missing: every row of ${field.name} has ${listing(keys)}.`;
    else yield* text(entry, `${where}.${key}`, context);
  }
  for (const key of Object.keys(candidate)) {
    if (keys.includes(key)) continue;
    yield `${where} has ${describeValue(key)}, but a row of ${field.name} has only ` +
      `${listing(keys)}.${hint(nearest(key, keys))}`;
  }
};

const plainKey = /^[\w-]{1,60}$/;

const placeOf = (where: string, key: string): string =>
  plainKey.test(key) ? `${where}.${key}` : `${where}[${describeValue(key)}]`;

const map: Check = function* (candidate, where, context) {
  const { field } = context;
  const entries = isJsonObject(candidate) ? Object.entries(candidate) : [];
  if (entries.length === 0)
    yield `${where} is ${describeValue(candidate)}, but has to be a map with at least one key, each ` +
      'with a text.';
  for (const [key, entry] of entries) {
    if (!isText(key))
      yield `${where} has the key ${describeValue(key)}, which is empty or holds a control character.`;
    else if (!isText(entry)) yield* text(entry, placeOf(where, key), context);
    else if (field.value_options) yield* oneOf(field.value_options)(entry, placeOf(where, key));
  }
};

const checks: Readonly<Record<FieldKind, Check>> = {
  path,
  path_list: listOf(path),
  item_path: itemPath,
  enum: option,
  enum_list: listOf(option),
  text,
  text_list: listOf(text),
  value,
  number: bounded('a number', Number.isFinite),
  integer: bounded('a whole number', Number.isSafeInteger),
  boolean,
  authority,
  row: listOf(row),
  map,
};

const checkValue = (value: unknown, field: SkillField, context: InstanceContext): Problems =>
  checks[field.kind](value, `values.${field.name}`, { ...context, field });

const unknownField = (name: string, skill: Skill, known: readonly string[]): string => {
  const removed = skill.removed_fields?.find(field => field.name === name);
  if (removed) {
    const { renamed_to: newName, removed_in: version } = removed;
    const correction = newName === undefined ? 'leave it out' : `write ${newName} instead`;
    return `values.${name} was taken out of ${skill.name} in library ${version}: ${correction}.`;
  }
  if (name === 'instance_label' || name === 'authority_scale')
    return `values.${name} is not a field of ${skill.name}: ${name} belongs beside values, not in it.`;
  return (
    `values has ${describeValue(name)}, which is not a field of ${skill.name}; its fields are ` +
    `${listing(known)}.${hint(nearest(name, known))}`
  );
};

export function* checkFields(
  values: unknown,
  skill: Skill,
  context: InstanceContext,
): Iterable<string> {
  const required = skill.fields.filter(field => field.required).map(({ name }) => name);
  if (!isJsonObject(values)) {
    const state =
      values === undefined ? 'is missing' : `is ${describeValue(values)}, but has to be a map`;
    yield `values ${state}: ${skill.name} needs ${listing(required)}.`;
    return;
  }
  for (const field of skill.fields) {
    const value = own(values, field.name);
    if (value !== undefined) yield* checkValue(value, field, context);
    else if (field.required) yield `values.${field.name} is missing. ${field.about}`;
  }
  const known = skill.fields.map(({ name }) => name);
  for (const name of Object.keys(values)) {
    if (!known.includes(name)) yield unknownField(name, skill, known);
  }
  yield* checkMembership(skill, values);
}
