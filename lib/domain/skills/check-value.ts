import type { FieldKind } from './field-kinds.ts';
import type { SkillField } from './library.ts';
import { nearest } from './nearest.ts';
import type { StoryPaths } from './story-paths.ts';
import { isMap, own } from './submitted.ts';
import { isText, textFault } from './text-fault.ts';
import { found, hint, listing } from './words.ts';

/** What a value is checked against besides its own field. */
export interface CheckContext {
  readonly paths: StoryPaths;
  /** The instance's authorities, senior first; undefined when it gives no usable scale. */
  readonly scale: readonly string[] | undefined;
}

type Problems = Iterable<string>;

/** Checks one value; `place` names it in the sentences. */
type Check = (value: unknown, place: string, field: SkillField, context: CheckContext) => Problems;

const none: Problems = [];

const text: Check = (value, place) => {
  const fault = textFault(value);
  return fault === undefined ? none : [`${place} ${fault}.`];
};

const whenText =
  (judge: (value: string, place: string, field: SkillField, context: CheckContext) => Problems): Check =>
  (value, place, field, context) =>
    isText(value) ? judge(value, place, field, context) : text(value, place, field, context);

const oneOf = (value: string, place: string, allowed: readonly string[], what = 'allowed:'): Problems =>
  allowed.includes(value)
    ? none
    : [`${place} is ${found(value)}; ${what} ${listing(allowed)}.${hint(nearest(value, allowed))}`];

const option = whenText((value, place, { options = [] }) => oneOf(value, place, options));

const path = whenText((value, place, { never = {} }, { paths }) => {
  const reason = Object.hasOwn(never, value) ? never[value] : undefined;
  if (reason !== undefined) return [`${place} is ${found(value)}, which is not allowed here: ${reason}.`];
  const fault = paths.fault(value);
  return fault === undefined
    ? none
    : [
        `${place} is ${found(value)}, which is no path of SOM 1.0 story.context: ${fault}.${hint(paths.repair(value))}`,
      ];
});

const itemPathForm = /^[^\s.[\]{}"']+(\[\])?(\.[^\s.[\]{}"']+(\[\])?)*$/;

const itemPath = whenText((value, place) =>
  itemPathForm.test(value)
    ? none
    : [`${place} is ${found(value)}, which is no dot path: write names with dots between them.`],
);

const authority = whenText((value, place, _field, { scale }) =>
  scale === undefined ? none : oneOf(value, place, scale, "the instance's authority_scale has"),
);

const value: Check = (literal, place, field, context) => {
  if (typeof literal === 'boolean') return none;
  if (typeof literal === 'number' && Number.isFinite(literal)) return none;
  return typeof literal === 'string'
    ? text(literal, place, field, context)
    : [`${place} is ${found(literal)}, but has to be one text, number, true or false.`];
};

const rangeOf = ({ range: { least, most } = {} }: SkillField): string =>
  most === undefined ? ` of at least ${least ?? 'any size'}` : ` from ${least ?? 'any size'} to ${most}`;

const bounded =
  (what: string, fits: (value: number) => boolean): Check =>
  (number, place, field) => {
    const { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY } = field.range ?? {};
    const good = typeof number === 'number' && fits(number) && number >= least && number <= most;
    const range = field.range ? rangeOf(field) : '';
    const asText = typeof number === 'string' ? ' Write it without quotes.' : '';
    return good ? none : [`${place} is ${found(number)}, but has to be ${what}${range}.${asText}`];
  };

const boolean: Check = (flag, place) =>
  typeof flag === 'boolean'
    ? none
    : [`${place} is ${found(flag)}, but has to be true or false, without quotes.`];

const listOf = (each: Check): Check =>
  function* (list, place, field, context) {
    if (!Array.isArray(list) || list.length === 0) {
      yield `${place} is ${found(list)}, but has to be a list with at least one entry.`;
      return;
    }
    for (const [index, entry] of list.entries()) yield* each(entry, `${place}[${index}]`, field, context);
  };

const row: Check = function* (candidate, place, field, context) {
  const { options: keys = [] } = field;
  if (!isMap(candidate)) {
    yield `${place} is ${found(candidate)}, but has to be a row with ${listing(keys)}.`;
    return;
  }
  for (const key of keys) {
    const entry = own(candidate, key);
    if (entry === undefined)
      yield `${place}.${key} is missing: every row of ${field.name} has ${listing(keys)}.`;
    else yield* text(entry, `${place}.${key}`, field, context);
  }
  for (const key of Object.keys(candidate)) {
    if (keys.includes(key)) continue;
    yield `${place} has ${found(key)}, but a row of ${field.name} has only ${listing(keys)}.${hint(nearest(key, keys))}`;
  }
};

const map: Check = function* (candidate, place, field, context) {
  const entries = isMap(candidate) ? Object.entries(candidate) : [];
  if (entries.length === 0) {
    yield `${place} is ${found(candidate)}, but has to be a map with at least one key, each with a text.`;
  }
  for (const [key, entry] of entries) {
    if (!isText(key))
      yield `${place} has the key ${found(key)}, which is empty or holds a control character.`;
    else if (!isText(entry)) yield* text(entry, `${place}.${key.slice(0, 60)}`, field, context);
    else if (field.value_options) yield* oneOf(entry, `${place}.${key.slice(0, 60)}`, field.value_options);
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

/** What is wrong with a value of a field, one sentence each, found as they are asked for. */
export const checkValue = (value: unknown, field: SkillField, context: CheckContext): Problems =>
  checks[field.kind](value, `values.${field.name}`, field, context);
