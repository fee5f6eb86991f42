import type { Skill, SkillField } from './library.ts';
import { nearest } from './nearest.ts';
import { isMap, own, type SubmittedMap } from './submitted.ts';
import { isText } from './text-fault.ts';
import { describeValue, hint, listing } from './words.ts';

/** The texts of a field that have to be members of another one, and where each stands. */
const mentions = (field: SkillField, value: unknown): readonly (readonly [string, string])[] => {
  const { key } = field.member_of ?? {};
  if (key === undefined) return isText(value) ? [[`values.${field.name}`, value]] : [];
  if (!Array.isArray(value)) return [];
  return value.flatMap((row: unknown, index) => {
    const text = isMap(row) ? own(row, key) : undefined;
    return isText(text) ? [[`values.${field.name}[${index}].${key}`, text] as const] : [];
  });
};

/** Values that are not in the list field which has to hold them. A list that is no list of texts is not compared with. */
export function* checkMembership(skill: Skill, values: SubmittedMap): Iterable<string> {
  for (const field of skill.fields) {
    if (!field.member_of) continue;
    const list = own(values, field.member_of.field);
    if (!Array.isArray(list) || list.length === 0 || !list.every(isText)) continue;
    const members = new Set<string>(list);
    for (const [place, text] of mentions(field, own(values, field.name))) {
      if (members.has(text)) continue;
      yield `${place} is ${describeValue(text)}, which is not in values.${field.member_of.field}: ${listing(members)}.${hint(nearest(text, members))}`;
    }
  }
}
