import { checkMembership } from './check-membership.ts';
import type { InstanceContext } from './check-scalar.ts';
import { checkValue } from './check-value.ts';
import type { Skill } from './library.ts';
import { nearest } from './nearest.ts';
import { isMap, own } from './submitted.ts';
import { describeValue, hint, listing } from './words.ts';

const unknownField = (name: string, skill: Skill, known: readonly string[]): string => {
  const removed = skill.removed_fields?.find(field => field.name === name);
  if (removed) {
    const now = removed.renamed_to === undefined ? 'leave it out' : `write ${removed.renamed_to} instead`;
    return `values.${name} was taken out of ${skill.name} in library ${removed.removed_in}: ${now}.`;
  }
  if (name === 'instance_label' || name === 'authority_scale') {
    return `values.${name} is no field of ${skill.name}: ${name} belongs beside values, not in it.`;
  }
  return `values has ${describeValue(name)}, which is no field of ${skill.name}; its fields are ${listing(known)}.${hint(nearest(name, known))}`;
};

/** What is wrong with an instance's `values`, field by field and across fields. */
export function* checkFields(values: unknown, skill: Skill, context: InstanceContext): Iterable<string> {
  const required = skill.fields.filter(field => field.required).map(({ name }) => name);
  if (!isMap(values)) {
    const state = values === undefined ? 'is missing' : `is ${describeValue(values)}, but has to be a map`;
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
