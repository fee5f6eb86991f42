import {
  authority,
  boolean,
  bounded,
  type Check,
  type InstanceContext,
  itemPath,
  oneOf,
  option,
  type Problems,
  path,
  text,
  value,
} from './check-scalar.ts';
import type { FieldKind } from './field-kinds.ts';
import type { SkillField } from './library.ts';
import { nearest } from './nearest.ts';
import { isMap, own } from './submitted.ts';
import { isText } from './text-fault.ts';
import { describeValue, hint, listing } from './words.ts';

const listOf = (each: Check): Check =>
  function* (list, place, context) {
    if (!Array.isArray(list) || list.length === 0) {
      yield `${place} is ${describeValue(list)}, but has to be a list with at least one entry.`;
      return;
    }
    for (const [index, entry] of list.entries()) yield* each(entry, `${place}[${index}]`, context);
  };

const row: Check = function* (candidate, place, context) {
  const { field } = context;
  const { options: keys = [] } = field;
  if (!isMap(candidate)) {
    yield `${place} is ${describeValue(candidate)}, but has to be a row with ${listing(keys)}.`;
    return;
  }
  for (const key of keys) {
    const entry = own(candidate, key);
    if (entry === undefined)
      yield `${place}.${key} is missing: every row of ${field.name} has ${listing(keys)}.`;
    else yield* text(entry, `${place}.${key}`, context);
  }
  for (const key of Object.keys(candidate)) {
    if (keys.includes(key)) continue;
    yield `${place} has ${describeValue(key)}, but a row of ${field.name} has only ${listing(keys)}.${hint(nearest(key, keys))}`;
  }
};

const plainKey = /^[\w-]{1,60}$/;

const below = (place: string, key: string): string =>
  plainKey.test(key) ? `${place}.${key}` : `${place}[${describeValue(key)}]`;

const map: Check = function* (candidate, place, context) {
  const { field } = context;
  const entries = isMap(candidate) ? Object.entries(candidate) : [];
  if (entries.length === 0) {
    yield `${place} is ${describeValue(candidate)}, but has to be a map with at least one key, each with a text.`;
  }
  for (const [key, entry] of entries) {
    if (!isText(key))
      yield `${place} has the key ${describeValue(key)}, which is empty or holds a control character.`;
    else if (!isText(entry)) yield* text(entry, below(place, key), context);
    else if (field.value_options) yield* oneOf(field.value_options)(entry, below(place, key));
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
export const checkValue = (value: unknown, field: SkillField, context: InstanceContext): Problems =>
  checks[field.kind](value, `values.${field.name}`, { ...context, field });
