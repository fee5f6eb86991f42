import type { Skill } from './library.ts';
import { isText, textFault } from './text-fault.ts';
import { describeValue } from './words.ts';

const listForm = 'a list of authority names, the most senior first';

/** What is wrong with an instance's `authority_scale`. It may be left out where the skill compares no authorities. */
export function* checkScale(scale: unknown, skill: Skill | undefined): Iterable<string> {
  if (scale === undefined) {
    if (skill?.authority_scale === 'required') {
      yield `authority_scale is missing: ${skill.name} compares authorities, so the instance has to carry the house's scale, ${listForm}.`;
    }
    return;
  }
  if (!Array.isArray(scale) || scale.length === 0) {
    yield `authority_scale is ${describeValue(scale)}, but has to be ${listForm}.`;
    return;
  }
  const seen = new Set<unknown>();
  for (const [index, authority] of scale.entries()) {
    const fault = textFault(authority);
    if (fault !== undefined) yield `authority_scale[${index}] ${fault}.`;
    else if (seen.has(authority))
      yield `authority_scale[${index}] repeats ${describeValue(authority)}: every authority has one rank.`;
    seen.add(authority);
  }
}

/** The scale to look authorities up in; undefined when there is none or it is no list of texts. */
export const usableScale = (scale: unknown): readonly string[] | undefined =>
  Array.isArray(scale) && scale.length > 0 && scale.every(isText) ? scale : undefined;
